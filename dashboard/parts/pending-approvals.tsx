/**
 * The list of pending approvals, and deciding several at once. Whatever is selected is shown in
 * full, and only what a person has had on their screen to its end can be approved.
 */
import { useEffect, useRef, useState } from 'react'
import type { JsonObject } from '../../src/core/json.ts'
import type { Live, LiveRunHead, PendingApproval } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { decideApprovals } from '../data/send-decision.ts'
import { isForPage } from '../data/use-global-keys.ts'
import { AgreedBadge } from './approval-quorum.tsx'
import {
  moveOf,
  moveTargetOf,
  pendingCallOf,
  questionOf,
  ruleOf,
  titleOf,
} from './approval-summary.tsx'
import { Empty, Skeleton, Time } from './basics.tsx'
import { CallDetail, Values } from './call-detail.tsx'
import { shownNameOf } from './event-text.ts'
import { MessageText } from './message-text.tsx'
import { RiskBadges } from './risk-list.tsx'
import { showToast } from './toast.tsx'

/** The card. */
export function PendingApprovals({ state }: { readonly state: Live }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  /** What was on the screen to its end, by the hash of what was shown. */
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  useListKeys()
  const { approvals } = state
  const mayDecide = state.me !== null && state.me.access !== 'viewer'
  if (approvals === null) {
    return (
      <section className="card pad">
        <Skeleton lines={5} />
      </section>
    )
  }
  const headOf = ({ runId }: PendingApproval): LiveRunHead | null =>
    state.heads.find((head) => head.id === runId) ?? null
  const isSelectable = (one: PendingApproval): boolean =>
    mayDecide && isShownWhole(one, headOf(one))
  const picked = approvals.filter((one) => chosen.has(one.id) && isSelectable(one))
  const unseen = picked.filter((one) => !seen.has(seenKey(one)))
  const toggle = (id: string): void => {
    setChosen((was) => new Set(was.has(id) ? [...was].filter((one) => one !== id) : [...was, id]))
  }
  return (
    <section className="card" aria-label="Approvals">
      {picked.length > 0 ? (
        <Bulk picked={picked} unseen={unseen} onDone={() => setChosen(new Set())} />
      ) : null}
      {approvals.length === 0 ? (
        <Empty icon="shield" title="All clear">
          Approvals appear here when an agent needs one.
        </Empty>
      ) : (
        approvals.map((approval) => (
          <AskCard
            key={approval.id}
            approval={approval}
            head={headOf(approval)}
            choice={isSelectable(approval) ? chosen.has(approval.id) : null}
            onToggle={() => toggle(approval.id)}
            onSeen={() => setSeen((was) => new Set([...was, seenKey(approval)]))}
          />
        ))
      )}
    </section>
  )
}

/** J and K move the focus from one approval to the next; Enter then opens it. */
function useListKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key.toLowerCase()]
      if (step === undefined || !isForPage(event)) return
      const cards = [...document.querySelectorAll('.ask-card')]
      const at = cards.findIndex((card) => card.contains(document.activeElement))
      cards[Math.max(0, at + step)]?.querySelector<HTMLElement>('.what')?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/**
 * Whether the card can show all that the decision is about. A move is also about the files that
 * its run changed, and those are shown only by the page of the approval. A run that is not at hand
 * counts as one that may have changed some.
 */
function isShownWhole(approval: PendingApproval, head: LiveRunHead | null): boolean {
  if (approval.risks.length > 0) return false
  return approval.kind === 'call' || head?.workspace === null
}

function seenKey({ id, hash }: PendingApproval): string {
  return `${id} ${hash}`
}

type CardProps = {
  readonly approval: PendingApproval
  readonly head: LiveRunHead | null
  /** Null: it cannot be selected, and is decided on a page of its own. */
  readonly choice: boolean | null
  readonly onToggle: () => void
  /** All of it was on the screen, down to its end. */
  readonly onSeen: () => void
}

