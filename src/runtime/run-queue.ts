/**
 * One command at a time per run: each waits until the one before it is kept or has failed.
 */
import { PawlError } from './pawl-error.ts'

/** Commands that may wait for one run. */
export const queuedMax = 512

export type RunQueue = {
  readonly inTurn: <T>(runId: string, work: () => Promise<T>) => Promise<T>
  /** Resolves when nothing is under way any more. */
  readonly drained: () => Promise<void>
}

type Line = { last: Promise<unknown>; count: number }

export function openRunQueue(): RunQueue {
  const lines = new Map<string, Line>()
  return {
    inTurn: async (runId, work) => {
      const line = lines.get(runId) ?? { last: Promise.resolve(), count: 0 }
      if (line.count >= queuedMax) {
        const message = `${queuedMax} commands wait for the run \`${runId}\` already`
        throw new PawlError('OVERLOADED', message, { hint: 'try again in a moment' })
      }
      lines.set(runId, line)
      line.count += 1
      const turn = line.count === 1 ? work() : line.last.then(work, work)
      line.last = turn
      try {
        return await turn
      } finally {
        line.count -= 1
        if (line.count === 0) lines.delete(runId)
      }
    },
    drained: async () => {
      while (lines.size > 0) {
        await Promise.allSettled([...lines.values()].map((line) => line.last))
      }
    },
  }
}
