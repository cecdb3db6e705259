/**
 * One approval: exactly what is requested, by which rule, with which values, and what happened
 * before; and the decision, by mouse, touch or keyboard.
 */
import { useState } from 'react'
import { asObject, type JsonObject } from '../../src/core/json.ts'
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { live, type PendingApproval } from '../data/live-state.ts'
import { linkTo, type PageRoute } from '../data/route.ts'
import { openTraceRows } from '../data/trace-rows.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { PeopleBox, peopleOf } from '../parts/approval-quorum.tsx'
import { moveOf, pendingCallOf, questionOf } from '../parts/approval-summary.tsx'
import { PageHead, ProblemBox, Skeleton, StatusBadge, Time } from '../parts/basics.tsx'
import { CallDetail, ValueText } from '../parts/call-detail.tsx'
import {
  ChangedFiles,
  ChangesLink,
  type ChangesQuery,
  useChanges,
} from '../parts/changed-files.tsx'
import { DecisionForm, type DecisionWish } from '../parts/decision-form.tsx'
import { MessageText } from '../parts/message-text.tsx'
import { NextSteps } from '../parts/next-steps.tsx'
import { RiskBadges, RiskList } from '../parts/risk-list.tsx'
import { TraceLine } from '../parts/trace-line.tsx'

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
  const changes = useChanges(approval.runId, approval.status)
  const call = pendingCallOf(approval)
  const [edits, setEdits] = useState<JsonObject>(wish?.edits ?? {})
  return (
    <>
      <PageHead
        title={<MessageText text={questionOf(approval)} />}
        about={<About approval={approval} head={reading?.head ?? null} changes={changes} />}
      >
        <RiskBadges risks={approval.risks} />
        <StatusBadge status={approval.status} />
      </PageHead>
      <div className="approval">
        <div className="stack wide">
          {call === null ? null : (
            <section className="stack" aria-label="Request">
              <RiskList risks={approval.risks} />
              <CallDetail
                tool={call.tool}
                input={call.input}
                folder={reading?.head.workspace ?? null}
                risks={approval.risks}
              />
            </section>
          )}
          <div className="claims">
            <Carried
              approval={approval}
              claims={evidenceOf(reading, 'claimed')}
              edits={edits}
              onEdit={setEdits}
            />
            {reading === null ? null : (
              <Seen seen={evidenceOf(reading, 'seen')} isMove={call === null} />
            )}
          </div>
          {approval.status === 'pending' ? (
            <NextSteps
              approval={approval}
              stage={reading?.view.stage ?? null}
              definition={reading?.head.definition ?? null}
            />
          ) : null}
          <PeopleBox approval={approval} />
          <ChangedFiles
            runId={approval.runId}
            changes={changes}
            isFolded={approval.kind === 'call'}
          />
          {reading === null ? <Skeleton /> : <Context reading={reading} />}
          <Before approval={approval} head={reading?.head ?? null} />
        </div>
        <DecisionForm approval={approval} edits={edits} wish={wish} />
      </div>
    </>
  )
}

type AboutProps = {
  readonly approval: PendingApproval
  readonly head: RunAnswer['head'] | null
  readonly changes: ChangesQuery
}

/** Which run asks, and since when. */
function About({ approval, head, changes }: AboutProps) {
  return (
    <>
      {approval.runTitle === null ? null : (
        <strong>
          <MessageText text={approval.runTitle} /> ·{' '}
        </strong>
      )}
      {head === null ? '' : `${head.definition} · ${head.stage} · `}
      requested <Time at={approval.requestedAt} />
      {approval.expiresAt === null || approval.status !== 'pending' ? null : (
        <>
          , expires <Time at={approval.expiresAt} />
        </>
      )}
      <ChangesLink changes={changes} />
    </>
  )
}

type Evidence = RunAnswer['evidence'][number]

/** WHY apart: what the agent says of a command is nothing that Pawl saw. */
function evidenceOf(reading: RunAnswer | null, who: 'claimed' | 'seen'): readonly Evidence[] {
  return reading?.evidence.filter((one) => (one.grade === 'claimed') === (who === 'claimed')) ?? []
}

