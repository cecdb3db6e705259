/**
 * Locks of folders: a run that its agent cancelled leaves its folder locked until a person acts.
 * WHY: an agent that could cancel its run and go on would choose what it is held by.
 * Knows folders and runs. Must not know who asks over which door.
 */
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore } from '../ports.ts'
import type { By } from '../runtime.ts'
import { isNear } from './folders.ts'
import { sameFolders } from './repository.ts'

/** Where locks are kept, by the run that left them. */
const lockCollection = 'locks'
/** Locks that are read at once, and how many there may be. Beyond them every folder is locked. */
const pageLocks = 500
const pagesMax = 200

type LockStore = Pick<DocumentStore, 'listDocuments' | 'readDocument' | 'writeDocuments'>
type LockTools = { readonly store: LockStore; readonly now: () => number }

/** From now on nobody works in the folder, unless a person says so. */
export async function lockFolder(
  { store, now }: LockTools,
  { workspace, runId }: { readonly workspace: string; readonly runId: string },
): Promise<void> {
  const data = JSON.stringify({ workspace })
  const change = { collection: lockCollection, key: runId, expected: null, data, at: now() }
  await store.writeDocuments([change])
}

/** A person lets the folder go that a run has left locked. */
export async function unlockRun({ store, now }: LockTools, runId: string): Promise<void> {
  if ((await store.readDocument(lockCollection, runId)) === null) return
  const change = { collection: lockCollection, key: runId, expected: null, data: null, at: now() }
  await store.writeDocuments([change])
}

/** Whether a run has left its folder locked; it may have been removed since. */
export async function isLock(
  store: Pick<LockStore, 'readDocument'>,
  runId: string,
): Promise<boolean> {
  return (await store.readDocument(lockCollection, runId)) !== null
}

/** The run that has left a folder locked; null: it is not. */
export async function lockAt(
  store: Pick<LockStore, 'listDocuments'>,
  workspace: string,
): Promise<string | null> {
  let folders: readonly string[] | null = null
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const query = { collection: lockCollection, prefix: '', after, limit: pageLocks }
    const { items, next }: Awaited<ReturnType<LockStore['listDocuments']>> =
      await store.listDocuments(query)
    if (items.length === 0) return null
    folders ??= sameFolders(workspace)
    const near = folders
    const found = items.find(({ data }) => {
      // WHY the cast: nobody else writes into this collection.
      const { workspace: where } = JSON.parse(data) as { readonly workspace: string }
      return near.some((folder) => isNear(where, folder))
    })
    if (found !== undefined) return found.key
    if (next === null) return null
    after = next
  }
  return after
}

/** Who starts a run in a locked folder: a person unlocks it, an agent is refused. */
export async function passLock(
  tools: LockTools,
  workspace: string,
  { actor }: Pick<By, 'actor'>,
): Promise<void> {
  for (let count = 0; count < pageLocks; count += 1) {
    const runId = await lockAt(tools.store, workspace)
    if (runId === null) return
    if (actor.kind !== 'person') {
      const { reason, hint } = lockedText(runId)
      throw new PawlError('NOT_PERMITTED', reason, { hint })
    }
    await unlockRun(tools, runId)
  }
}

/** Why nothing is let through in a locked folder, and what to do. */
export function lockedText(runId: string): { readonly reason: string; readonly hint: string } {
  return {
    reason: `an agent cancelled run \`${runId}\` here: the folder is locked until a person acts`,
    hint: `ask a person to run \`pawl release ${runId}\` or to start the next run (\`pawl start\`)`,
  }
}
