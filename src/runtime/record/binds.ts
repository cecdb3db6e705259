/**
 * What binds the rows beside a log to its hash chain: the last record of a command has the hashes
 * of the reply, the outbox items and the snapshot that were stored with it (ADR 0024).
 */
import { hash } from 'node:crypto'
import type { OutboxItem } from '../ports.ts'

export type Binds = {
  /** Hash of the reply's text. */
  readonly reply?: string
  /** Hash of the snapshot's text. */
  readonly snapshot?: string
  /** Hash of each outbox item, by its id. */
  readonly outbox?: { readonly [id: string]: string }
}

/** The hash by which a record binds a text. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64')
}

/** The hash of an outbox item: of what is owed, not of when it is tried again. */
export function hashOutboxItem({ id, runId, kind, data }: OutboxItem): string {
  return hashText(JSON.stringify([id, runId, kind, data]))
}

/** How a record keeps what it binds; null: nothing. */
export function printBinds(rows: {
  readonly reply: string | null
  readonly snapshot: string | null
  readonly outbox: readonly OutboxItem[]
}): string | null {
  const { reply, snapshot, outbox } = rows
  if (snapshot === null && outbox.length === 0) {
    // WHY by hand: nearly every record is like this, and base64 needs no escapes.
    return reply === null ? null : `{"reply":"${hashText(reply)}"}`
  }
  const binds: Binds = {
    ...(reply === null ? {} : { reply: hashText(reply) }),
    ...(snapshot === null ? {} : { snapshot: hashText(snapshot) }),
    ...(outbox.length === 0
      ? {}
      : { outbox: Object.fromEntries(outbox.map((one) => [one.id, hashOutboxItem(one)])) }),
  }
  return JSON.stringify(binds)
}

/** What a record binds. */
export function bindsIn({ binds }: { readonly binds: string | null }): Binds {
  // WHY the cast: nobody but this file writes it, and the chain tells when it was changed.
  return binds === null ? {} : (JSON.parse(binds) as Binds)
}
