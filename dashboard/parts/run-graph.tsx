/** The graph of a run with its child runs, and the slider for past events. */
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { type Picture, pictureOf } from '../../src/core/draw/picture.ts'
import { loadChunk } from '../data/load-chunk.ts'
import type { MemberTrace, Trace } from '../data/run-trace.ts'
import { useMachine } from '../data/use-machine.ts'
import { StatusBadge } from './basics.tsx'

const Graph = lazy(async () => ({ default: (await loadChunk(() => import('./graph.tsx'))).Graph }))

type Props = {
  readonly trace: Trace
  readonly main: string
  readonly runId: string
  /** Where the run stands now, as the daemon says; null: it is the past that is shown. */
  readonly stage: string | null
  readonly children: ReactNode
}

/** The card. */
export function RunGraph({ trace, main, runId, stage, children }: Props) {
  const [hash, setHash] = useState(main)
  const machine = useMachine(hash)
  const picture = useMemo<Picture | null>(() => (machine ? pictureOf(machine) : null), [machine])
  const here = useMemo(() => {
    const open = trace.members.filter((one) => isOpen(one, trace)).map((one) => one.stage)
    return new Set(open.some((one) => one !== '') || stage === null ? open : [stage])
  }, [trace, stage])
  const others = trace.members.filter((one) => one.runId !== runId && one.machine !== '')
  return (
    <section className="card" aria-label="Graph">
      <header>
        <h2 className="grow">
          {machine === null ? 'Graph' : machine.name}{' '}
          <span className="soft small">{picture?.about}</span>
        </h2>
        {hash === main ? null : (
          <button type="button" className="button" onClick={() => setHash(main)}>
            Back to the main run
          </button>
        )}
      </header>
      <div className="graph-card">
        {picture === null ? (
          <div className="skeleton" style={{ height: '100%' }} />
        ) : (
          <Suspense fallback={<div className="skeleton" style={{ height: '100%' }} />}>
            <Graph picture={picture} trace={trace} here={here} />
          </Suspense>
        )}
      </div>
      {children}
      {others.length === 0 ? null : (
        <ul className="list" aria-label="Child runs">
          {others.map((one) => (
            <li key={one.runId}>
              <button type="button" className="line" onClick={() => setHash(one.machine)}>
                <span className="grow cut">
                  {one.branch ?? 'invoked'} <span className="soft small">{one.stage}</span>
                </span>
                <StatusBadge status={one.status} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A parent that waits for its children stands nowhere that matters. */
function isOpen(member: MemberTrace, { members }: Trace): boolean {
  const isLive = (one: MemberTrace): boolean => one.status === 'running' || one.status === 'waiting'
  if (member === members[0] && members.slice(1).some(isLive)) return false
  return isLive(member) || member === members[0]
}
