/** Plays a definition in the browser, with the same engine as the daemon. Nothing is stored. */
import { type FormEvent, useMemo, useState } from 'react'
import { pictureOf } from '../../src/core/draw/picture.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import {
  lastMoment,
  type Moment,
  startWalk,
  takeAct,
  viewNow,
  type Walk,
  type WalkAction,
} from '../../src/testing/walk.ts'
import type { Trace } from '../data/run-trace.ts'
import { stepKey } from '../data/run-trace.ts'
import { StatusBadge } from '../parts/basics.tsx'
import { BriefText } from '../parts/brief-text.tsx'
import { Graph } from '../parts/graph.tsx'
import { MessageText } from '../parts/message-text.tsx'

type Props = {
  readonly machine: Machine
  /** Those that it may invoke. */
  readonly machines: readonly Machine[]
}

/** The machine at hand, as a game. */
export function PlayPanel({ machine, machines }: Props) {
  const begin = (): readonly Walk[] => {
    const library = (name: string): Machine | undefined => machines.find((one) => one.name === name)
    const walk = startWalk({ machine, library, stage: null, vars: {}, policies: [] })
    return 'family' in walk ? [walk] : []
  }
  const [walks, setWalks] = useState<readonly Walk[]>(begin)
  const walk = walks.at(-1)
  const picture = useMemo(() => pictureOf(machine), [machine])
  const trace = useMemo(() => (walk === undefined ? null : traceOfWalk(walk)), [walk])
  if (walk === undefined) return <p className="soft">This definition does not start by itself.</p>
  const view = viewNow(walk, null)
  const act = (what: WalkAction): void => setWalks([...walks, takeAct(walk, what)])
  const { reply } = lastMoment(walk)
  return (
    <div className="play">
      <div className="card graph-card">
        <Graph picture={picture} trace={trace} here={new Set([view.stage])} />
      </div>
      <div className="stack">
        <div className="row flow">
          <span className="stage-chip here">{view.stage}</span>
          <StatusBadge status={view.status} />
          <span className="grow" />
          <button
            type="button"
            className="button"
            disabled={walks.length < 2}
            onClick={() => setWalks(walks.slice(0, -1))}
          >
            Undo
          </button>
          <button type="button" className="button" onClick={() => setWalks(begin())}>
            Start over
          </button>
        </div>
        <div className="note-box">
          <BriefText text={view.brief} />
        </div>
        {reply.kind === 'accepted' ? null : (
          <p className={`small ${reply.kind === 'refused' ? 'bad' : ''}`}>
            {reply.kind === 'verdict' ? `${reply.verdict}: ` : ''}
            <MessageText text={reply.reason} />
          </p>
        )}
        <Moves machine={machine} walk={walk} onAct={act} />
        <h3>Steps so far</h3>
        <ol className="list card small" reversed>
          {walk.moments.toReversed().map((moment, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: moments have no other name
            <li key={index} className="line" style={{ padding: '6px 12px' }}>
              {momentText(moment)}
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

type MovesProps = {
  readonly machine: Machine
  readonly walk: Walk
  readonly onAct: (act: WalkAction) => void
}

/** What can be done now. */
function Moves({ machine, walk, onAct }: MovesProps) {
  const view = viewNow(walk, null)
  const [data, setData] = useState('{}')
  const [problem, setProblem] = useState('')
  const branch = null
  if (view.approval !== null) {
    return (
      <div className="stack card pad">
        <strong>{view.approval.message}</strong>
        <div className="row">
          <button
            type="button"
            className="button main-act"
            onClick={() => onAct({ kind: 'approve', note: '', branch })}
          >
            Approve
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => onAct({ kind: 'refuse', note: 'refused while playing', branch })}
          >
            Refuse
          </button>
        </div>
      </div>
    )
  }
  const send = (name: string): void => {
    const values = objectIn(data)
    setProblem(values === null ? 'the data must be a JSON object' : '')
    if (values !== null) onAct(actFor(machine, name, values))
  }
  return (
    <div className="stack">
      <label className="field">
        <span>Data to send, as JSON</span>
        <input
          className="input mono"
          value={data}
          onChange={(event) => setData(event.target.value)}
        />
      </label>
      {problem === '' ? null : <p className="small bad">{problem}</p>}
      <div className="chips">
        {view.signals.map((name) => (
          <button key={name} type="button" className="button" onClick={() => send(name)}>
            {name || 'submit'}
          </button>
        ))}
      </div>
      <CallForm onAct={onAct} />
    </div>
  )
}

function CallForm({ onAct }: { readonly onAct: (act: WalkAction) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const tool = String(form.get('tool') ?? '')
    const text = String(form.get('input') ?? '')
    const input = objectIn(text) ?? { command: text }
    onAct({ kind: 'call', tool, input, branch: null })
  }
  return (
    <form className="call-form" onSubmit={submit}>
      <input className="input" name="tool" defaultValue="Bash" aria-label="Tool" />
      <input
        className="input mono"
        name="input"
        placeholder="a command, or the input as JSON"
        aria-label="Input of the call"
      />
      <button type="submit" className="button">
        Call
      </button>
    </form>
  )
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null
  } catch {
    return null
  }
}

function actFor(machine: Machine, name: string, data: JsonObject): WalkAction {
  const branch = null
  if (machine.dialect === 'process') return { kind: 'answer', answer: name, branch }
  if (machine.dialect === 'steps') return { kind: 'submit', inputs: data, goTo: null, branch }
  return { kind: 'signal', name, data: Object.keys(data).length === 0 ? null : data, branch }
}

function momentText({ act, reply, view }: Moment): string {
  const names: Readonly<Record<string, string>> = {
    look: 'start',
    signal: 'name' in act ? act.name : '',
    answer: 'answer' in act ? act.answer : '',
    call: 'tool' in act ? `calls ${act.tool}` : '',
  }
  const what = names[act.kind] ?? act.kind
  const came = reply.kind === 'verdict' ? reply.verdict : reply.kind === 'refused' ? 'refused' : ''
  return `${what}${came === '' ? '' : ` (${came})`} → ${view.stage}`
}

function traceOfWalk(walk: Walk): Trace {
  const visits = new Map<string, number>()
  const steps = new Map<string, number>()
  const places = new Map<string, string>()
  for (const { recorded } of walk.moments) {
    for (const { runId, event } of recorded) {
      if (event.type !== 'stage.entered') continue
      const from = places.get(runId)
      places.set(runId, event.stage)
      visits.set(event.stage, (visits.get(event.stage) ?? 0) + 1)
      if (from === undefined) continue
      const key = stepKey(from, event.stage)
      steps.set(key, (steps.get(key) ?? 0) + 1)
    }
  }
  return { visits, steps, refusedSignals: new Map(), denied: new Map(), members: [] }
}
