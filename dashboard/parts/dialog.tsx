/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
import { type ReactNode, useEffect, useRef } from 'react'

type Props = {
  readonly label: string
  readonly onClose: () => void
  readonly className?: string
  readonly children: ReactNode
}

/** The dialog; open as long as it is there. */
export function Dialog({ label, onClose, className = '', children }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const element = box.current
    if (element === null) return
    element.showModal()
    const onOutside = (event: MouseEvent): void => {
      // A click on the backdrop has the dialog itself as its target.
      if (event.target === element) close.current()
    }
    element.addEventListener('click', onOutside)
    return () => element.removeEventListener('click', onOutside)
  }, [])
  return (
    <dialog ref={box} className={`dialog ${className}`} aria-label={label} onClose={onClose}>
      {children}
    </dialog>
  )
}
