/**
 * Deletes old documents of a collection. For collections that only save work or time: whatever is
 * needed forever is kept elsewhere.
 */
import type { DocumentStore, Store, StoredDocument } from '../ports.ts'

type Cards = Pick<DocumentStore, 'listCards' | 'writeCards'>
export type Old = { readonly drawer: string; readonly before: number; readonly at: number }
type Drawer = { readonly drawer: string; readonly at: number }

const pageMax = 500
/** Pages that are looked at in one go; the rest is there next time. */
const pagesMax = 200

/** Removes cards that were written last before a moment; gives how many. */
export function expireDocuments(cards: Cards, { drawer, before, at }: Old): Promise<number> {
  return forgetWhere(cards, { drawer, at }, async (card) => card.at < before)
}

type Runs = Cards & Pick<Store, 'readHead'>
type OfRuns = Drawer & {
  /** When a card is let go: after the end of its run, or with its last trace. */
  readonly once: 'ended' | 'removed'
  /** The id of the run that it belongs to; null: of none, so that it stays. Absent: its key. */
  readonly runOf?: (card: StoredDocument) => string | null
}

/** Removes cards of runs that need them no longer; gives how many. */
export function expireDocumentsOfRuns(
  store: Runs,
  { once, runOf, ...drawer }: OfRuns,
): Promise<number> {
  return forgetWhere(store, drawer, async (card) => {
    const runId = runOf === undefined ? card.key : runOf(card)
    if (runId === null) return false
    const head = await store.readHead(runId)
    return head === null || (once === 'ended' && head.endedAt !== null)
  })
}

async function forgetWhere(
  cards: Cards,
  { drawer, at }: Drawer,
  isOver: (card: StoredDocument) => Promise<boolean>,
): Promise<number> {
  let count = 0
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await cards.listCards({ drawer, prefix: '', after, limit: pageMax })
    for (const card of page.items) {
      if (!(await isOver(card))) continue
      const { key, version } = card
      const change = { drawer, key, expected: version, data: null, at }
      // Whoever writes it meanwhile needs it: it stays.
      if ((await cards.writeCards([change])) === 'written') count += 1
    }
    after = page.next
    if (after === null) break
  }
  return count
}
