/**
 * The decision on one approval. By keyboard: A or R selects and Enter confirms, so that no single
 * key decides anything.
 */
import { useEffect, useRef, useState } from 'react'
import type { JsonObject } from '../../src/core/json.ts'
import { live, type PendingApproval } from '../data/live-state.ts'
import { ownKeys } from '../data/passkeys.ts'
import { goTo, linkTo } from '../data/route.ts'
import { decideApproval, needsSignature } from '../data/send-decision.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { isForPage } from '../data/use-global-keys.ts'
import { useValueStore } from '../data/value-store.ts'
import { type PeopleNeeded, peopleOf, reasonNotToCount } from './approval-quorum.tsx'
import { titleOf } from './approval-summary.tsx'
import { Time } from './basics.tsx'
import { countOf } from './format-values.ts'
import { Icon } from './icons.tsx'
import { MessageText } from './message-text.tsx'
import { showToast } from './toast.tsx'

/** What the person began in a terminal. */
export type DecisionWish = {
  readonly choice: 'approve' | 'refuse'
  readonly note: string
  readonly edits: JsonObject
}

type Props = {
  readonly approval: PendingApproval
  readonly edits: JsonObject
  /** Null: they begin here. */
  readonly wish: DecisionWish | null
}

/** The box; for a question that was decided it says how. */
export function DecisionForm({ approval, edits, wish }: Props) {
  const { me } = useValueStore(live)
  if (approval.status !== 'pending') return <Decided approval={approval} />
  if (me !== null && me.access === 'viewer') {
    return (
      <aside className="card pad decide">
        <p className="soft">You can only view. To decide, sign in as an approver.</p>
      </aside>
    )
  }
  return <Deciding approval={approval} edits={edits} wish={wish} />
}

function Deciding({ approval, edits, wish }: Props) {
  const people = peopleOf(approval)
  const deaf = reasonNotToCount(people, useValueStore(live).me)
  const [note, setNote] = useState(wish?.note ?? '')
  const [busy, setBusy] = useState<'grant' | 'refuse' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const isArmed = useArmed()
  const approve = useRef<HTMLButtonElement>(null)
  const reason = useRef<HTMLTextAreaElement>(null)
  useKeys(approval, { a: () => approve.current?.focus(), r: () => reason.current?.focus() })
  const act = async (granted: boolean): Promise<void> => {
    setBusy(granted ? 'grant' : 'refuse')
    setProblem(null)
    const changes = granted && Object.keys(edits).length > 0 ? { edits } : {}
    const failure = await decideApproval(approval, { granted, note, ...changes })
    if (failure === null) showToast(granted ? grantedText(people) : refusedText)
    // WHY not a toast: it says what to do, and nothing was decided until that is done.
    setProblem(failure)
    setBusy(null)
  }
  return (
    <aside className="card pad decide stack" aria-label="Your decision">
      <label className="field">
        <span>Reason or note (the agent reads it)</span>
        <textarea
          ref={reason}
          className="input"
          placeholder="Reason or note (the agent reads it)"
          value={note}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void act(false)
          }}
        />
      </label>
      <div className="buttons">
        <button
          ref={approve}
          className="button main-act big"
          type="button"
          disabled={busy !== null || deaf !== null || !isArmed}
          onClick={() => act(true)}
        >
          <Icon name="check" />
          {busy === 'grant' ? 'Approving…' : 'Approve'}
        </button>
        <button
          className="button danger big"
          type="button"
          disabled={busy !== null || !isArmed}
          onClick={() => act(false)}
        >
          <Icon name="cross" />
          {busy === 'refuse' ? 'Refusing…' : 'Refuse'}
        </button>
      </div>
      {deaf === null ? null : <p className="note-box small wrap">{deaf}</p>}
      {problem === null ? null : (
        <p className="note-box small wrap" role="alert">
          {problem}
        </p>
      )}
      <div className="decide-notes">
        <SignatureNote approval={approval} />
        <p className="tiny soft">A decision cannot be undone.</p>
      </div>
      <KeyHints />
    </aside>
  )
}

