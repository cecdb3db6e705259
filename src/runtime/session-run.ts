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
