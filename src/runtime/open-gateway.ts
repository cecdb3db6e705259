/**
 * Puts together what a gateway asks of the runtime.
 */
import type { Clock } from './clock.ts'
import type { Gateway } from './gateway.ts'
import { type CallsDesk, checkCall, offerTools, reportCall, warnRun } from './gateway-calls.ts'
import { acceptPins, listPins, type PinsDesk, seeServer } from './gateway-pins.ts'
import { openStatuses } from './open-statuses.ts'
import type { Store } from './ports.ts'
import type { Waiters } from './waiters.ts'

export type GatewayTools = Pick<CallsDesk, 'clock' | 'runtime' | 'marks'> & {
  readonly store: Store
  readonly waiters: Pick<Waiters, 'listen'>
}

export function openGateway(tools: GatewayTools): Gateway {
  const { store, clock, runtime, waiters, marks } = tools
  const openRuns = openRunsIn(store, clock, waiters)
  const desk: CallsDesk = { store, clock, runtime, marks, openRuns }
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

/** How long a look is believed while nothing is heard of any run. */
const freshMs = 1_000
/** Workspaces that are remembered. */
const workspacesMax = 1_000

/** WHY remembered: of a call that no run judges, this look is the greater part. */
function openRunsIn(
  store: Store,
  clock: Clock,
  waiters: GatewayTools['waiters'],
): CallsDesk['openRuns'] {
  const looks = new Map<string, { readonly at: number; readonly ids: readonly string[] }>()
  let changesCount = 0
  waiters.listen(() => {
    changesCount += 1
    looks.clear()
  })
  return async (workspace) => {
    const known = looks.get(workspace)
    if (known !== undefined && clock.now() - known.at < freshMs) return known.ids
    const [seen, at] = [changesCount, clock.now()]
    const where = { workspace: null, near: workspace, definition: null }
    const query = { ...where, statuses: openStatuses, after: null, limit: 2 }
    const ids = (await store.listRuns(query)).items.map(({ id }) => id)
    if (looks.size >= workspacesMax) looks.clear()
    // Other nodes are heard of too late for that, and what changed meanwhile is not in it.
    if (!store.isShared && seen === changesCount) looks.set(workspace, { at, ids })
    return ids
  }
}
