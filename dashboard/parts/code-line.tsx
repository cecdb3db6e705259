/** One line of source text, in its colours. */
import type { CodePiece } from './code-spans.ts'

type Props = {
  readonly text: string
  /** Absent: it has no colours, or not yet. */
  readonly pieces: readonly CodePiece[] | undefined
}

/** The line; everything in it is a text node. */
export function CodeLine({ text, pieces }: Props) {
  if (pieces === undefined) return <span>{text}</span>
  return (
    <span>
      {pieces.map(({ begin, text: piece, name }) =>
        name === null ? (
          piece
        ) : (
          <span key={begin} className={name}>
            {piece}
          </span>
        ),
      )}
    </span>
  )
}
