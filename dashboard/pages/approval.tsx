/**
 * One approval: exactly what is requested, by which rule, with which values, and what happened
 * before; and the decision, by mouse, touch or keyboard.
 */
import { useState } from 'react'
import { asObject, type JsonObject } from '../../src/core/json.ts'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { live, type PendingApproval } from '../data/live-state.ts'
import { linkTo, type PageRoute } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { PeopleBox, peopleOf } from '../parts/approval-quorum.tsx'
import {
  moveOf,
  moveTargetOf,
  pendingCallOf,
  ruleOf,
  shownNameOf,
} from '../parts/approval-summary.tsx'
import { PageHead, ProblemBox, Skeleton, StatusBadge, Time } from '../parts/basics.tsx'
import { CallDetail, ValueText } from '../parts/call-detail.tsx'
import { DecisionForm, type DecisionWish } from '../parts/decision-form.tsx'
import { EventRow } from '../parts/event-row.tsx'
import { MessageText } from '../parts/message-text.tsx'

type RunAnswer = OperationAnswer<'runs.read'>

/** The page. */
export function ApprovalPage({ route }: { readonly route: PageRoute }) {
  const { approvals } = useValueStore(live)
  const waiting = approvals?.find((one) => one.id === route.id) ?? null
  // Asked again when it is no longer among those that wait: somebody has decided.
  const asked = useApiQuery('approvals.read', { id: route.id }, waiting === null)
  const approval = waiting ?? asked.answer
  if (approval === null) {
    return asked.problem === null ? <Skeleton lines={8} /> : <ProblemBox problem={asked.problem} />
  }
  return <Question approval={approval} wish={wishIn(route.rest)} />
}

/** What a terminal asked for: `approve` or `refuse`, a note, and edits as JSON. */
function wishIn([choice, note = '', edits = '{}']: readonly string[]): DecisionWish | null {
  if (choice !== 'approve' && choice !== 'refuse') return null
  return { choice, note, edits: objectIn(edits) }
}

function objectIn(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? {}
  } catch {
    return {}
  }
}

type QuestionProps = { readonly approval: PendingApproval; readonly wish: DecisionWish | null }

function Question({ approval, wish }: QuestionProps) {
  const { answer: reading } = useApiQuery('runs.read', { runId: approval.runId }, approval.status)
  const call = pendingCallOf(approval)
  const move = moveOf(approval)
  const [edits, setEdits] = useState<JsonObject>(wish?.edits ?? {})
  return (
    <>
      <PageHead
        title={
          call === null
            ? 'Approve the next stage?'
            : `An agent wants to use ${shownNameOf(call.tool)}`
        }
        about={
          <>
            {approval.runTitle === null ? null : <strong>{approval.runTitle} · </strong>}
            {reading === null ? '' : `${reading.head.definition} · ${reading.head.stage} · `}
            requested <Time at={approval.requestedAt} />
            {approval.expiresAt === null || approval.status !== 'pending' ? null : (
              <>
                , expires <Time at={approval.expiresAt} />
              </>
            )}
          </>
        }
      >
        <StatusBadge status={approval.status} />
      </PageHead>
      <div className="approval">
        <div className="stack wide">
          <section className="stack" aria-label="Request">
            {move === null ? null : (
              <>
                <p className="question">{approval.message}</p>
                <div className="move">
                  <span className="stage-chip here">{reading?.view.stage ?? '…'}</span>
                  <span className="soft">{move.signal} →</span>
                  <span className="stage-chip">{moveTargetOf(move)}</span>
                </div>
              </>
            )}
            {call === null ? null : (
              <CallDetail
                tool={call.tool}
                input={call.input}
                folder={reading?.head.workspace ?? null}
              />
            )}
          </section>
          {move === null ? (
            <Why approval={approval} />
          ) : (
            <Carried approval={approval} edits={edits} onEdit={setEdits} />
          )}
          <PeopleBox approval={approval} />
          {reading === null ? <Skeleton /> : <Context reading={reading} />}
          <Before approval={approval} seq={reading?.head.seq ?? null} />
        </div>
        <DecisionForm approval={approval} edits={edits} wish={wish} />
      </div>
    </>
  )
}

