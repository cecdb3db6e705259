/**
 * Leases of approved calls: while its holder renews it, an approved call counts as being made and
 * nobody else may give it up.
 * Knows leases. Must not know who judges.
 */
import type { Clock } from '../clock.ts'
import type { DocumentStore, StoredDocument } from '../ports.ts'
import type { HeldCall } from './calls.ts'

/** How long a call counts as being made after the last word of its holder. */
export const callLeaseMs = 10_000

/** Where leases are kept. */
export const leaseCollection = 'leases'

type Lease = { readonly holder: string; readonly until: number }

type CallName = Pick<HeldCall, 'runId' | 'callId'>

export type LeaseTools = {
  readonly store: Pick<DocumentStore, 'readDocument' | 'writeDocuments'>
  readonly clock: Clock
}

/** From now on the call is being made. */
export async function putLease(tools: LeaseTools, call: HeldCall): Promise<void> {
  const lease = { holder: call.holder, until: tools.clock.now() + callLeaseMs }
  await write(tools, call, { expected: null, lease })
}

/** `none`: nobody makes the call, as far as is known. `foreign`: another holder does. */
export async function renewLease(
  tools: LeaseTools,
  call: HeldCall,
): Promise<'renewed' | 'none' | 'foreign'> {
  const found = await readLease(tools, call)
  if (found === null) return 'none'
  if (found.lease.holder !== call.holder) return 'foreign'
  const lease = { ...found.lease, until: tools.clock.now() + callLeaseMs }
  const written = await write(tools, call, { expected: found.document.version, lease })
  return written === 'written' ? 'renewed' : 'none'
}

/** Ends a lease that has run out, so that its call can be written off; false: it holds. */
export async function takeLease(tools: LeaseTools, call: CallName): Promise<boolean> {
  const found = await readLease(tools, call)
  if (found === null) return true
  if (found.lease.until > tools.clock.now()) return false
  const change = { expected: found.document.version, lease: null }
  return (await write(tools, call, change)) === 'written'
}

/** The call has ended. */
export async function dropLease(tools: LeaseTools, call: CallName): Promise<void> {
  if ((await readLease(tools, call)) === null) return
  await write(tools, call, { expected: null, lease: null })
}

/** The run that a lease belongs to. */
export function runOfLease({ key }: Pick<StoredDocument, 'key'>): string | null {
  return key.split(' ')[0] ?? null
}

async function readLease(
  { store }: LeaseTools,
  call: CallName,
): Promise<{ readonly document: StoredDocument; readonly lease: Lease } | null> {
  const document = await store.readDocument(leaseCollection, keyOf(call))
  // WHY the cast: nobody else writes into this collection.
  return document === null ? null : { document, lease: JSON.parse(document.data) as Lease }
}

type Change = { readonly expected: number | null; readonly lease: Lease | null }

function write(
  { store, clock }: LeaseTools,
  call: CallName,
  { expected, lease }: Change,
): Promise<'written' | 'conflict'> {
  const data = lease === null ? null : JSON.stringify(lease)
  const change = { collection: leaseCollection, key: keyOf(call), expected, data, at: clock.now() }
  return store.writeDocuments([change])
}

function keyOf({ runId, callId }: CallName): string {
  return `${runId} ${callId}`
}
