/** Home: pending approvals first, then open runs, then what went wrong today. */
import { useState } from 'react'
import {
  type Live,
  type LiveRunHead,
  live,
  type PendingApproval,
  riskOf,
} from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { decideApprovals } from '../data/send-decision.ts'
import { useValueStore } from '../data/value-store.ts'
import { AgreedBadge } from '../parts/approval-quorum.tsx'
import {
  moveOf,
  moveTargetOf,
  pendingCallOf,
  ruleOf,
  shownNameOf,
  titleOf,
} from '../parts/approval-summary.tsx'
import { Empty, PageHead, Skeleton, StatusBadge, Time } from '../parts/basics.tsx'
import { CallDetail } from '../parts/call-detail.tsx'
import { countOf } from '../parts/format-values.ts'
import { MessageText } from '../parts/message-text.tsx'
import { showToast } from '../parts/toast.tsx'

/** The page. */
export function HomePage() {
  const state = useValueStore(live)
  const running = state.heads.filter((head) => isOpen(head))
  const wrong = state.heads.filter((head) => isWrong(head))
  return (
    <>
      <PageHead title={titleFor(state)} about={aboutFor(running.length)} />
      <div className="home">
        <Waiting state={state} />
        <div className="stack wide">
          <Heads title="Open runs" heads={running} isKnown={state.me !== null}>
            No run is open. Start one with <code>pawl start</code>, or let an agent load a workflow.
          </Heads>
          <Heads title="Went wrong today" heads={wrong} isKnown={state.me !== null}>
            Nothing failed, was blocked or cancelled today.
          </Heads>
        </div>
      </div>
    </>
  )
}

function titleFor({ approvals }: Live): string {
  if (approvals === null) return 'Pending approvals'
  if (approvals.length === 0) return 'No pending approvals'
  return approvals.length === 1 ? '1 pending approval' : `${approvals.length} pending approvals`
}

function aboutFor(count: number): string {
  if (count === 0) return 'No run is open.'
  return count === 1 ? '1 run is open.' : `${count} runs are open.`
}

function isOpen({ endedAt }: LiveRunHead): boolean {
  return endedAt === null
}

function isWrong({ status, endedAt }: LiveRunHead): boolean {
  const today = new Date().setHours(0, 0, 0, 0)
  const isBad = status === 'failed' || status === 'blocked' || status === 'cancelled'
  return isBad && (endedAt ?? Date.now()) >= today
}

function Waiting({ state }: { readonly state: Live }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { approvals } = state
  const mayDecide = state.me !== null && state.me.access !== 'viewer'
  if (approvals === null) {
    return (
      <section className="card pad">
        <Skeleton lines={5} />
      </section>
    )
  }
  const picked = approvals.filter((one) => chosen.has(one.id))
  const toggle = (id: string): void => {
    setChosen((was) => new Set(was.has(id) ? [...was].filter((one) => one !== id) : [...was, id]))
  }
  return (
    <section className="card" aria-label="Approvals">
      {picked.length > 0 ? <Bulk picked={picked} onDone={() => setChosen(new Set())} /> : null}
      {approvals.length === 0 ? (
        <Empty icon="shield" title="All clear">
          Approvals appear here when an agent needs one.
        </Empty>
      ) : (
        approvals.map((approval) => (
          <AskCard
            key={approval.id}
            approval={approval}
            head={state.heads.find((head) => head.id === approval.runId) ?? null}
            choice={mayDecide ? chosen.has(approval.id) : null}
            onToggle={() => toggle(approval.id)}
          />
        ))
      )}
    </section>
  )
}

type CardProps = {
  readonly approval: PendingApproval
  readonly head: LiveRunHead | null
  /** Null: there is nothing to choose. */
  readonly choice: boolean | null
  readonly onToggle: () => void
}

function AskCard({ approval, head, choice, onToggle }: CardProps) {
  const call = pendingCallOf(approval)
  const move = moveOf(approval)
  const title = titleOf(approval, head?.workspace ?? null)
  return (
    <article className={`ask-card appear ${choice === true ? 'chosen' : ''}`}>
      <div className="row small soft">
        {choice === null ? null : (
          <input
            type="checkbox"
            checked={choice}
            onChange={onToggle}
            aria-label={`Select: ${title}`}
          />
        )}
        <span className={`badge ${riskOf(approval) === 3 ? 'bad' : 'warn'}`}>
          {call === null ? 'move' : shownNameOf(call.tool)}
        </span>
        <span className="grow cut">
          {head === null ? approval.runId : `${head.definition} · ${head.stage}`}
        </span>
        <AgreedBadge approval={approval} />
        <Time at={approval.requestedAt} />
      </div>
      <a className="what" href={linkTo('approvals', approval.id)}>
        {title}
      </a>
      {call === null ? null : (
        <div className="preview" aria-hidden="true">
          <CallDetail tool={call.tool} input={call.input} size="short" />
        </div>
      )}
      <div className="row">
        <span className="grow soft small cut">
          {move === null ? (
            <MessageText text={ruleOf(approval)} />
          ) : (
            `${move.signal} → ${moveTargetOf(move)}`
          )}
        </span>
        <a className="button" href={linkTo('approvals', approval.id)}>
          Review
        </a>
      </div>
    </article>
  )
}

function Bulk(props: { readonly picked: readonly PendingApproval[]; readonly onDone: () => void }) {
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const act = async (granted: boolean): Promise<void> => {
    setBusy(true)
    const { count, problems } = await decideApprovals(props.picked, { granted, note })
    const done = `${count} ${granted ? 'approved' : 'refused'}`
    showToast(problems.length === 0 ? done : `${done}; failed: ${problems.join('; ')}`)
    setBusy(false)
    props.onDone()
  }
  return (
    <div className="bulk">
      <strong>{props.picked.length} selected</strong>
      <input
        className="input"
        value={note}
        onChange={(event) => setNote(event.target.value)}
        placeholder="a note for all"
        aria-label="Note for all"
      />
      <button className="button danger" type="button" disabled={isBusy} onClick={() => act(false)}>
        Refuse all
      </button>
      <button className="button main-act" type="button" disabled={isBusy} onClick={() => act(true)}>
        Approve all
      </button>
      <span className="tiny soft">This cannot be undone.</span>
    </div>
  )
}

const headsShown = 12

function Heads(props: {
  readonly title: string
  readonly heads: readonly LiveRunHead[]
  readonly isKnown: boolean
  readonly children: React.ReactNode
}) {
  const { heads } = props
  return (
    <section className="card" aria-label={props.title}>
      <header>
        <h2 className="grow">{props.title}</h2>
        <span className="soft small">{heads.length === 0 ? '' : heads.length}</span>
      </header>
      {!props.isKnown ? (
        <div className="body">
          <Skeleton />
        </div>
      ) : heads.length === 0 ? (
        <p className="body soft">{props.children}</p>
      ) : (
        <ul className="list">
          {heads.slice(0, headsShown).map((head) => (
            <li key={head.id}>
              <a className="line" href={linkTo('runs', head.id)}>
                <span className="grow">
                  <span className="row">
                    <strong className="cut">{head.definition}</strong>
                    <StatusBadge status={head.status} />
                  </span>
                  <span className="small soft cut" style={{ display: 'block' }}>
                    {head.stage} · {countOf(head.callsCount, 'call')}
                  </span>
                </span>
                <span className="small soft">
                  <Time at={head.updatedAt} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
