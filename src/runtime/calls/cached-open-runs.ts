/**
 * Up to two open runs in, above and below a folder, cached between calls.
 * WHY cached: for a call that no run judges, this look-up is most of the work.
 */
import type { Clock } from '../clock.ts'
import type { Store } from '../ports.ts'
import { isOpen, openStatuses } from '../runs/open-statuses.ts'
import type { RunCache } from '../runs/run-cache.ts'
import type { Waiters } from '../runs/waiters.ts'
import { sameFolders } from '../sessions/repository.ts'

type OpenRuns = (workspace: string) => Promise<readonly string[]>

type OpenRunsTools = {
  readonly store: Pick<Store, 'listRuns' | 'isShared'>
  readonly clock: Clock
  readonly cache: Pick<RunCache, 'get'>
  readonly waiters: Pick<Waiters, 'listen'>
  /** Hears at once that a run may have begun or ended. */
  readonly onChange: () => void
}

/** How long a look is believed while no run begins or ends. */
const freshMs = 1_000
/** Workspaces, and runs that are known to go on. */
const knownMax = 1_000

export function openOpenRuns(tools: OpenRunsTools): OpenRuns {
  const { store, clock, cache, waiters, onChange } = tools
  const looks = new Map<string, { readonly at: number; readonly ids: readonly string[] }>()
  /** INVARIANT: every look that is kept was made while these were open. */
  const open = new Set<string>()
  let changesCount = 0
  waiters.listen((runId) => {
    const isNow = isOpen(cache.get(runId)?.head.status ?? '')
    if (isNow && open.has(runId)) return
    changesCount += 1
    looks.clear()
    if (open.size >= knownMax) open.clear()
    if (isNow) open.add(runId)
    else open.delete(runId)
    onChange()
  })
  return async (workspace) => {
    const known = looks.get(workspace)
    if (known !== undefined && clock.now() - known.at < freshMs) return known.ids
    const [seen, at] = [changesCount, clock.now()]
    const [here = workspace, ...elsewhere] = sameFolders(workspace)
    const own = await openNear(store, here)
    // A run of this work tree comes before those of the others.
    const ids = own.length > 0 ? own : await openNearAny(store, elsewhere)
    if (looks.size >= knownMax) looks.clear()
    // Other nodes are heard of too late for that, and what changed meanwhile is not in it.
    if (!store.isShared && seen === changesCount) looks.set(workspace, { at, ids })
    return ids
  }
}

type RunLister = Pick<Store, 'listRuns'>

async function openNear(store: RunLister, near: string): Promise<readonly string[]> {
  const where = { workspace: null, near, definition: null }
  const query = { ...where, statuses: openStatuses, after: null, limit: 2 }
  return (await store.listRuns(query)).items.map(({ id }) => id)
}

async function openNearAny(
  store: RunLister,
  folders: readonly string[],
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const folder of folders) {
    for (const id of await openNear(store, folder)) found.add(id)
    if (found.size > 1) break
  }
  return [...found].slice(0, 2)
}
