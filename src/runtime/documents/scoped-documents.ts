/** Documents with an owner: all documents of one process or one workspace in a collection. */
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore, StoredDocument } from '../ports.ts'

/** Whose documents: those of one definition in a workspace, or of everything that runs there. */
export type DocumentScope = {
  /** The folder; empty: of runs that have none. */
  readonly workspace: string
  /** The name of a definition; null: all of them share it. */
  readonly definition: string | null
}

/** Who wrote a document. */
export type DocumentWriter = { readonly run: string; readonly source: string }

/**
 * The beginning of the keys of a scope.
 * WHY JSON: it says where it ends, so no scope is the beginning of another.
 */
export function prefixOf({ workspace, definition }: DocumentScope): string {
  return JSON.stringify([workspace, definition])
}

const pageMax = 500

/** All documents of a scope, in order of the key: there are never more than its limit. */
export async function documentsOf(
  store: DocumentStore,
  collection: string,
  scope: DocumentScope,
): Promise<readonly StoredDocument[]> {
  const prefix = prefixOf(scope)
  const documents: StoredDocument[] = []
  for (let after: string | null = null; ; ) {
    const page = await store.listDocuments({ collection, prefix, after, limit: pageMax })
    documents.push(...page.items)
    if (page.next === null) return documents
    after = page.next
  }
}

/** What a document says; it was written here, as an object. */
export function dataOf(document: StoredDocument): JsonObject {
  return JSON.parse(document.data) as JsonObject
}

/** The fault of whoever would keep more than there is room for. */
export function tooMuch(message: string, hint: string): PawlError {
  return new PawlError('REQUEST_INVALID', message, { hint })
}
