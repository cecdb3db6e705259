/**
 * How often each authenticator says that it has signed. A count that does not grow tells of a
 * copy of the key. Many passkeys never count; theirs stays zero.
 */
import type { DocumentChange, DocumentStore } from '../ports.ts'
import type { Passkey } from './passkey-log.ts'

const collection = 'passkey-count'

export type StoredCount = { readonly count: number; readonly version: number }

/** The last count of a key that was seen. */
export async function storedCount(documents: DocumentStore, key: Passkey): Promise<StoredCount> {
  const kept = await documents.readDocument(collection, key.credentialId)
  if (kept === null) return { count: key.counter, version: 0 }
  const { count } = JSON.parse(kept.data) as { readonly count: number }
  return { count: Math.max(count, key.counter), version: kept.version }
}

/** The change that keeps a new count, unless somebody else was faster. */
export function nextCount(
  key: Passkey,
  { version }: StoredCount,
  { count, at }: { readonly count: number; readonly at: number },
): DocumentChange {
  const data = JSON.stringify({ count })
  return { collection, key: key.credentialId, expected: version, data, at }
}
