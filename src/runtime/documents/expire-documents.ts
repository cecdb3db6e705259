/**
 * Deletes old documents of a collection. For collections that only save work or time: whatever is
 * needed forever is kept elsewhere.
 */
import type { DocumentStore, Store, StoredDocument } from '../ports.ts'

type Documents = Pick<DocumentStore, 'listDocuments' | 'writeDocuments'>
export type Old = { readonly collection: string; readonly before: number; readonly at: number }
type Collection = { readonly collection: string; readonly at: number }

const pageMax = 500
/** Pages that are looked at in one go; the rest is there next time. */
const pagesMax = 200

/** Removes documents that were written last before a moment; gives how many. */
export function expireDocuments(
  documents: Documents,
  { collection, before, at }: Old,
): Promise<number> {
  return forgetWhere(documents, { collection, at }, async (document) => document.at < before)
}

type Runs = Documents & Pick<Store, 'readHead'>
type OfRuns = Collection & {
  /** When a document is let go: after the end of its run, or with its last trace. */
  readonly once: 'ended' | 'removed'
  /** The id of the run that it belongs to; null: of none, so that it stays. Absent: its key. */
  readonly runOf?: (document: StoredDocument) => string | null
}

/** Removes documents of runs that need them no longer; gives how many. */
export function expireDocumentsOfRuns(
  store: Runs,
  { once, runOf, ...collection }: OfRuns,
): Promise<number> {
  return forgetWhere(store, collection, async (document) => {
    const runId = runOf === undefined ? document.key : runOf(document)
    if (runId === null) return false
    const head = await store.readHead(runId)
    return head === null || (once === 'ended' && head.endedAt !== null)
  })
}

async function forgetWhere(
  documents: Documents,
  { collection, at }: Collection,
  isOver: (document: StoredDocument) => Promise<boolean>,
): Promise<number> {
  let count = 0
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await documents.listDocuments({ collection, prefix: '', after, limit: pageMax })
    for (const document of page.items) {
      if (!(await isOver(document))) continue
      const { key, version } = document
      const change = { collection, key, expected: version, data: null, at }
      // Whoever writes it meanwhile needs it: it stays.
      if ((await documents.writeDocuments([change])) === 'written') count += 1
    }
    after = page.next
    if (after === null) break
  }
  return count
}
