/**
 * Runs at hand, as they are in the store. What is not here is loaded again.
 */
import type { LoadedRun } from './load-run.ts'

/** Runs kept at hand; beyond it the one longest unused makes room. */
export const cachedMax = 2_000

export type RunCache = {
  readonly get: (runId: string) => LoadedRun | undefined
  readonly put: (run: LoadedRun) => void
  readonly drop: (runId: string) => void
  readonly size: () => number
}

export function openRunCache(): RunCache {
  const runs = new Map<string, LoadedRun>()
  return {
    get: (runId) => {
      const run = runs.get(runId)
      if (run === undefined) return undefined
      runs.delete(runId)
      runs.set(runId, run)
      return run
    },
    put: (run) => {
      runs.delete(run.head.id)
      runs.set(run.head.id, run)
      const oldest = runs.size > cachedMax ? runs.keys().next().value : undefined
      if (oldest !== undefined) runs.delete(oldest)
    },
    drop: (runId) => {
      runs.delete(runId)
    },
    size: () => runs.size,
  }
}
