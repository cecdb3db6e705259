/**
 * Puts together what a gateway asks of the runtime.
 */
import type { Gateway } from './gateway.ts'
import {
  type CallsDesk,
  checkCall,
  offerTools,
  renewCall,
  reportCall,
  warnRun,
} from './gateway-calls.ts'
import { acceptPins, listPins, type PinsDesk, seeServer } from './gateway-pins.ts'
import { openOpenRuns } from './open-runs.ts'
import type { Passes } from './passes.ts'
import type { Store } from './ports.ts'
import type { RunCache } from './run-cache.ts'
import type { Waiters } from './waiters.ts'

export type GatewayTools = Pick<CallsDesk, 'clock' | 'runtime' | 'marks'> & {
  readonly store: Store
  readonly waiters: Pick<Waiters, 'listen'>
  readonly cache: Pick<RunCache, 'get'>
  /** Null: every call is asked about. */
  readonly passes: Passes | null
}

export function openGateway(tools: GatewayTools): Gateway {
  const { store, clock, runtime, marks } = tools
  // WHY none: what begins on another node is heard of too late to take one back.
  const passes = store.isShared ? null : tools.passes
  const openRuns = openOpenRuns({ ...tools, onChange: () => passes?.takeBack() })
  const reports = openReports()
  const { counted } = reports
  const desk: CallsDesk = { store, clock, runtime, marks, openRuns, passes, counted }
  const report = reportCall(desk)
  const pins: PinsDesk = { store, clock, warn: (whose, text) => warnRun(desk, whose, text) }
  return {
    check: (call, by) => checkCall(desk, call, by),
    report: (ended, by) => reports.add(ended.runId, report(ended, by)),
    renew: renewCall(desk),
    offer: offerTools(desk),
    see: (sight) => seeServer(pins, sight),
    listPins: (workspace) => listPins(store, workspace),
    accept: (acceptance) => acceptPins(pins, acceptance),
  }
}

/** WHY by the daemon: what a gateway sends right behind a report needs no wait over there. */
function openReports() {
  const open = new Map<string, Set<Promise<unknown>>>()
  return {
    add: async <T>(runId: string, report: Promise<T>): Promise<T> => {
      const ofRun = open.get(runId) ?? new Set()
      open.set(runId, ofRun.add(report))
      try {
        return await report
      } finally {
        ofRun.delete(report)
        if (ofRun.size === 0 && open.get(runId) === ofRun) open.delete(runId)
      }
    },
    counted: (runId: string): Promise<unknown> => Promise.allSettled(open.get(runId) ?? []),
  }
}
