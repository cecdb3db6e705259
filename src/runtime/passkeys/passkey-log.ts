/**
 * The log of passkeys: which keys were added, removed and reset, by whom, each record chained to
 * the one before it like those of a run. Kept as documents, so that every store has it.
 */
import type { PasskeyProof } from '../../core/engine/decision-proof.ts'
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore, EventRecord } from '../ports.ts'
import { chained, chainStart, openChainCheck } from '../runs/hash-chain.ts'

export const passkeyCollection = 'passkey-log'
/** What stands for a run in the chain. */
export const passkeyLogId = 'passkeys'
/** Records of one log; a person registers a few keys in a life. */
const recordsMax = 5_000
const pageMax = 500
const seqDigits = 8

export type PasskeyEvent =
  | {
      readonly type: 'passkey.added'
      readonly person: string
      readonly label: string
      readonly rpId: string
      readonly credentialId: string
      readonly publicKey: string
      readonly counter: number
      readonly aaguid: string
      /** By whose key it was confirmed; absent: it was the first key of all. */
      readonly proof?: PasskeyProof
    }
  | {
      readonly type: 'passkey.removed'
      readonly person: string
      readonly credentialId: string
      readonly proof: PasskeyProof
    }
  /** Offline, by whoever has the data directory. `person` null: of everybody. */
  | { readonly type: 'passkey.reset'; readonly person: string | null }

/** A key that counts, or did. */
export type Passkey = {
  readonly credentialId: string
  readonly person: string
  readonly label: string
  readonly rpId: string
  readonly publicKey: string
  readonly counter: number
  readonly addedAt: number
  /** Records of the log from its adding until its removal, without the latter. */
  readonly fromSeq: number
  readonly untilSeq: number | null
  /** Who confirmed it; null: nobody had a key yet. */
  readonly confirmedBy: string | null
}

/** A log that was read and holds together. */
export type PasskeyLog = {
  readonly records: readonly EventRecord[]
  readonly head: { readonly seq: number; readonly hash: string }
  readonly keys: readonly Passkey[]
  readonly resetsCount: number
}

/** The event in a record. */
export function passkeyEventIn({ data }: EventRecord): PasskeyEvent {
  // WHY the cast: the store's texts are ours, and the chain tells when they were changed.
  return JSON.parse(data) as PasskeyEvent
}

/** Reads the log. Fault `LOG_BROKEN`: nothing in it can be relied on. */
export async function readPasskeyLog(documents: DocumentStore): Promise<PasskeyLog> {
  const records: EventRecord[] = []
  for (let after: string | null = null; ; ) {
    const query = { collection: passkeyCollection, prefix: '', after, limit: pageMax }
    const page: Awaited<ReturnType<DocumentStore['listDocuments']>> =
      await documents.listDocuments(query)
    records.push(...page.items.map(({ data }) => JSON.parse(data) as EventRecord))
    after = page.next
    if (after === null || records.length > recordsMax) break
  }
  return foldPasskeys(records)
}

/** What a list of records says. Fault `LOG_BROKEN`. */
export function foldPasskeys(records: readonly EventRecord[]): PasskeyLog {
  const check = openChainCheck(passkeyLogId)
  const verified = check.add(records) ?? check.end(null)
  if (!verified.ok) {
    const message = `the log of passkeys is damaged at record ${verified.seq}: ${verified.problem}`
    throw new PawlError('LOG_BROKEN', message, { hint: 'restore a backup of the database' })
  }
  const keys = new Map<string, Passkey>()
  let resetsCount = 0
  for (const record of records) {
    const event = passkeyEventIn(record)
    if (event.type === 'passkey.added') keys.set(event.credentialId, keyOf(event, record, keys))
    else {
      if (event.type === 'passkey.reset') resetsCount += 1
      for (const key of keys.values()) {
        if (key.untilSeq !== null || !isMeant(event, key)) continue
        keys.set(key.credentialId, { ...key, untilSeq: record.seq })
      }
    }
  }
  const { seq, hash } = records.at(-1) ?? { seq: 0, hash: chainStart }
  return { records, head: { seq, hash }, keys: [...keys.values()], resetsCount }
}

function isMeant(event: Exclude<PasskeyEvent, { type: 'passkey.added' }>, key: Passkey): boolean {
  if (event.type === 'passkey.removed') return key.credentialId === event.credentialId
  return event.person === null || event.person === key.person
}

function keyOf(
  event: Extract<PasskeyEvent, { type: 'passkey.added' }>,
  { seq, at }: EventRecord,
  known: ReadonlyMap<string, Passkey>,
): Passkey {
  const { credentialId, person, label, rpId, publicKey, counter, proof } = event
  const confirmedBy = proof === undefined ? null : (known.get(proof.credentialId)?.person ?? null)
  const when = { addedAt: at, fromSeq: seq, untilSeq: null }
  return { credentialId, person, label, rpId, publicKey, counter, ...when, confirmedBy }
}

/** Keys that count now. */
export function activeKeys({ keys }: PasskeyLog): readonly Passkey[] {
  return keys.filter((key) => key.untilSeq === null)
}

type Appended = { readonly event: PasskeyEvent; readonly at: number; readonly actor: string }

/** Writes the next record of a log as it was read; false: it has moved on meanwhile. */
export async function appendPasskey(
  documents: DocumentStore,
  { head, records }: PasskeyLog,
  { event, at, actor }: Appended,
): Promise<boolean> {
  const seq = head.seq + 1
  if (seq > recordsMax) {
    throw new PawlError('OVERLOADED', 'the log of passkeys is full')
  }
  const latest = records.at(-1)?.at ?? 0
  const record = chained(passkeyLogId, head.hash, {
    ...{ seq, member: passkeyLogId, type: event.type, data: JSON.stringify(event) },
    ...{ at: Math.max(at, latest), actor, commandId: `passkey-${seq}`, binds: null },
  })
  const key = String(seq).padStart(seqDigits, '0')
  const change = { collection: passkeyCollection, key, expected: 0, data: JSON.stringify(record) }
  return (await documents.writeDocuments([{ ...change, at }])) === 'written'
}

/** Removes the keys of a person, or everybody's, without a signature; gives how many. */
export async function resetPasskeys(
  documents: DocumentStore,
  person: string | null,
  by: Pick<Appended, 'at' | 'actor'>,
): Promise<number> {
  const log = await readPasskeyLog(documents)
  const event = { type: 'passkey.reset', person } as const
  const gone = activeKeys(log).filter((key) => isMeant(event, key))
  if (gone.length === 0) {
    const whose = person === null ? 'nobody has' : `\`${person}\` has not got`
    throw new PawlError('USAGE', `${whose} a passkey`, { hint: '`pawl passkey list` lists them' })
  }
  if (await appendPasskey(documents, log, { event, ...by })) return gone.length
  throw new PawlError('STORE_CONFLICT', 'the passkeys were changed meanwhile', {
    hint: 'try again',
  })
}
