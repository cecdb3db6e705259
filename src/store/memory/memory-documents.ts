/** Documents, for as long as the process lasts. */
import type { DocumentStore, StoredDocument } from '../../runtime/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'

export function memoryDocuments(): DocumentStore {
  const cards = new Map<string, StoredDocument>()
  const nameOf = (drawer: string, key: string) => JSON.stringify([drawer, key])
  const versionOf = (drawer: string, key: string) => cards.get(nameOf(drawer, key))?.version ?? 0
  const within = (drawer: string, prefix: string) =>
    [...cards.values()].filter((card) => card.drawer === drawer && card.key.startsWith(prefix))
  return {
    readCard: async (drawer, key) => {
      const card = cards.get(nameOf(drawer, key))
      return card === undefined ? null : { ...card }
    },
    listCards: async ({ drawer, prefix, after, limit }) => {
      const [last] = after === null ? [''] : parseCursor(after, [''])
      const rows = within(drawer, prefix)
        .filter((card) => card.key > last)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map((card) => ({ ...card }))
      return pageFrom(rows, limit, (card) => [card.key])
    },
    countCards: async (drawer, prefix) => within(drawer, prefix).length,
    writeCards: async (changes) => {
      const isStale = changes.some(
        ({ drawer, key, expected }) => expected !== null && expected !== versionOf(drawer, key),
      )
      if (isStale) return 'conflict'
      for (const { drawer, key, data, at } of changes) {
        const version = versionOf(drawer, key) + 1
        if (data === null) cards.delete(nameOf(drawer, key))
        else cards.set(nameOf(drawer, key), { drawer, key, version, data, at })
      }
      return 'written'
    },
  }
}
