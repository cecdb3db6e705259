/**
 * The run that a conversation of a host works on, or has worked on last.
 */
import type { RunHead, Store } from './ports.ts'

/** Null: it has had none yet. */
export async function runOfSession(
  store: Pick<Store, 'claimsOf' | 'readHead'>,
  session: string,
): Promise<RunHead | null> {
  const claims = await store.claimsOf(session)
  const main = claims.find((claim) => claim.branch === '')
  return main === undefined ? null : store.readHead(main.runId)
}

const openStatuses = ['running', 'waiting', 'paused'] as const
/** Open runs of a workspace that are looked at. */
const runsMax = 50

/** An open run of a workspace that a person has begun and no session has; null: there is none. */
export async function findWaiting(
  store: Pick<Store, 'listRuns' | 'claimsOn' | 'readEvents'>,
  workspace: string,
): Promise<string | null> {
  const query = { statuses: openStatuses, workspace, definition: null, after: null }
  const { items } = await store.listRuns({ ...query, limit: runsMax })
  for (const { id } of items) {
    const claims = await store.claimsOn(id)
    if (claims.some((claim) => claim.branch === '')) continue
    const [first] = await store.readEvents(id, { after: 0, limit: 1 })
    if (first?.actor.startsWith('person:') === true) return id
  }
  return null
}
