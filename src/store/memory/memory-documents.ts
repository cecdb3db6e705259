/** Documents in memory. */
import type { DocumentStore, StoredDocument } from '../../runtime/ports.ts'
import type { RecordStore } from '../../runtime/record/ports.ts'
import { documentsWritten } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import type { MemoryRegister } from './memory-register.ts'

export function memoryDocuments({
  note,
}: MemoryRegister): DocumentStore & Pick<RecordStore, 'listCollections'> {
  const documents = new Map<string, StoredDocument>()
  const nameOf = (collection: string, key: string) => JSON.stringify([collection, key])
  const versionOf = (collection: string, key: string) =>
    documents.get(nameOf(collection, key))?.version ?? 0
  const within = (collection: string, prefix: string) =>
    [...documents.values()].filter(
      (document) => document.collection === collection && document.key.startsWith(prefix),
    )
  return {
    readDocument: async (collection, key) => {
      const document = documents.get(nameOf(collection, key))
      return document === undefined ? null : { ...document }
    },
    readDocuments: async (collection, keys) =>
      [...new Set(keys)].toSorted().flatMap((key) => {
        const document = documents.get(nameOf(collection, key))
        return document === undefined ? [] : [{ ...document }]
      }),
    listDocuments: async ({ collection, prefix, after, limit }) => {
      const [last] = after === null ? [''] : parseCursor(after, [''])
      const rows = within(collection, prefix)
        .filter((document) => document.key > last)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map((document) => ({ ...document }))
      return pageFrom(rows, limit, (document) => [document.key])
    },
    listCollections: async () => [
      ...new Set([...documents.values()].map((document) => document.collection)),
    ],
    countDocuments: async (collection, prefix) => within(collection, prefix).length,
    writeDocuments: async (changes) => {
      const isStale = changes.some(
        ({ collection, key, expected }) =>
          expected !== null && expected !== versionOf(collection, key),
      )
      if (isStale) return 'conflict'
      for (const { collection, key, data, at } of changes) {
        const version = versionOf(collection, key) + 1
        if (data === null) documents.delete(nameOf(collection, key))
        else documents.set(nameOf(collection, key), { collection, key, version, data, at })
      }
      if (changes.length > 0) note(documentsWritten(changes))
      return 'written'
    },
  }
}