/** Whether the person will be asked to sign, or has to add a passkey first. */
function SignatureNote({ approval }: Pick<Props, 'approval'>) {
  const { answer } = useApiQuery('passkeys.list', {})
  if (answer === null) return null
  if (ownKeys(answer).length > 0) return <p className="small soft">You sign with your passkey.</p>
  const isRequired = answer.isRequired || needsSignature(approval)
  return (
    <p className={`small wrap ${isRequired ? 'note-box' : 'soft'}`}>
      {isRequired ? 'This decision must be signed. ' : 'Your decision is not signed. '}
      <a className="link" href={linkTo('passkeys')}>
        Add a passkey
      </a>
    </p>
  )
}

function KeyHints() {
  return (
    <ul className="tiny soft keys">
      <li>
        <kbd className="kbd">A</kbd> <kbd className="kbd">Enter</kbd> approve
      </li>
      <li>
        <kbd className="kbd">R</kbd> give a reason, <kbd className="kbd">Ctrl Enter</kbd> refuse
      </li>
      <li>
        <kbd className="kbd">J</kbd> <kbd className="kbd">K</kbd> next, previous
      </li>
    </ul>
  )
}

const armMs = 1_000

/**
 * Whether the form has been there for a moment.
 * WHY: after one decision the next question comes with its button in the same place, and the
 * second half of a double click must not approve what nobody has read.
 */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), armMs)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}

const refusedText = 'Refused. The agent is notified.'

function grantedText(people: PeopleNeeded | null): string {
  const missing = (people?.missing ?? 1) - 1
  if (missing <= 0) return 'Approved. The agent can continue.'
  return `Approved. ${missing} more ${missing === 1 ? 'approval is' : 'approvals are'} needed.`
}

const decidedTitles = {
  pending: 'Pending',
  granted: 'Approved',
  refused: 'Refused',
  expired: 'Expired',
} as const

function Decided({ approval }: { readonly approval: PendingApproval }) {
  return (
    <aside className="card pad decide stack">
      <h2>{decidedTitles[approval.status]}</h2>
      <p className="soft">
        {approval.decidedBy ?? 'Nobody decided in time'}
        {approval.decidedAt === null ? null : (
          <>
            , <Time at={approval.decidedAt} />
          </>
        )}
      </p>
      {approval.note === '' ? null : <p className="note-box wrap">{approval.note}</p>}
      <NextApproval approval={approval} />
    </aside>
  )
}

/** WHY a link and no jump: what comes next has to be opened before it can be decided. */
function NextApproval({ approval }: Pick<Props, 'approval'>) {
  const { approvals } = useValueStore(live)
  const isArmed = useArmed()
  useKeys(approval, {})
  const others = approvals?.filter((one) => one.id !== approval.id) ?? []
  const [next] = others
  if (next === undefined) {
    return (
      <p className="small soft">
        No pending approvals.{' '}
        <a className="link" href={linkTo('home')}>
          Back to Home
        </a>
      </p>
    )
  }
  return (
    <div className="stack">
      <p className="small soft">{countOf(others.length, 'approval')} pending. Next:</p>
      {isArmed ? (
        <a className="button wrap" href={linkTo('approvals', next.id)}>
          <MessageText text={next.runTitle ?? titleOf(next)} />
        </a>
      ) : (
        <span className="button wrap soft">
          <MessageText text={next.runTitle ?? titleOf(next)} />
        </span>
      )}
    </div>
  )
}

function useKeys(approval: PendingApproval, keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isForPage(event)) return
      const key = event.key.toLowerCase()
      const all = live.get().approvals ?? []
      const at = all.findIndex((one) => one.id === approval.id)
      const other = key === 'j' ? all[at + 1] : key === 'k' ? all[Math.max(0, at - 1)] : undefined
      if (other !== undefined) goTo('approvals', other.id)
      if (keys[key] === undefined) return
      event.preventDefault()
      keys[key]()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