type CarriedProps = {
  readonly approval: PendingApproval
  readonly claims: readonly Evidence[]
  readonly edits: JsonObject
  readonly onEdit: (edits: JsonObject) => void
}

/** What the signal carries, and commands that only the agent saw; some values may be changed. */
function Carried({ approval, claims, edits, onEdit }: CarriedProps) {
  const move = moveOf(approval)
  const data = move?.data ?? {}
  // What several people agree to, none of them may change.
  const isForOne = (peopleOf(approval)?.quorum.needed ?? 1) < 2
  const editable = isForOne ? (move?.editable ?? []) : []
  const names = [...new Set([...Object.keys(data), ...editable])]
  if (names.length === 0 && claims.length === 0) return null
  return (
    <section className="stack" aria-label="What the agent says">
      <h2>What the agent says</h2>
      <EvidenceList items={claims} />
      {names.length === 0 ? null : (
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
      )}
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

type SeenProps = { readonly seen: readonly Evidence[]; readonly isMove: boolean }

/** What Pawl saw, next to what the agent says. */
function Seen({ seen, isMove }: SeenProps) {
  if (seen.length === 0) return isMove ? <NothingSeen /> : null
  return (
    <section className="stack" aria-label="What Pawl saw">
      <h2>What Pawl saw</h2>
      <EvidenceList items={seen} />
    </section>
  )
}

/** Commands, each with how it ended, its age, and whether files have changed since. */
function EvidenceList({ items }: { readonly items: readonly Evidence[] }) {
  if (items.length === 0) return null
  return (
    <ul className="card pad stack">
      {items.map(({ grade, isFresh, folder, command, text }) => {
        const word = grade === 'claimed' ? 'claimed' : isFresh === false ? 'stale' : 'seen'
        return (
          <li key={`${grade} ${folder} ${command}`}>
            <span className={`badge ${word === 'seen' ? 'good' : 'warn'}`}>{word}</span>{' '}
            <MessageText text={text} />
          </li>
        )
      })}
    </ul>
  )
}

/** WHY said: a claim with nothing beside it looks like one that was checked. */
function NothingSeen() {
  return (
    <section className="stack" aria-label="What Pawl saw">
      <h2>What Pawl saw</h2>
      <p className="card pad soft">No evidence. Pawl has checked none of this.</p>
    </section>
  )
}

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

const recordsRead = 60
const rowsShown = 10

type BeforeProps = { readonly approval: PendingApproval; readonly head: RunAnswer['head'] | null }

/** What the agent did before it asked, as in the trace of the run; the latest first. */
function Before({ approval, head }: BeforeProps) {
  const after = Math.max(0, (head?.seq ?? 0) - recordsRead)
  const input = { runId: approval.runId, after, limit: recordsRead }
  const { answer } = useApiQuery('runs.events', input, head?.seq)
  if (answer === null || head === null) return <Skeleton lines={4} />
  const { visits } = openTraceRows()(answer.items)
  const rows = visits
    .flatMap((visit) => visit.rows)
    .filter(({ record }) => record.at <= approval.requestedAt && !unshown.has(record.type))
    .filter(({ record, end }) => end !== null || !asking.has(record.type))
    .toSorted((a, b) => b.record.seq - a.record.seq)
    .slice(0, rowsShown)
  if (rows.length === 0) return null
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">What happened before</h2>
        <a className="link small" href={linkTo('runs', approval.runId)}>
          Open the run
        </a>
      </div>
      <ol className="card list">
        {rows.map((row) => (
          <li key={row.record.seq} className="event trace-row still">
            <TraceLine row={row} folder={head.workspace} />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Sums, and what the page shows further up. */
const unshown: ReadonlySet<string> = new Set(['money.spent', 'vars.written'])
/** What is still waited for is the question itself. */
const asking: ReadonlySet<string> = new Set(['approval.requested', 'call.asked'])
