/**
 * A shell command: coloured as bash reads it, with the parts emphasised that a person should look
 * at. Everything is a text node; what an agent wrote never becomes an element.
 * WHY the colours come later: the parser is large, and the first page can do without it.
 */
import { useEffect, useMemo, useState } from 'react'
import type { ShellSpan } from '../../src/core/shell-view/highlight-shell.ts'
import type { PendingApproval } from '../data/live-state.ts'
import { loadChunk } from '../data/load-chunk.ts'

export type ShownRisk = PendingApproval['risks'][number]

type Props = {
  readonly tool: string
  readonly text: string
  readonly risks?: readonly ShownRisk[]
}

const noRisks: readonly ShownRisk[] = []

/** The command. */
export function CommandText({ tool, text, risks = noRisks }: Props) {
  const spans = useShellSpans(tool, text)
  const parts = useMemo(() => partsOf(text, spans, risks), [text, spans, risks])
  return parts.map(({ begin, end, kind, whys }) => {
    const piece = text.slice(begin, end)
    if (kind === null && whys.length === 0) return piece
    const colour = kind === null ? '' : `sh-${kind}`
    if (whys.length === 0) {
      return (
        <span key={begin} className={colour}>
          {piece}
        </span>
      )
    }
    return (
      <mark key={begin} className={`risky ${colour}`} title={whys.join('; ')}>
        {piece}
      </mark>
    )
  })
}

type Part = {
  readonly begin: number
  readonly end: number
  readonly kind: ShellSpan['kind'] | null
  readonly whys: readonly string[]
}

function partsOf(
  text: string,
  spans: readonly ShellSpan[],
  risks: readonly ShownRisk[],
): readonly Part[] {
  const marks = risks.flatMap(({ begin, text: piece, why }) =>
    begin === null ? [] : [{ begin, end: begin + piece.length, why }],
  )
  const borders = [...spans, ...marks].flatMap(({ begin, end }) => [begin, end])
  const cuts = [...new Set([0, text.length, ...borders])].sort((a, b) => a - b)
  return cuts.slice(0, -1).map((begin, index) => {
    const end = cuts[index + 1] ?? text.length
    const holds = (one: { readonly begin: number; readonly end: number }): boolean =>
      one.begin <= begin && end <= one.end
    const kind = spans.find(holds)?.kind ?? null
    return { begin, end, kind, whys: marks.filter(holds).map(({ why }) => why) }
  })
}

const none: readonly ShellSpan[] = []

function useShellSpans(tool: string, text: string): readonly ShellSpan[] {
  const [found, setFound] = useState({ text: '', spans: none })
  useEffect(() => {
    let isCurrent = true
    loadChunk(() => import('./shell-colours.ts'))
      .then(({ colourCommand }) => {
        if (isCurrent) setFound({ text, spans: colourCommand(tool, text) })
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [tool, text])
  return found.text === text ? found.spans : none
}
