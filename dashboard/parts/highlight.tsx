/**
 * A shell command with its parts coloured, as bash reads it. Everything is a text node; what an
 * agent wrote never becomes an element.
 */
import { type ReactNode, useMemo } from 'react'
import { highlightShell } from '../../src/core/shell/highlight-shell.ts'

/** The command. */
export function ShellCommand({ text }: { readonly text: string }) {
  return useMemo(() => colouredParts(text), [text])
}

function colouredParts(text: string): readonly ReactNode[] {
  const parts: ReactNode[] = []
  let last = 0
  for (const { kind, begin, end } of highlightShell(text)) {
    parts.push(
      text.slice(last, begin),
      <span key={begin} className={`sh-${kind}`}>
        {text.slice(begin, end)}
      </span>,
    )
    last = end
  }
  return [...parts, text.slice(last)]
}
