/**
 * Which replies a connection has written since they were last indexed, so that they are indexed
 * without a look at their records, which lie all over the file.
 * Knows what this connection wrote. Must not be believed alone: others write as well, and what was
 * written may be undone. Whoever hears of all that says whether it is complete.
 */

/** The number of a command, and of the record that has its reply. */
export type Answered = readonly [key: number, seq: number]

export type FreshAnswers = {
  /** What was appended from one record to another; a key of null: it has no reply. */
  readonly note: (log: number, moved: Moved, key: number | null) => void
  /** What was noted from exactly there to there, if it was, and no longer. */
  readonly take: (log: number, moved: Moved) => Answered[] | null
}

type Moved = { readonly from: number; readonly to: number }
type Fresh = { readonly from: number; to: number; readonly answered: Answered[] }

/** Logs of which something is known; of more, nothing is. */
const logsMax = 1_000

export function openFreshAnswers(): FreshAnswers {
  const logs = new Map<number, Fresh>()
  const begin = (log: number, from: number): Fresh => {
    if (logs.size >= logsMax) logs.clear()
    const fresh = { from, to: from, answered: [] }
    logs.set(log, fresh)
    return fresh
  }
  return {
    note: (log, { from, to }, key) => {
      const known = logs.get(log)
      const fresh = known?.to === from ? known : begin(log, from)
      fresh.to = to
      if (key !== null) fresh.answered.push([key, to])
    },
    take: (log, { from, to }) => {
      const known = logs.get(log)
      logs.delete(log)
      return known?.from === from && known.to === to ? known.answered : null
    },
  }
}
