/**
 * Long content, folded: how much is hidden is always said, and one tap shows it.
 */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type Props = {
  readonly children: ReactNode
  /** All of it is shown at once. */
  readonly isOff?: boolean
  /** In pixels. */
  readonly heightMax?: number
}

/** A little more is not worth a button. */
const slack = 120

/** The box. */
export function Fold({ children, isOff = false, heightMax = 560 }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || isOff) return
    const observer = new ResizeObserver(() => setHeight(element.scrollHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [isOff])
  if (isOff) return children
  const isLong = height > heightMax + slack
  const isFolded = isLong && !isOpen
  const hidden = Math.round((1 - heightMax / height) * 100)
  return (
    <div className={`fold ${isFolded ? 'folded' : ''}`}>
      <div ref={box} style={isFolded ? { maxHeight: heightMax } : {}}>
        {children}
      </div>
      {isFolded ? (
        <button type="button" className="button show-rest" onClick={() => setOpen(true)}>
          Show all ({hidden}% is hidden)
        </button>
      ) : null}
    </div>
  )
}
