/** One command at a time per run: each waits until the previous one is stored or has failed. */
import { PawlError } from '../pawl-error.ts'

/** Commands that may wait for one run. */
export const queuedMax = 512

export type RunQueue = {
  readonly inTurn: <T>(runId: string, work: () => Promise<T>) => Promise<T>
  /** Resolves when nothing is under way any more. */
  readonly drained: () => Promise<void>
}

const nothing = Promise.resolve()

type Line = { last: Promise<unknown>; count: number }

export function openRunQueue(): RunQueue {
  const lines = new Map<string, Line>()
  const leave = (runId: string, line: Line): void => {
    line.count -= 1
    if (line.count > 0) return
    lines.delete(runId)
    // WHY: the map may remember the line for a while, and with it all that was answered.
    line.last = nothing
  }
  return {
    inTurn: (runId, work) => {
      const line = lines.get(runId) ?? { last: nothing, count: 0 }
      if (line.count >= queuedMax) {
        const message = `${queuedMax} commands are already waiting for the run \`${runId}\``
        const hint = 'try again in a moment'
        return Promise.reject(new PawlError('OVERLOADED', message, { hint }))
      }
      if (line.count === 0) lines.set(runId, line)
      line.count += 1
      const turn = line.count === 1 ? work() : line.last.then(work, work)
      line.last = turn
      const left = () => leave(runId, line)
      turn.then(left, left)
      return turn
    },
    drained: async () => {
      while (lines.size > 0) {
        await Promise.allSettled([...lines.values()].map((line) => line.last))
      }
    },
  }
}