function AskCard({ approval, head, choice, onToggle, onSeen }: CardProps) {
  const call = pendingCallOf(approval)
  const text = titleOf(approval, head?.workspace ?? null)
  const question = call === null ? questionOf(approval) : text
  return (
    <article className={`ask-card appear ${choice === true ? 'chosen' : ''}`}>
      <div className="ask-head small soft">
        {choice === null ? null : (
          <input
            type="checkbox"
            checked={choice}
            onChange={onToggle}
            aria-label={`Select: ${text}`}
          />
        )}
        <span className="badge">{call === null ? 'move' : shownNameOf(call.tool)}</span>
        <RiskBadges risks={approval.risks} />
        <span className="ask-where">
          <span className="grow cut">
            {head === null ? approval.runId : `${head.definition} · ${head.stage}`}
          </span>
          <AgreedBadge approval={approval} />
          <Time at={approval.requestedAt} size="short" />
        </span>
      </div>
      <a className="what" href={linkTo('approvals', approval.id)}>
        <MessageText text={approval.runTitle ?? question} />
      </a>
      {call !== null || approval.runTitle === null ? null : (
        <p className="wrap">
          <MessageText text={question} />
        </p>
      )}
      {choice === true ? (
        <Whole approval={approval} onSeen={onSeen} />
      ) : call === null ? null : (
        <div className={`preview ${isLong(call.input) ? 'long' : ''}`} aria-hidden="true">
          <CallDetail tool={call.tool} input={call.input} size="short" risks={approval.risks} />
        </div>
      )}
      <div className="row">
        <Reason approval={approval} isWhole={choice === true} />
        <a className="button" href={linkTo('approvals', approval.id)}>
          Review
        </a>
      </div>
    </article>
  )
}

const previewChars = 240
const previewLines = 4

/** More than a preview shows: it ends in a fade, so that nobody takes it for all. */
function isLong(input: JsonObject): boolean {
  const text = JSON.stringify(input)
  return text.length > previewChars || text.split('\\n').length > previewLines
}

type ReasonProps = { readonly approval: PendingApproval; readonly isWhole: boolean }

/** Which rule asks, or where the move leads. */
function Reason({ approval, isWhole }: ReasonProps) {
  const move = moveOf(approval)
  return (
    <span className={`grow soft small ${isWhole ? 'wrap' : 'cut'}`}>
      {move === null ? (
        <MessageText text={ruleOf(approval)} />
      ) : (
        `${move.signal} → ${moveTargetOf(move)}`
      )}
    </span>
  )
}

type WholeProps = { readonly approval: PendingApproval; readonly onSeen: () => void }

/** Everything that the decision is about; says when its end has come onto the screen. */
function Whole({ approval, onSeen }: WholeProps) {
  const call = pendingCallOf(approval)
  const end = useRef<HTMLSpanElement>(null)
  const tell = useRef(onSeen)
  tell.current = onSeen
  useEffect(() => {
    if (end.current === null) return
    const eye = new IntersectionObserver((entries) => {
      if (!entries.some((one) => one.isIntersecting)) return
      eye.disconnect()
      tell.current()
    })
    eye.observe(end.current)
    return () => eye.disconnect()
  }, [])
  return (
    <div className="whole">
      {call === null ? (
        <MoveData approval={approval} />
      ) : (
        <CallDetail tool={call.tool} input={call.input} size="whole" />
      )}
      <span ref={end} className="end-mark" />
    </div>
  )
}

/** What a move carries, where it carries anything. */
function MoveData({ approval }: { readonly approval: PendingApproval }) {
  const data = moveOf(approval)?.data ?? {}
  if (Object.keys(data).length === 0) return null
  return <Values value={data} />
}

type BulkProps = {
  readonly picked: readonly PendingApproval[]
  /** Those of them whose end has not been on the screen. */
  readonly unseen: readonly PendingApproval[]
  readonly onDone: () => void
}

function Bulk({ picked, unseen, onDone }: BulkProps) {
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const act = async (granted: boolean): Promise<void> => {
    if (granted && unseen.length > 0) return
    setBusy(true)
    const { count, problems } = await decideApprovals(picked, { granted, note })
    const done = `${count} ${granted ? 'approved' : 'refused'}`
    showToast(problems.length === 0 ? done : `${done}; failed: ${problems.join('; ')}`)
    setBusy(false)
    onDone()
  }
  return (
    <div className="bulk">
      <strong>{picked.length} selected</strong>
      <input
        className="input"
        value={note}
        onChange={(event) => setNote(event.target.value)}
        placeholder="Note for all"
        aria-label="Note for all"
      />
      <button className="button danger" type="button" disabled={isBusy} onClick={() => act(false)}>
        Refuse all
      </button>
      <button
        className="button main-act"
        type="button"
        disabled={isBusy || unseen.length > 0}
        onClick={() => act(true)}
      >
        {unseen.length === 0 ? 'Approve all' : `Approve all: ${unseen.length} not fully shown`}
      </button>
      <span className="tiny soft">
        {unseen.length === 0
          ? 'This cannot be undone.'
          : 'Scroll to the end of each selected approval first.'}
      </span>
    </div>
  )
}
