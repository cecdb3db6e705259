/**
 * Deletes documents that are no longer needed: old mail replies, read positions of finished
 * transcripts, and documents of ended runs.
 */
import { transcriptCollection } from '../doors/hook/spending/open-spending.ts'
import { mailCountCollection, sentMailCollection } from '../proxy/mail/sent-mail.ts'
import { leaseCollection, runOfLease } from '../runtime/calls/leases.ts'
import { proxyKeyCollection } from '../runtime/costs/proxy-keys.ts'
import { expireDocuments, expireDocumentsOfRuns } from '../runtime/documents/expire-documents.ts'
import type { Store } from '../runtime/ports.ts'
import { titleCollection } from '../runtime/runs/run-titles.ts'
import type { LogLine } from './log-file.ts'
import { repeatEvery } from './repeat-timer.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const keptMs = { [sentMailCollection]: 7 * dayMs, [transcriptCollection]: 90 * dayMs }
/** WHY the count stays longer: a run that counted anew could send all of it again. */
const ofRuns = {
  [proxyKeyCollection]: 'ended',
  [mailCountCollection]: 'removed',
  [titleCollection]: 'removed',
} as const

/** Begins; gives what ends it. */
export function cleanUpHourly(store: Store, log: LogLine): () => Promise<void> {
  const forget = async (): Promise<void> => {
    const at = Date.now()
    const tell = (collection: string, count: number): void => {
      if (count > 0) log('info', 'old documents were deleted', { collection, count })
    }
    for (const [collection, ms] of Object.entries(keptMs)) {
      tell(collection, await expireDocuments(store, { collection, before: at - ms, at }))
    }
    for (const [collection, once] of Object.entries(ofRuns)) {
      tell(collection, await expireDocumentsOfRuns(store, { collection, at, once }))
    }
    const leases = { collection: leaseCollection, at, once: 'ended', runOf: runOfLease } as const
    tell(leaseCollection, await expireDocumentsOfRuns(store, leases))
  }
  const timer = repeatEvery(hourMs, forget, (fault) =>
    log('error', 'old documents could not be deleted', { fault: `${fault}` }),
  )
  return () => timer.stop()
}
