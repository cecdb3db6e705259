/**
 * Puts together what a gateway asks of the runtime.
 */
import type { Gateway } from './gateway.ts'
import { type CallsDesk, checkCall, offerTools, reportCall, warnRun } from './gateway-calls.ts'
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
  const desk: CallsDesk = { store, clock, runtime, marks, openRuns, passes }
  const pins: PinsDesk = { store, clock, warn: (whose, text) => warnRun(desk, whose, text) }
  return {
    check: (call, by) => checkCall(desk, call, by),
    report: reportCall(desk),
    offer: offerTools(desk),
    see: (sight) => seeServer(pins, sight),
    listPins: (workspace) => listPins(store, workspace),
    accept: (acceptance) => acceptPins(pins, acceptance),
  }
}
