/**
 * The coloured pieces of each line of a diff. Every piece is text; what an agent wrote never
 * becomes an element.
 */
import { useEffect, useState } from 'react'
import { loadChunk } from '../data/load-chunk.ts'

/** A part of a text, and the class that colours it. */
export type CodeSpan = { readonly begin: number; readonly end: number; readonly name: string }

/** Null: it has no colour. */
export type CodePiece = {
  readonly begin: number
  readonly text: string
  readonly name: string | null
}

type DiffLine = { readonly kind: 'add' | 'del' | 'same'; readonly text: string }
type Colour = (text: string, extension: string) => readonly CodeSpan[]
type Pieces = readonly (readonly CodePiece[])[]

/** For each line its pieces; null: they are not known, or the language is not. */
export function useDiffPieces(lines: readonly DiffLine[], name: string): Pieces | null {
  const [found, setFound] = useState<{ of: readonly DiffLine[]; pieces: Pieces } | null>(null)
  const extension = extensionOf(name)
  useEffect(() => {
    if (extension === null) return
    let isCurrent = true
    loadChunk(() => import('./code-languages.ts'))
      .then(({ colourCode }) => {
        if (isCurrent) setFound({ of: lines, pieces: colourDiff(lines, extension, colourCode) })
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [lines, extension])
  return found?.of === lines ? found.pieces : null
}

function extensionOf(name: string): string | null {
  return /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? null
}

/** WHY two texts: what was removed and what replaced it do not make one program together. */
export function colourDiff(lines: readonly DiffLine[], extension: string, colour: Colour): Pieces {
  const pieces: (readonly CodePiece[])[] = lines.map(() => [])
  for (const gone of ['add', 'del'] as const) {
    const kept = lines.flatMap(({ kind }, index) => (kind === gone ? [] : [index]))
    const texts = kept.map((index) => lines[index]?.text ?? '')
    const coloured = piecesOf(texts, colour(texts.join('\n'), extension))
    for (const [place, index] of kept.entries()) pieces[index] = coloured[place] ?? []
  }
  return pieces
}

/** Lines of a text, each cut where its colour changes. */
function piecesOf(lines: readonly string[], spans: readonly CodeSpan[]): Pieces {
  let next = 0
  let start = 0
  return lines.map((text) => {
    const end = start + text.length
    const pieces: CodePiece[] = []
    let at = start
    const push = (to: number, name: string | null): void => {
      if (to > at)
        pieces.push({ begin: at - start, text: text.slice(at - start, to - start), name })
      at = Math.max(at, to)
    }
    for (; next < spans.length; next += 1) {
      const span = spans[next] as CodeSpan
      if (span.begin >= end) break
      push(Math.max(span.begin, at), null)
      push(Math.min(span.end, end), span.name)
      // It goes on in the next line.
      if (span.end > end) break
    }
    push(end, null)
    start = end + 1
    return pieces
  })
}
