/** A list that renders only the visible rows. All rows have the same height. */
import {
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

export type ListHandle = { readonly show: (index: number) => void }

type Props = {
  readonly count: number
  readonly rowHeight: number
  readonly row: (index: number) => ReactNode
  readonly label: string
  readonly handle?: Ref<ListHandle>
  /** Stays at the end while new rows come, unless somebody has scrolled away from it. */
  readonly follows?: 'end'
  readonly onNearEnd?: () => void
}

const beyond = 8

/** The list; fills the box that it is in. */
export function VirtualList(props: Props) {
  const { count, rowHeight, onNearEnd } = props
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ top: 0, height: 600 })
  const isAtEnd = useRef(true)
  const look = useCallback((): void => {
    if (box.current === null) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = box.current
    isAtEnd.current = scrollHeight - top - height < rowHeight * 2
    setSight((was) => (was.top === top && was.height === height ? was : { top, height }))
  }, [rowHeight])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [look])
  useLayoutEffect(() => {
    if (props.follows === 'end' && isAtEnd.current && count > 0) {
      box.current?.scrollTo({ top: count * rowHeight })
      // WHY at once: the event of the scroll comes a frame later, and that frame would be empty.
      look()
    }
  }, [count, rowHeight, props.follows, look])
  useImperativeHandle(props.handle, () => ({
    show: (index) => box.current?.scrollTo({ top: Math.max(0, index * rowHeight - 120) }),
  }))
  const first = Math.max(0, Math.floor(sight.top / rowHeight) - beyond)
  const last = Math.min(count, Math.ceil((sight.top + sight.height) / rowHeight) + beyond)
  useLayoutEffect(() => {
    if (last >= count - beyond) onNearEnd?.()
  }, [last, count, onNearEnd])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by keyboard
    <section ref={box} className="virtual" aria-label={props.label} tabIndex={0}>
      <ul style={{ height: count * rowHeight }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const index = first + offset
          const style = { transform: `translateY(${index * rowHeight}px)`, height: rowHeight }
          return (
            <li
              key={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              className="virtual-row"
              style={style}
            >
              {props.row(index)}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
