/** The findings of a definition, errors first. */
import type { Range } from '../../src/core/source/source.ts'
import { countOf } from '../parts/format-values.ts'
import { MessageText } from '../parts/message-text.tsx'
import type { PlacedFinding } from './compile-text.ts'

type Props = {
  readonly findings: readonly PlacedFinding[]
  readonly onShow: (range: Range) => void
}

/** The list; each leads to its place in the text. */
export function FindingList({ findings, onShow }: Props) {
  const errors = findings.filter((one) => one.severity === 'error')
  const others = findings.filter((one) => one.severity !== 'error')
  return (
    <section className="card" aria-label="Findings" aria-live="polite">
      <header>
        <h2 className="grow">Findings</h2>
        {errors.length > 0 ? (
          <span className="badge bad">{countOf(errors.length, 'error')}</span>
        ) : null}
        {others.length > 0 ? (
          <span className="badge warn">{countOf(others.length, 'warning')}</span>
        ) : null}
        {findings.length === 0 ? <span className="badge good">no findings</span> : null}
      </header>
      <ul className="list findings">
        {[...errors, ...others].map((one) => (
          <li key={`${one.code} ${one.pointer} ${one.message}`}>
            <button type="button" className="line" onClick={() => onShow(one.range)}>
              <span className={`badge ${one.severity === 'error' ? 'bad' : 'warn'}`}>
                line {one.line}
              </span>
              <span className="grow wrap">
                <MessageText text={one.message} />
                {one.hint === '' ? null : (
                  <span className="small soft finding-hint">
                    <MessageText text={one.hint} />
                  </span>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
