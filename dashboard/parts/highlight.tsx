/**
 * Simple syntax highlighting. Everything is a text node; what an agent wrote never becomes an
 * element.
 */
import type { ReactNode } from 'react'

const keywords = [
  ...['const', 'let', 'var', 'function', 'return', 'if', 'else', 'for', 'while', 'do', 'then'],
  ...['fi', 'done', 'await', 'async', 'import', 'export', 'from', 'class', 'type', 'new', 'true'],
  ...['false', 'null', 'undefined', 'def', 'print', 'select', 'where', 'break', 'continue'],
  ...['try', 'catch', 'throw'],
]

const token = new RegExp(
  [
    /(?<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/.source,
    /(?<c>\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?:^|(?<=\s))#[^\n]*)/.source,
    /(?<n>\b\d[\d_.]*\b)/.source,
    `(?<k>\\b(?:${keywords.join('|')})\\b)`,
  ].join('|'),
  'gm',
)

/** Letters that are looked at; a longer text stays plain. */
const charsMax = 20_000

/** A text with its words coloured. */
export function Highlighted({ text }: { readonly text: string }) {
  if (text.length > charsMax) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    if (match.index > end) parts.push(text.slice(end, match.index))
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0]
    parts.push(
      <span key={match.index} className={`t-${kind}`}>
        {match[0]}
      </span>,
    )
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return parts
}
