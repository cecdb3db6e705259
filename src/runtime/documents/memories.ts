/**
 * Values that an agent stores by key to read later, in the scope of a process or a workspace. Knows
 * documents. Must not know who may ask.
 */
import type { Json } from '../../core/json.ts'
import type { Clock } from '../clock.ts'
import type { DocumentStore, StoredDocument } from '../ports.ts'
import {
  type DocumentScope,
  type DocumentWriter,
  dataOf,
  documentsOf,
  prefixOf,
  tooMuch,
} from './scoped-documents.ts'

export type Memory = {
  readonly key: string
  readonly value: Json
  /** 1, and one more with each writing. */
  readonly version: number
  readonly at: number
  readonly by: DocumentWriter
}

export type Memories = {
  /** Fault `REQUEST_INVALID`: too large, or one too many. */
  readonly set: (scope: DocumentScope, note: Note, by: DocumentWriter) => Promise<Memory>
  readonly get: (scope: DocumentScope, key: string) => Promise<Memory | null>
  /** Those whose key begins so, in order of the key. */
  readonly list: (scope: DocumentScope, prefix: string) => Promise<readonly Memory[]>
  /** Those whose key or value has all of these words, the latest first. */
  readonly search: (scope: DocumentScope, words: string) => Promise<readonly Memory[]>
  /** Whether there was one. */
  readonly remove: (scope: DocumentScope, key: string) => Promise<boolean>
}

export type Note = { readonly key: string; readonly value: Json }

const collection = 'memory'
/** Characters of a value as JSON. */
export const valueCharsMax = 16_384
/** Memories of one scope. */
export const memoriesMax = 1_000

type Options = { readonly store: DocumentStore; readonly clock: Clock }

export function openMemories({ store, clock }: Options): Memories {
  const all = async (scope: DocumentScope): Promise<readonly Memory[]> => {
    const documents = await documentsOf(store, collection, scope)
    return documents.map((document) => memoryOf(document, scope))
  }
  const find = async (scope: DocumentScope, key: string): Promise<Memory | null> => {
    const document = await store.readDocument(collection, prefixOf(scope) + key)
    return document === null ? null : memoryOf(document, scope)
  }
  return {
    get: find,
    list: async (scope, prefix) => (await all(scope)).filter((one) => one.key.startsWith(prefix)),
    search: async (scope, words) => {
      const wanted = words.toLowerCase().split(/\s+/)
      const found = (await all(scope)).filter(({ key, value }) => {
        const text = `${key} ${JSON.stringify(value)}`.toLowerCase()
        return wanted.every((word) => text.includes(word))
      })
      return found.sort((left, right) => right.at - left.at)
    },
    set: async (scope, { key, value }, by) => {
      const chars = JSON.stringify(value).length
      if (chars > valueCharsMax) {
        const message = `\`${key}\` has ${chars} characters; the limit is ${valueCharsMax}`
        throw tooMuch(message, 'store less, or split it')
      }
      const known = await find(scope, key)
      if (known === null) await refuseFull(store, scope)
      const at = clock.now()
      const data = JSON.stringify({ value, by })
      const change = { collection, key: prefixOf(scope) + key, expected: null, data, at }
      await store.writeDocuments([change])
      return { key, value, by, at, version: (known?.version ?? 0) + 1 }
    },
    remove: async (scope, key) => {
      if ((await find(scope, key)) === null) return false
      const change = { collection, key: prefixOf(scope) + key, expected: null, at: clock.now() }
      await store.writeDocuments([{ ...change, data: null }])
      return true
    },
  }
}

async function refuseFull(store: DocumentStore, scope: DocumentScope): Promise<void> {
  if ((await store.countDocuments(collection, prefixOf(scope))) < memoriesMax) return
  throw tooMuch(
    `there are already ${memoriesMax} memories`,
    'delete some that are no longer needed',
  )
}

function memoryOf(document: StoredDocument, scope: DocumentScope): Memory {
  const { value = null, by } = dataOf(document)
  const key = document.key.slice(prefixOf(scope).length)
  // WHY the cast: it was written above.
  return { key, value, version: document.version, at: document.at, by: by as DocumentWriter }
}
