/**
 * The state of a run, now or at a past event: instructions for the agent, allowed tools, what is
 * left of the limits, and values.
 */
import { memo } from 'react'
import type { Machine, StageRule } from '../../src/core/machine/machine.ts'
import type { RunAtEvent } from '../data/history-fold.ts'
import type { LogReading } from '../data/run-log.ts'
import { useMachine } from '../data/use-machine.ts'
import { LimitBar, Skeleton } from './basics.tsx'
import { BriefText } from './brief-text.tsx'
import { ValueText } from './call-detail.tsx'
import { bytesText, moneyText } from './format-values.ts'
import { MessageText } from './message-text.tsx'

type Props = {
  readonly reading: LogReading
  readonly past: RunAtEvent | null
  readonly isPast: boolean
}

type Shown = {
  readonly view: LogReading['view']
  readonly notice: string
  readonly sources: LogReading['standing']['sources']
  readonly used: { readonly calls: number; readonly files: number; readonly bytes: number }
  readonly callsCount: number
  readonly costMicroUsd: number
}

/** The cards. */
export const RunStatePanel = memo(({ reading, past, isPast }: Props) => {
  const machine = useMachineOf(reading, past)
  if (isPast && past === null) return <Skeleton lines={5} />
  const shown = past === null ? ofNow(reading) : ofPast(past)
  const { view } = shown
  return (
    <div className="two">
      <section className="card" aria-label="Brief">
        <header>
          <h2 className="grow">
            {isPast ? 'Instructions at that time' : 'Instructions for the agent'}
          </h2>
          <span className="stage-chip here">{view.stage}</span>
        </header>
        <div className="body stack">
          {shown.notice === '' ? null : (
            <p className="note-box wrap">
              <MessageText text={shown.notice} />
            </p>
          )}
          <BriefText text={view.brief} />
          <Permitted view={view} />
        </div>
      </section>
      <section className="card" aria-label="Limits and values">
        <header>
          <h2 className="grow">Limits and values</h2>
          <span className="soft small">{moneyText(shown.costMicroUsd)}</span>
        </header>
        <div className="body stack wide">
          <Limits machine={machine} shown={shown} />
          <ValueList shown={shown} />
        </div>
      </section>
    </div>
  )
})

function ofNow({ view, notice, standing, head }: LogReading): Shown {
  const { sources, callsCount: calls, filesCount: files, bytes } = standing
  const { callsCount, costMicroUsd } = head
  return { view, notice, sources, used: { calls, files, bytes }, callsCount, costMicroUsd }
}

function ofPast({ view, state }: RunAtEvent): Shown {
  const { notice, sources, counts, callsCount, costMicroUsd } = state
  const used = { calls: counts.calls, files: counts.files.length, bytes: counts.bytes }
  return { view, notice, sources, used, callsCount, costMicroUsd }
}

function Permitted({ view }: { readonly view: LogReading['view'] }) {
  const tools = view.tools === 'all' ? 'all' : view.tools.join(', ')
  return (
    <dl className="facts small">
      <dt>Tools</dt>
      <dd>{tools === '' ? 'none' : tools}</dd>
      <dt>Signals</dt>
      <dd>{view.signals.length === 0 ? 'none' : view.signals.join(', ')}</dd>
    </dl>
  )
}

function Limits({ machine, shown }: { readonly machine: Machine | null; readonly shown: Shown }) {
  const rule: StageRule | undefined = machine?.stages[shown.view.stage]?.rule
  const { used } = shown
  const bars = [
    { name: 'Calls in this stage', used: used.calls, max: rule?.callsMax },
    { name: 'Files in this stage', used: used.files, max: rule?.filesMax },
    { name: 'Bytes in this stage', used: used.bytes, max: rule?.bytesMax, show: bytesText },
    { name: 'Calls in the run', used: shown.callsCount, max: machine?.limits.callsMax },
    {
      name: 'Cost of the run',
      used: shown.costMicroUsd,
      max: machine?.limits.microUsdMax,
      show: moneyText,
    },
  ].flatMap(({ max, ...bar }) => (max == null ? [] : [{ ...bar, max }]))
  if (bars.length === 0) return <p className="soft">This stage has no limits.</p>
  return (
    <div className="stack">
      {bars.map((bar) => (
        <LimitBar key={bar.name} {...bar} />
      ))}
    </div>
  )
}

function ValueList({ shown }: { readonly shown: Shown }) {
  const entries = Object.entries({ ...shown.view.vars, ...shown.view.inputs })
  if (entries.length === 0) return <p className="soft">The run has no values.</p>
  return (
    <dl className="facts small">
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt className="mono" title={shown.sources[name] ?? 'given'}>
            {name}{' '}
            {shown.sources[name] === 'claimed' ? <span className="warn">claimed</span> : null}
          </dt>
          <dd>
            <ValueText value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function useMachineOf(reading: LogReading, past: RunAtEvent | null): Machine | null {
  const now = useMachine(reading.standing.machine)
  return past?.machine ?? now
}
