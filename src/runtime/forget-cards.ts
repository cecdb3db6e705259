/**
 * Lets old cards of a drawer go. For drawers whose cards only save work or time: what is needed
 * for ever is kept elsewhere.
 */
import type { CardStore } from './ports.ts'

type Cards = Pick<CardStore, 'listCards' | 'writeCards'>
export type Old = { readonly drawer: string; readonly before: number; readonly at: number }

const pageMax = 500
/** Pages that are looked at in one go; the rest is there next time. */
const pagesMax = 200

/** Removes cards that were written last before a moment; gives how many. */
export async function forgetCards(cards: Cards, { drawer, before, at }: Old): Promise<number> {
  let count = 0
  let after: string | null = null
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await cards.listCards({ drawer, prefix: '', after, limit: pageMax })
    const old = page.items.filter((card) => card.at < before)
    for (const { key, version } of old) {
      const change = { drawer, key, expected: version, data: null, at }
      // Whoever writes it meanwhile needs it: it stays.
      if ((await cards.writeCards([change])) === 'written') count += 1
    }
    after = page.next
    if (after === null) break
  }
  return count
}
