/**
 * The state of a run at any event, computed in the browser with the same fold as in the daemon.
 * Intermediate states are cached.
 */
import { viewMember } from '../../src/core/dialects/run-view.ts'
import type { Family } from '../../src/core/engine/family.ts'
import { foldFamily, unbornFamily } from '../../src/core/engine/fold-family.ts'
import type { Event, RunState } from '../../src/core/engine/types.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { callApi } from './api-client.ts'
import { readMachine } from './machine-cache.ts'
import type { LogReading, LogRecord } from './run-log.ts'

export type RunAtEvent = {
  readonly seq: number
  readonly view: LogReading['view']
  readonly state: RunState
  readonly machine: Machine
}

export type HistoryFold = {
  readonly at: (seq: number, held: readonly LogRecord[]) => Promise<RunAtEvent>
}

const stepSize = 1_000

/** Opens the folds of a run. */
export function openHistoryFold(runId: string): HistoryFold {
  const known = new Map<number, Family>([[0, unbornFamily(runId)]])
  const machines = new Map<string, Machine>()
  return {
    at: async (seq, held) => {
      let from = [...known.keys()].filter((one) => one <= seq).reduce((a, b) => Math.max(a, b), 0)
      let family = known.get(from) ?? unbornFamily(runId)
      while (from < seq) {
        const to = Math.min(seq, from + stepSize)
        const records = await recordsIn(runId, { from, to }, held)
        for (const { data } of records) await fetchMachine(data as unknown as Event, machines)
        family = foldFamily(
          family,
          records.map((one) => ({ runId: one.member, event: one.data as unknown as Event })),
          (hash) => machines.get(hash) as Machine,
        )
        from = to
        if (to % stepSize === 0) known.set(to, family)
      }
      const main = family.members.find((one) => one.runId === runId)
      if (main === undefined) throw new Error('the run had not started yet')
      const view = viewMember(family, main)
      const leaf = family.members.find((one) => one.runId === view.runId) ?? main
      // WHY the cast: over the wire the same view has lists that nobody may change.
      return { seq, view: view as LogReading['view'], state: leaf.state, machine: leaf.machine }
    },
  }
}

type Span = { readonly from: number; readonly to: number }

/** What is at hand, else from the daemon. */
async function recordsIn(
  runId: string,
  { from, to }: Span,
  held: readonly LogRecord[],
): Promise<readonly LogRecord[]> {
  const first = held[0]?.seq ?? Number.POSITIVE_INFINITY
  if (first <= from + 1) return held.slice(from + 1 - first, to + 1 - first)
  return (await callApi('runs.events', { runId, after: from, limit: to - from })).items
}

async function fetchMachine(event: Event, machines: Map<string, Machine>): Promise<void> {
  if (event.type !== 'run.started' || machines.has(event.machine)) return
  machines.set(event.machine, await readMachine(event.machine))
}
