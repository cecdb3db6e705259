/** A hook for the run at a past event. The code for it is loaded on first use. */
import { useEffect, useRef, useState } from 'react'
import type { HistoryFold, RunAtEvent } from './history-fold.ts'
import { loadChunk } from './load-chunk.ts'
import type { LogRecord } from './run-log.ts'

/** Null: it is now, or not yet known. */
export function useRunAtEvent(
  runId: string,
  at: number | null,
  held: readonly LogRecord[],
): RunAtEvent | null {
  const [past, setPast] = useState<RunAtEvent | null>(null)
  const folder = useRef<Promise<HistoryFold> | null>(null)
  const records = useRef(held)
  records.current = held
  useEffect(() => {
    if (at === null) return setPast(null)
    let isCurrent = true
    folder.current ??= loadChunk(() => import('./history-fold.ts')).then(({ openHistoryFold }) =>
      openHistoryFold(runId),
    )
    folder.current
      .then((opened) => opened.at(at, records.current))
      .then((found) => {
        if (isCurrent) setPast(found)
      })
      // Nothing is shown then, and the next look tries again.
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [runId, at])
  return past?.seq === at ? past : null
}
