/**
 * Accepts the servers that were put behind the gateway: a person has seen them on the screen.
 */
import { launchIn } from '../../../core/tools/launch-pin.ts'
import type { HostPlan } from '../../init/plan-host.ts'
import type { Io } from '../io.ts'
import { connectDaemon } from '../remote/connect.ts'

type Here = { readonly workspace: string; readonly io: Io }

/** Gives what a person should know about it. */
export async function acceptServers(
  plans: readonly HostPlan[],
  { workspace, io }: Here,
): Promise<readonly string[]> {
  const moved = plans.flatMap((plan) => plan.moved ?? [])
  if (moved.length === 0) return []
  try {
    const remote = await connectDaemon(io, 'person')
    try {
      for (const { as: server, entry } of moved) {
        // WHY a shape of its own: what is not of the way it is started does not count.
        const sight = { workspace, scope: workspace, server, launch: launchIn(entry), tools: null }
        await remote.call('gateway.see', sight)
        const { items } = await remote.call('gateway.pins', { workspace })
        const pinned = items.find((one) => one.scope === workspace && one.server === server)
        if (pinned === undefined || pinned.launch.isAccepted) continue
        await remote.call('gateway.accept', { scope: workspace, server, version: pinned.version })
      }
    } finally {
      remote.close()
    }
    return [`behind the gateway: ${moved.map(({ as }) => as).join(', ')}`]
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault)
    return [`run \`pawl gateway accept\` for the servers behind the gateway (${why})`]
  }
}