function Why({ approval }: { readonly approval: PendingApproval }) {
  return (
    <section className="stack">
      <h2>Why this needs approval</h2>
      <p className="note-box wrap">
        <MessageText text={ruleOf(approval)} />
      </p>
    </section>
  )
}

type CarriedProps = {
  readonly approval: PendingApproval
  readonly edits: JsonObject
  readonly onEdit: (edits: JsonObject) => void
}

/** What the signal carries; the author may let the person change some of it. */
function Carried({ approval, edits, onEdit }: CarriedProps) {
  const move = moveOf(approval)
  const data = move?.data ?? {}
  // What several people agree to, none of them may change.
  const isForOne = (peopleOf(approval)?.quorum.needed ?? 1) < 2
  const editable = isForOne ? (move?.editable ?? []) : []
  const names = [...new Set([...Object.keys(data), ...editable])]
  if (names.length === 0) return null
  return (
    <section className="stack">
      <h2>Data from the agent</h2>
      <dl className="facts card pad">
        {names.map((name) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt className="mono">
              {name} <span className="badge warn">claimed</span>
            </dt>
            <dd>
              {editable.includes(name) && approval.status === 'pending' ? (
                <input
                  className="input"
                  aria-label={`Change ${name}`}
                  defaultValue={shownText(edits[name] ?? data[name])}
                  onChange={(event) =>
                    onEdit(edited(edits, { name, text: event.target.value, data }))
                  }
                />
              ) : (
                <ValueText value={data[name]} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {editable.length === 0 ? null : (
        <p className="small soft">You can edit the values in the boxes before you approve.</p>
      )}
    </section>
  )
}

function shownText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

type Typed = { readonly name: string; readonly text: string; readonly data: JsonObject }

/** A value that is as it was is no edit; one that was no text is read as JSON where it is some. */
function edited(edits: JsonObject, { name, text, data }: Typed): JsonObject {
  const { [name]: _, ...others } = edits
  if (text === shownText(data[name])) return others
  if (typeof data[name] === 'string' || data[name] === undefined) return { ...others, [name]: text }
  try {
    return { ...others, [name]: JSON.parse(text) }
  } catch {
    return { ...others, [name]: text }
  }
}

const sourceWords = {
  claimed: 'claimed by the agent',
  observed: 'observed by Pawl',
  given: 'given by the author or a person',
} as const

/** The values of the run, and whose word each of them is. */
function Context({ reading }: { readonly reading: RunAnswer }) {
  const entries = Object.entries(reading.view.vars)
  if (entries.length === 0) return null
  return (
    <section className="stack">
      <h2>Values of the run</h2>
      <div className="card">
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Value</th>
              <th>Source</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(([name, value]) => {
              const source = reading.standing.sources[name] ?? 'given'
              const tone = source === 'claimed' ? 'warn' : source === 'observed' ? 'good' : ''
              return (
                <tr key={name}>
                  <td className="mono">{name}</td>
                  <td>
                    <ValueText value={value} />
                  </td>
                  <td>
                    <span className={`badge ${tone}`} title={sourceWords[source]}>
                      {source}
                    </span>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const beforeCount = 14

/** What the agent did before it asked. */
function Before({
  approval,
  seq,
}: {
  readonly approval: PendingApproval
  readonly seq: number | null
}) {
  const after = Math.max(0, (seq ?? 0) - 60)
  const { answer } = useApiQuery('runs.events', { runId: approval.runId, after, limit: 60 }, seq)
  if (answer === null || seq === null) return <Skeleton lines={4} />
  const records = answer.items
    .filter((one) => one.at <= approval.requestedAt && one.type !== 'money.spent')
    .slice(-beforeCount)
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">What happened before</h2>
        <a className="link small" href={linkTo('runs', approval.runId)}>
          Open the run
        </a>
      </div>
      <ol className="card list">
        {records.toReversed().map((record) => (
          <li key={record.seq} className="event still">
            <EventRow record={record} />
          </li>
        ))}
      </ol>
    </section>
  )
}
