/** What the command palette offers, and how a search orders it. */

export type PaletteItem = {
  readonly key: string
  readonly kind: 'Page' | 'Approval' | 'Run' | 'Definition' | 'Action'
  readonly name: string
  readonly about: string
  /** Where it leads; an action has none. */
  readonly href?: string
  readonly act?: () => void
}

const shownMax = 12

/**
 * The best matches, best first: every word has to occur. A name that begins with the text comes
 * before one that has a word that does, and that before the rest; otherwise the given order stays.
 */
export function matchItems(items: readonly PaletteItem[], text: string): readonly PaletteItem[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter(Boolean)
  if (words.length === 0) return items.slice(0, shownMax)
  return items
    .map((item) => ({ item, rank: rankOf(item, wanted, words) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, shownMax)
    .map(({ item }) => item)
}

/** Null: no match. Smaller is better. */
function rankOf(
  { kind, name, about, key }: PaletteItem,
  wanted: string,
  words: readonly string[],
): number | null {
  const title = name.toLowerCase()
  const all = `${title} ${about} ${kind} ${key}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return null
  if (title.startsWith(wanted)) return 0
  const parts = title.split(/[\s_\-./]+/)
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1
  return words.every((word) => title.includes(word)) ? 2 : 3
}
