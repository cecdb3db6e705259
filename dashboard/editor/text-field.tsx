/**
 * A text field that applies its value on Enter or when it loses the focus. Escape restores the old
 * value.
 */
import { type KeyboardEvent, useEffect, useState } from 'react'

type Props = {
  readonly label: string
  readonly value: string
  readonly onSettle: (value: string) => void
  readonly lines?: 'many'
  readonly list?: string
  readonly className?: string
  readonly placeholder?: string
}

/** The field. */
export function TextField(props: Props) {
  const { label, value, onSettle, lines, list, className = '', placeholder } = props
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const settle = (): void => {
    const wanted = lines === 'many' ? text : text.trim()
    if (wanted === value) return
    // The old words are shown until the text has the new ones: it may not take them.
    setText(value)
    onSettle(wanted)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setText(value)
    if (event.key === 'Enter' && lines !== 'many') settle()
  }
  const shared = {
    'aria-label': label,
    className: `input ${className}`,
    value: text,
    autoComplete: 'off',
    spellCheck: lines === 'many',
    onBlur: settle,
    onKeyDown,
    ...(placeholder === undefined ? {} : { placeholder }),
  }
  return lines === 'many' ? (
    <textarea {...shared} onChange={(event) => setText(event.target.value)} />
  ) : (
    <input
      {...shared}
      {...(list === undefined ? {} : { list })}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
