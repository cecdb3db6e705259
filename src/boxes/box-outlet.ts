/** The way out of a box: the egress proxy of jobs, in the folder of the box. */
import { type BlockedConnections, readBlocked } from '../runner/blocked-connections.ts'
import type { Destination } from '../runner/destinations.ts'
import { openEgressProxy } from '../runner/egress-proxy.ts'

export type BoxOutlet = {
  /** Connections that were refused. */
  readonly refusals: BlockedConnections
  readonly close: () => void
}

/** Null: the box has no network. */
export async function openBoxOutlet(
  folder: string,
  destinations: readonly Destination[] | null,
): Promise<BoxOutlet | null> {
  if (destinations === null) return null
  const refusals = readBlocked(folder)
  const proxy = openEgressProxy({ folder, destinations, refusals })
  await proxy.opened
  return { refusals, close: proxy.close }
}
