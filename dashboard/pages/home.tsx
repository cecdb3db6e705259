/** Home: pending approvals first, then open runs, what went wrong today, and what it cost. */
import { useState } from 'react'
import { type Live, type LiveRunHead, live } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { PageHead, Skeleton } from '../parts/basics.tsx'
import { FirstStart } from '../parts/first-start.tsx'
import { moneyText } from '../parts/format-values.ts'
import { PendingApprovals } from '../parts/pending-approvals.tsx'
import { RunRow } from '../parts/run-row.tsx'

/** The page. */
export function HomePage() {
  const state = useValueStore(live)
  const running = state.heads.filter((head) => isOpen(head))
  const wrong = state.heads.filter((head) => isWrong(head))
  return (
    <>
      <PageHead
        title={titleFor(state)}
        about={
          <>
            {aboutFor(running.length)}
            <WrongLink count={wrong.length} />
            <CostToday />
          </>
        }
      />
      <div className="home">
        <div className="stack wide">
          <FirstStart />
          <PendingApprovals state={state} />
        </div>
        <div className="stack wide">
          <Heads title="Open runs" heads={running} isKnown={state.me !== null}>
            No run is open. Start one with <code>pawl start</code>, or let an agent load a workflow.
          </Heads>
          <Heads id={wrongId} title="Went wrong today" heads={wrong} isKnown={state.me !== null}>
            No run failed, was blocked or was cancelled today.
          </Heads>
          <a className="link small" href={linkTo('policies')}>
            Denied calls and their rules
          </a>
        </div>
      </div>
    </>
  )
}

const wrongId = 'went-wrong-today'

/** How many runs went wrong; a tap leads to them, which on a phone are far below. */
function WrongLink({ count }: { readonly count: number }) {
  if (count === 0) return null
  const show = (): void => {
    const section = document.getElementById(wrongId)
    section?.scrollIntoView({ block: 'start' })
    // Whoever does not see the page is where the others look.
    section?.focus({ preventScroll: true })
  }
  return (
    <>
      {' · '}
      <button type="button" className="link" onClick={show}>
        {count} went wrong today
      </button>
    </>
  )
}

/** What was spent since midnight. */
function CostToday() {
  const [since] = useState(() => new Date().setHours(0, 0, 0, 0))
  const { answer } = useApiQuery('costs.read', { since })
  const sum = answer?.rows.reduce((all, row) => all + row.costMicroUsd, 0) ?? 0
  if (answer === null || sum === 0) return null
  return (
    <>
      {' · '}
      <a className="link" href={linkTo('spend')}>
        {answer.isPartial ? 'more than ' : ''}
        {moneyText(sum)} spent today
      </a>
    </>
  )
}

function titleFor({ approvals }: Live): string {
  if (approvals === null) return 'Pending approvals'
  if (approvals.length === 0) return 'No pending approvals'
  return approvals.length === 1 ? '1 pending approval' : `${approvals.length} pending approvals`
}

function aboutFor(count: number): string {
  if (count === 0) return 'No run is open'
  return count === 1 ? '1 run is open' : `${count} runs are open`
}

function isOpen({ endedAt }: LiveRunHead): boolean {
  return endedAt === null
}

function isWrong({ status, endedAt }: LiveRunHead): boolean {
  const today = new Date().setHours(0, 0, 0, 0)
  const isBad = status === 'failed' || status === 'blocked' || status === 'cancelled'
  return isBad && (endedAt ?? Date.now()) >= today
}

const headsShown = 10

function Heads(props: {
  readonly id?: string
  readonly title: string
  readonly heads: readonly LiveRunHead[]
  readonly isKnown: boolean
  readonly children: React.ReactNode
}) {
  const { heads } = props
  return (
    <section className="card" id={props.id} aria-label={props.title} tabIndex={-1}>
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
              <RunRow head={head} size="short" />
            </li>
          ))}
        </ul>
      )}
      {heads.length > headsShown ? (
        <p className="body small">
          <a className="link" href={linkTo('runs')}>
            All runs
          </a>
        </p>
      ) : null}
    </section>
  )
}
