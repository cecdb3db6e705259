/** All of one event: its summary, then every recorded field. */
import { denialIn } from '../../src/core/engine/count-denials.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { LogRecord } from '../data/run-log.ts'
import { CallDetail } from './call-detail.tsx'
import { eventIn, eventTextFor } from './event-text.ts'
import { exactText } from './format-values.ts'
import { Icon } from './icons.tsx'
import { MessageText } from './message-text.tsx'

/** The card. */
export function EventDetail(props: { readonly record: LogRecord; readonly onClose: () => void }) {
  const { record } = props
  const { title, about, tone } = eventTextFor(record)
  const call = callIn(record)
  return (
    <section className="card" aria-label="Event">
      <header>
        <span className={`badge ${tone}`}>{record.type}</span>
        <h2 className="grow cut">
          {record.seq}. {title}
        </h2>
        <button type="button" className="button plain" onClick={props.onClose} aria-label="Close">
          <Icon name="cross" />
        </button>
      </header>
      <div className="body stack">
        {call === null ? null : <CallDetail tool={call.tool} input={call.input} />}
        <Refusal record={record} />
        {about === '' || call !== null ? null : <p className="wrap">{about}</p>}
        <p className="small soft">
          {exactText(record.at)} · by {record.actor}
        </p>
        <details>
          <summary className="small soft">Recorded fields</summary>
          <pre className="code">{JSON.stringify(record, null, 2)}</pre>
        </details>
      </div>
    </section>
  )
}

/** Why a call was denied, or would have been, and by which rule. */
function Refusal({ record }: { readonly record: LogRecord }) {
  const denial = denialIn(eventIn(record))
  if (denial === null) return null
  const { isObserved, verdict, code, reason, rule } = denial
  const asked = verdict === 'ask' ? 'Would need approval' : 'Would be denied'
  return (
    <dl className="facts note-box">
      <dt>{isObserved ? asked : 'Denied'}</dt>
      <dd className="wrap">
        <MessageText text={reason} />{' '}
        {code === null ? null : <span className="badge bad">{code}</span>}
      </dd>
      <dt>Rule</dt>
      <dd className="mono wrap">{rule ?? 'built into Pawl'}</dd>
    </dl>
  )
}

function callIn(record: LogRecord): { readonly tool: string; readonly input: JsonObject } | null {
  const event = eventIn(record)
  switch (event.type) {
    case 'call.allowed':
    case 'call.denied':
    case 'call.asked':
      return event
    default:
      return null
  }
}
