/** What a run that observes would have denied or asked about: by which rule, and how often. */
import { memo, useMemo } from 'react'
import {
  type CountedDenial,
  denialIn,
  openDenialCounter,
} from '../../src/core/engine/count-denials.ts'
import type { LogRecord } from '../data/run-log.ts'
import { eventIn } from './event-text.ts'
import { countOf } from './format-values.ts'
import { MessageText } from './message-text.tsx'

type Props = { readonly records: readonly LogRecord[] }

/** The card. */
export const DenialSummary = memo(({ records }: Props) => {
  const rows = useMemo(() => countedIn(records), [records])
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  return (
    <section className="card" aria-label="Observed denials">
      <header>
        <h2 className="grow">If this run were enforced</h2>
        <span className="soft small">{countOf(count, 'call')}</span>
      </header>
      <div className="body stack">
        {rows.length === 0 ? (
          <p className="soft">No call would have been denied so far.</p>
        ) : (
          rows.map((row) => <DenialRow key={JSON.stringify(row)} row={row} />)
        )}
      </div>
    </section>
  )
})

function DenialRow({ row }: { readonly row: CountedDenial }) {
  const { verdict, isObserved, tool, code, rule, reason, count } = row
  const asked = verdict === 'ask' ? 'would need approval' : 'would be denied'
  return (
    <div className="note-box">
      <p className="row flow">
        <strong>{count} ×</strong> <span className="mono">{tool}</span>{' '}
        <span className={`badge ${verdict === 'ask' ? 'warn' : 'bad'}`}>
          {isObserved ? asked : 'denied'}
          {code === null ? '' : ` · ${code}`}
        </span>
      </p>
      <p className="small wrap">
        <MessageText text={reason} />
      </p>
      <p className="mono soft tiny wrap">{rule ?? 'built into Pawl'}</p>
    </div>
  )
}

function countedIn(records: readonly LogRecord[]): readonly CountedDenial[] {
  const counter = openDenialCounter()
  for (const record of records) {
    const denial = denialIn(eventIn(record))
    if (denial !== null) counter.add(denial)
  }
  return counter.rows()
}
