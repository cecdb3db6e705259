/**
 * The first start on Home: a blocked call, a run that moves on, a decision, the proof. Each step
 * is done when the log says so. Hidden on request, and for somebody who has more runs.
 */
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { callApi, wordsOf } from '../data/api-client.ts'
import { type FirstSteps, firstStepsIn } from '../data/first-steps.ts'
import { type Live, type LiveRunHead, live } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'

const storageKey = 'pawl.first-start'
/** The run whose log somebody has checked here. */
const provenKey = 'pawl.first-start.proven'
/** Somebody with more runs has started long ago. */
const runsMax = 3
/** Of a longer log, the beginning tells enough. */
const recordsMax = 1_000

/** The card; nothing for somebody who knows it already. */
export function FirstStart() {
  const state = useValueStore(live)
  const [isHidden, setHidden] = useState(() => localStorage.getItem(storageKey) === 'done')
  const hide = (): void => {
    localStorage.setItem(storageKey, 'done')
    setHidden(true)
  }
  if (isHidden || state.me === null || state.heads.length > runsMax) return null
  const [head] = state.heads
  return (
    <section className="card" aria-label="First steps">
      <header>
        <h2 className="grow">First steps</h2>
        <button type="button" className="button plain" onClick={hide}>
          Hide
        </button>
      </header>
      {head === undefined ? <NoRun /> : <Steps head={head} state={state} />}
    </section>
  )
}

function NoRun() {
  return (
    <div className="body stack">
      <p>
        Pawl holds an agent to a definition: it blocks calls that a stage does not allow, asks you
        where you want to be asked, and keeps a log that nobody can change unnoticed.
      </p>
      <p>
        <code>pawl demo</code> shows all of it in a minute. With your own agent, run{' '}
        <code>pawl init</code> and <code>pawl start</code> in your project; what happens then
        appears here.
      </p>
    </div>
  )
}

function Steps({ head, state }: { readonly head: LiveRunHead; readonly state: Live }) {
  const query = { runId: head.id, limit: recordsMax }
  const { answer } = useApiQuery('runs.events', query, head.seq)
  const steps: FirstSteps = firstStepsIn(answer?.items ?? [])
  const run = linkTo('runs', head.id)
  const asked = state.approvals?.find((one) => one.runId === head.id)
  return (
    <ol className="first-steps">
      <Step isDone={steps.blocked} title="A call is blocked">
        The agent tries something that its stage does not allow.{' '}
        <a className="link" href={run}>
          See why
        </a>
      </Step>
      <Step isDone={steps.moved} title="The run moves on">
        The agent learns what is allowed instead, does that, and moves on to the next stage.
      </Step>
      <Step isDone={steps.decided} title="You decide">
        {asked === undefined ? (
          'Where the definition requires it, the run waits for you.'
        ) : (
          <>
            The run waits for you.{' '}
            <a className="link" href={linkTo('approvals', asked.id)}>
              Decide now
            </a>
          </>
        )}
      </Step>
      <Proof key={head.id} runId={head.id} />
    </ol>
  )
}

function Proof({ runId }: { readonly runId: string }) {
  const [text, setText] = useState<string | null>(null)
  const [isProven, setProven] = useState(false)
  const verify = useCallback(async (): Promise<void> => {
    try {
      const found = await callApi('runs.verify', { runId })
      setProven(found.ok)
      if (found.ok) localStorage.setItem(provenKey, runId)
      setText(
        found.ok
          ? `${found.count} records, every hash matches.`
          : `Record ${found.seq} does not match: ${found.problem}`,
      )
    } catch (thrown) {
      setText(wordsOf(thrown).detail)
    }
  }, [runId])
  // WHY again and not remembered as done: what is said here is true of the log as it is now.
  useEffect(() => {
    if (localStorage.getItem(provenKey) === runId) void verify()
  }, [runId, verify])
  return (
    <Step isDone={isProven} title="The proof">
      Every record contains a hash over itself and the record before it.{' '}
      {text === null ? (
        <button type="button" className="button" onClick={verify}>
          Check the log
        </button>
      ) : (
        <strong>{text}</strong>
      )}
    </Step>
  )
}

type StepProps = {
  readonly isDone: boolean
  readonly title: string
  readonly children: ReactNode
}

function Step({ isDone, title, children }: StepProps) {
  return (
    <li>
      <span className={`badge ${isDone ? 'good' : ''}`}>{isDone ? 'done' : 'not yet'}</span>
      <div>
        <strong>{title}</strong>
        <p className="soft small">{children}</p>
      </div>
    </li>
  )
}
