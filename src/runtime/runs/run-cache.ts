/** A cache of runs as they are in the store. Others are loaded again. */
import type { LoadedRun } from './load-run.ts'
import { openLruMap } from './lru-map.ts'

/** Runs kept at hand; beyond it those longest unused make room. */
const cachedMax = 2_000

export type RunCache = {
  readonly get: (runId: string) => LoadedRun | undefined
  readonly put: (run: LoadedRun) => void
  readonly drop: (runId: string) => void
  readonly size: () => number
}

export function openRunCache(): RunCache {
  const runs = openLruMap<LoadedRun>(cachedMax)
  return { ...runs, put: (run) => runs.put(run.head.id, run) }
}
