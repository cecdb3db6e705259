/**
 * The register: one hash chain per store over what no run's log can tell of. Which runs there are,
 * which were removed, who holds them, the definitions, the documents (ADR 0024).
 * Pure but for the hash. Must not know SQL.
 */
import { hash } from 'node:crypto'
import type { Claim, DefinitionRow, DefinitionVersion, DocumentChange } from '../ports.ts'
import { hashText } from './binds.ts'
import type { RegisterTip } from './ports.ts'

/** A run, the number of its last record, and that record's hash. */
export type NotedHead = readonly [runId: string, seq: number, hash: string]

export type RegisterEntry =
  | { readonly type: 'run.started'; readonly runId: string; readonly hash: string }
  | { readonly type: 'run.imported'; readonly head: NotedHead }
  | { readonly type: 'runs.removed'; readonly runIds: readonly string[] }
  | ReplyKept
  | { readonly type: 'outbox.settled'; readonly id: string }
  | ({ readonly type: 'claim.taken' } & Claim)
  | { readonly type: 'claims.released'; readonly session: string }
  | { readonly type: 'claims.released'; readonly runId: string }
  | ({ readonly type: 'definition.created' } & RegisteredDefinition)
  | DefinitionChanged
  | { readonly type: 'definition.deleted'; readonly id: string }
  | { readonly type: 'documents.written'; readonly documents: readonly RegisteredDocument[] }
  | { readonly type: 'heads.noted'; readonly at: number; readonly heads: readonly NotedHead[] }
  | ({ readonly type: 'store.accepted' } & AcceptedRows)

/** A reply to a command that recorded nothing, and so is bound by no record. */
type ReplyKept = {
  readonly type: 'reply.kept'
  readonly runId: string
  readonly commandId: string
  readonly hash: string
}

type DefinitionChanged = {
  readonly type: 'definition.changed'
  readonly id: string
  readonly version: RegisteredVersion
  readonly at: number
}

/** Null: the document was removed. */
type RegisteredDocument = readonly [collection: string, key: string, hash: string | null]

export type RegisteredVersion = readonly [version: number, hash: string]

export type RegisteredDefinition = Omit<DefinitionRow, 'latest'> & {
  readonly versions: readonly RegisteredVersion[]
}

/** What was in a store of an older version when it was migrated: accepted as it was then. */
export type AcceptedRows = {
  /** The version of the schema that the store was brought to. */
  readonly version: number
  /** A random text: no two stores have the same first line. */
  readonly id: string
  readonly runs: readonly AcceptedRun[]
  readonly claims: readonly Claim[]
  readonly definitions: readonly RegisteredDefinition[]
  readonly documents: readonly (readonly [
    collection: string,
    key: string,
    version: number,
    hash: string,
  ])[]
}

export type AcceptedRun = {
  readonly head: NotedHead
  /** Digest over the replies; they are too many to be listed. */
  readonly replies: string
  readonly outbox: { readonly [id: string]: string }
}

/** What the first line follows. */
export const registerStart = ''

/** How a line keeps an entry. */
export function printEntry(entry: RegisterEntry): string {
  // WHY: PostgreSQL hashes the text as it stores it, and this character is one that it rewrites.
  return JSON.stringify(entry).replaceAll('\ufdd0', '\\ufdd0')
}

/** The hash of a line. */
export function hashEntry(before: string, text: string): string {
  return hash('sha256', `${before}\n${text}`, 'hex')
}

/** The line after this one. */
export function nextTip(tip: RegisterTip | null, text: string): RegisterTip {
  const { seq, hash: before } = tip ?? { seq: 0, hash: registerStart }
  return { seq: seq + 1, hash: hashEntry(before, text) }
}

/** The hash by which the register knows a version of a definition. */
export function hashVersion(one: DefinitionVersion): string {
  const { version, sourceHash, source, format, machines, createdAt } = one
  const pins = Object.entries(machines)
  return hashText(JSON.stringify([version, sourceHash, source, format, pins, createdAt]))
}

/** The hash by which the register knows a document. */
export function hashDocument({ data, at }: { readonly data: string; readonly at: number }): string {
  return hashText(JSON.stringify([data, at]))
}

/** One hash over all replies of a run, in whatever order. */
export function digestReplies(
  replies: readonly { readonly commandId: string; readonly text: string }[],
): string {
  const hashes = replies.map(({ commandId, text }) => hashText(JSON.stringify([commandId, text])))
  return hashText(hashes.sort().join('\n'))
}

/** The entry for a definition that is created. */
export function definitionCreated({ latest, ...row }: DefinitionRow): RegisterEntry {
  const { id, name, workspace, dialect, createdAt, updatedAt } = row
  const versions = [[latest.version, hashVersion(latest)] as const]
  const registered = { id, name, workspace, dialect, createdAt, updatedAt, versions }
  return { type: 'definition.created', ...registered }
}

/** The entry for a definition that gets a version. */
export function definitionChanged(id: string, next: DefinitionVersion): RegisterEntry {
  const version = [next.version, hashVersion(next)] as const
  return { type: 'definition.changed', id, version, at: next.createdAt }
}

/** The entry for documents that are written or removed. */
export function documentsWritten(changes: readonly DocumentChange[]): RegisterEntry {
  const documents = changes.map(
    ({ collection, key, data, at }): RegisteredDocument => [
      collection,
      key,
      data === null ? null : hashDocument({ data, at }),
    ],
  )
  return { type: 'documents.written', documents }
}
