/** All of one event: its summary, then every recorded field. */
import { denialIn } from '../../src/core/engine/count-denials.ts'
import { ranProgramsText } from '../../src/core/engine/ran-programs.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { linkTo } from '../data/route.ts'
import type { LogRecord } from '../data/run-log.ts'
import type { TraceRow } from '../data/trace-rows.ts'
import { CallDetail } from './call-detail.tsx'
import { eventIn, eventTextFor } from './event-text.ts'
import { exactText, tookText } from './format-values.ts'
import { Icon } from './icons.tsx'
import { MessageText } from './message-text.tsx'
import { stripAnsi } from './strip-ansi.ts'

type Props = {
  readonly record: LogRecord
  /** What it is a part of; null: only itself. */
  readonly row: TraceRow | null
  /** The name of the definition, where its rules are. */
  readonly definition: string
  readonly onClose: () => void
}

/** The card. */
export function EventDetail(props: Props) {
  const { record, row, definition } = props
  const { title, about, tone, why } = eventTextFor(record)
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
        <Refusal record={record} definition={definition} />
        <Ending row={row} />
        <CallOutput end={row?.end ?? record} />
        {about === '' || call !== null ? null : (
          <p className="wrap">
            <MessageText text={about} />
          </p>
        )}
        {why === undefined || call !== null ? null : (
          <p className="wrap">
            <MessageText text={why.reason} /> <span className="badge bad">{why.rule}</span>
          </p>
        )}
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
function Refusal({ record, definition }: Pick<Props, 'record' | 'definition'>) {
  const denial = denialIn(eventIn(record))
  if (denial === null) return null
  const { isObserved, verdict, code, reason, rule } = denial
  const asked = verdict === 'ask' ? 'Would need approval' : 'Would be denied'
  return (
    <dl className="facts told note-box">
      <dt>{isObserved ? asked : 'Sent to the agent'}</dt>
      <dd className="wrap">
        <MessageText text={reason} />{' '}
        {code === null ? null : <span className="badge bad">{code}</span>}
      </dd>
      <dt>Rule</dt>
      <dd className="mono wrap">
        {rule === null ? (
          'built into Pawl'
        ) : rule.startsWith('/') ? (
          <a className="link" href={linkTo('definitions', definition, 'at', rule)}>
            {rule}
          </a>
        ) : (
          rule
        )}
      </dd>
    </dl>
  )
}

/** How a call or a wait ended, and how long it took. */
function Ending({ row }: Pick<Props, 'row'>) {
  if (row === null || row.end === null) return null
  const { record, end } = row
  const { title, about } = eventTextFor(end)
  return (
    <dl className="facts">
      <dt>Took</dt>
      <dd>{tookText(end.at - record.at)}</dd>
      <dt>Ended</dt>
      <dd className="wrap">
        {title}
        {about === '' ? '' : `, ${about}`}
      </dd>
      <Programs event={eventIn(end)} />
    </dl>
  )
}

/** What started in the box of its session meanwhile. */
function Programs({ event }: { readonly event: ReturnType<typeof eventIn> }) {
  if (event.type !== 'call.reported' || event.ran === undefined) return null
  return (
    <>
      <dt>Programs</dt>
      <dd className="mono wrap">{ranProgramsText(event.ran)}</dd>
    </>
  )
}

/** The end of what a call printed, where the definition has it kept. */
function CallOutput({ end }: { readonly end: LogRecord }) {
  const event = eventIn(end)
  if (event.type !== 'call.reported' || event.output === undefined) return null
  const { text, isCut } = event.output
  const title = isCut ? 'End of the output' : 'Output'
  return (
    <div>
      <h3 className="small soft">{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard */}
      <section className="code output-tail" aria-label={title} tabIndex={0} ref={showEnd}>
        {stripAnsi(text)}
      </section>
    </div>
  )
}

/** WHY the end: there it says how it went. */
function showEnd(box: HTMLElement | null): void {
  if (box !== null) box.scrollTop = box.scrollHeight
}

function callIn(record: LogRecord): { readonly tool: string; readonly input: JsonObject } | null {
  const event = eventIn(record)
  switch (event.type) {
    case 'call.allowed':
    case 'call.denied':
    case 'call.asked':
    case 'call.waiting':
      return event
    default:
      return null
  }
}
