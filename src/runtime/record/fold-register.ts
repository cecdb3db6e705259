/**
 * Folds the register: what the store should contain, by the lines that were written with it.
 * Pure. Must not know what is stored.
 */
import type { Claim, DefinitionRow } from '../ports.ts'
import type { AcceptedRows, NotedHead, RegisterEntry, RegisteredDefinition } from './register.ts'

export type RegisteredRun = {
  /** Records and their hashes that the register knows of, the earliest first. */
  readonly noted: NotedHead[]
  readonly isImported: boolean
  /** Hashes of replies that no record binds, by their command. */
  readonly replies: Map<string, string>
  /** Digest of the replies from before the migration; null: there were none. */
  readonly acceptedReplies: string | null
  readonly acceptedOutbox: { readonly [id: string]: string }
}

type FoldedDefinition = Omit<DefinitionRow, 'latest' | 'updatedAt'> & {
  updatedAt: number
  readonly versions: Map<number, string>
}

export type FoldedRegister = {
  readonly runs: Map<string, RegisteredRun>
  /** Ids of outbox items that were delivered. */
  readonly settled: Set<string>
  /** By run and branch. */
  readonly claims: Map<string, Claim>
  readonly definitions: Map<string, FoldedDefinition>
  /** By collection and key. */
  readonly documents: Map<string, { readonly version: number; readonly hash: string }>
}

export function emptyRegister(): FoldedRegister {
  return {
    runs: new Map(),
    settled: new Set(),
    claims: new Map(),
    definitions: new Map(),
    documents: new Map(),
  }
}

/** The name of a row whose key has two parts. */
export function pairKey(one: string, two: string): string {
  return JSON.stringify([one, two])
}

export function unknownToRegister(): RegisteredRun {
  return {
    noted: [],
    isImported: false,
    replies: new Map(),
    acceptedReplies: null,
    acceptedOutbox: {},
  }
}

/** Adds one entry to what is folded so far. */
export function foldEntry(folded: FoldedRegister, entry: RegisterEntry): void {
  const { runs, claims, documents } = folded
  switch (entry.type) {
    case 'run.started':
      runs.set(entry.runId, { ...unknownToRegister(), noted: [[entry.runId, 1, entry.hash]] })
      return
    case 'run.imported':
      runs.set(entry.head[0], { ...unknownToRegister(), noted: [entry.head], isImported: true })
      return
    case 'runs.removed':
      for (const id of entry.runIds) runs.delete(id)
      dropClaims(claims, ({ runId }) => entry.runIds.includes(runId))
      return
    case 'heads.noted':
      for (const head of entry.heads) runs.get(head[0])?.noted.push(head)
      return
    case 'reply.kept':
      runs.get(entry.runId)?.replies.set(entry.commandId, entry.hash)
      return
    case 'outbox.settled':
      folded.settled.add(entry.id)
      return
    case 'claim.taken': {
      const { type: _, ...claim } = entry
      claims.set(pairKey(claim.runId, claim.branch), claim)
      return
    }
    case 'claims.released':
      dropClaims(claims, (claim) =>
        'session' in entry ? claim.session === entry.session : claim.runId === entry.runId,
      )
      return
    case 'definition.created':
    case 'definition.changed':
    case 'definition.deleted':
      foldDefinition(folded, entry)
      return
    case 'documents.written':
      for (const [collection, key, hash] of entry.documents) {
        const name = pairKey(collection, key)
        const version = (documents.get(name)?.version ?? 0) + 1
        if (hash === null) documents.delete(name)
        else documents.set(name, { version, hash })
      }
      return
    case 'store.accepted':
      accept(folded, entry)
      return
    default:
      throw new Error(`an entry of the unknown type \`${(entry as { type: string }).type}\``)
  }
}

function dropClaims(claims: Map<string, Claim>, isGone: (claim: Claim) => boolean): void {
  for (const [key, claim] of claims) if (isGone(claim)) claims.delete(key)
}

type OnDefinition = Extract<RegisterEntry, { type: `definition.${string}` }>

function foldDefinition({ definitions }: FoldedRegister, entry: OnDefinition): void {
  if (entry.type === 'definition.deleted') definitions.delete(entry.id)
  else if (entry.type === 'definition.created') {
    const { type: _, ...definition } = entry
    definitions.set(entry.id, unfolded(definition))
  } else {
    const known = definitions.get(entry.id)
    known?.versions.set(...entry.version)
    if (known !== undefined) known.updatedAt = entry.at
  }
}

function unfolded({ versions, ...definition }: RegisteredDefinition): FoldedDefinition {
  return { ...definition, versions: new Map(versions) }
}

function accept(
  { runs, claims, definitions, documents }: FoldedRegister,
  rows: AcceptedRows,
): void {
  for (const { head, replies, outbox } of rows.runs) {
    const known = { ...unknownToRegister(), acceptedReplies: replies, acceptedOutbox: outbox }
    runs.set(head[0], { ...known, noted: [head] })
  }
  for (const claim of rows.claims) claims.set(pairKey(claim.runId, claim.branch), claim)
  for (const definition of rows.definitions) definitions.set(definition.id, unfolded(definition))
  for (const [collection, key, version, hash] of rows.documents) {
    documents.set(pairKey(collection, key), { version, hash })
  }
}
