/**
 * The cards of calls that a person has to agree to: one for the call itself, under the hash of its
 * contents, and from its beginning on one that leads there from its id. Both go together.
 * Knows cards and leases. Must not know who judges.
 */
import type { Clock } from './clock.ts'
import { callLeaseMs, gatewayDrawer } from './gateway.ts'
import type { Card, CardChange, CardStore } from './ports.ts'

export type CardsDesk = { readonly store: CardStore; readonly clock: Clock }

export type BegunNote = {
  readonly state: 'begun'
  readonly approvalId: string
  readonly runId: string
  readonly callId: string
  /** The process that makes it: only its word on the end counts. Null: it is written off. */
  readonly holder: string | null
  /** What it costs if its end is never seen. */
  readonly estimateMicroUsd: number
  /** Until then nobody else may write it off; the holder puts it off while it lives. */
  readonly leaseUntil: number
  readonly commandId: string | null
}
export type Note =
  | { readonly state: 'asked'; readonly approvalId: string; readonly runId: string }
  | BegunNote

/** A call that was begun, with its card. */
export type BegunCall = { readonly key: string; readonly card: Card; readonly note: BegunNote }

type Place = { readonly key: string; readonly card: Card | null }

export function noteIn({ data }: Card): Note {
  // WHY the cast: nobody else writes these cards.
  return JSON.parse(data) as Note
}

/** Puts the question on the card. `conflict`: somebody else was faster. */
export function putAsked(
  desk: CardsDesk,
  place: Place & { readonly runId: string },
  approvalId: string,
): Promise<'written' | 'conflict'> {
  const { runId } = place
  return desk.store.writeCards([changeOf(desk, place, { state: 'asked', approvalId, runId })])
}

/** From now on it is being made, under a lease. */
export function putBegun(
  desk: CardsDesk,
  place: Place,
  begun: Omit<BegunNote, 'state' | 'leaseUntil'>,
): Promise<'written' | 'conflict'> {
  const leaseUntil = desk.clock.now() + callLeaseMs
  const way = { key: wayTo(begun), card: null }
  return desk.store.writeCards([
    changeOf(desk, place, { state: 'begun', ...begun, leaseUntil }),
    { ...changeOf(desk, way, null), data: JSON.stringify({ key: place.key, runId: begun.runId }) },
  ])
}

/** Takes the card away, and what leads to it. */
export function removeCard(
  desk: CardsDesk,
  place: Place & { readonly note?: Note },
): Promise<'written' | 'conflict'> {
  const { note } = place
  const way = note?.state === 'begun' ? { key: wayTo(note), card: null } : null
  return desk.store.writeCards([
    changeOf(desk, place, null),
    ...(way === null ? [] : [{ ...changeOf(desk, way, null), expected: null }]),
  ])
}

/** WHY more than once: its lease may be put off meanwhile. */
const removeTriesMax = 5

/** Takes away the cards of a call that has ended. */
export async function removeBegun(desk: CardsDesk, begun: BegunCall): Promise<void> {
  let next: BegunCall | null = begun
  for (let tries = 0; next !== null && tries < removeTriesMax; tries += 1) {
    if ((await removeCard(desk, next)) === 'written') return
    next = await findBegun(desk, begun.note)
  }
}

/** The call of that id, if it was begun after a person had agreed to it and has a holder. */
export async function findBegun(
  { store }: CardsDesk,
  call: Pick<BegunNote, 'runId' | 'callId'>,
): Promise<BegunCall | null> {
  const way = await store.readCard(gatewayDrawer, wayTo(call))
  if (way === null) return null
  const { key } = JSON.parse(way.data) as { readonly key: string }
  const card = await store.readCard(gatewayDrawer, key)
  const note = card === null ? null : noteIn(card)
  if (card === null || note?.state !== 'begun' || note.callId !== call.callId) return null
  if (note.holder === null) return null
  return { key, card, note }
}

/** Puts the end of the lease off. `conflict`: it was written off meanwhile. */
export function putOff(desk: CardsDesk, begun: BegunCall): Promise<'written' | 'conflict'> {
  const leaseUntil = desk.clock.now() + callLeaseMs
  return desk.store.writeCards([changeOf(desk, begun, { ...begun.note, leaseUntil })])
}

/**
 * Takes the call from its holder, to write it off; gives its card from then on. Null: it was
 * renewed or ended meanwhile. WHY a lease again: who writes it off may be killed as well.
 */
export async function takeOver<T extends BegunCall>(desk: CardsDesk, begun: T): Promise<T | null> {
  const { card } = begun
  const leaseUntil = desk.clock.now() + callLeaseMs
  const note = { ...begun.note, holder: null, commandId: null, leaseUntil }
  if ((await desk.store.writeCards([changeOf(desk, begun, note)])) === 'conflict') return null
  return { ...begun, note, card: { ...card, version: card.version + 1 } }
}

/** Whether the holder counts as alive. */
export function isLeased({ clock }: Pick<CardsDesk, 'clock'>, { leaseUntil }: BegunNote): boolean {
  return leaseUntil > clock.now()
}

/** The run of a card of this drawer; null: it is a server's. */
export function runOfCard({ key, data }: Card): string | null {
  if (!key.startsWith('call:') && !key.startsWith('begun:')) return null
  return (JSON.parse(data) as { readonly runId?: string }).runId ?? null
}

function wayTo({ runId, callId }: Pick<BegunNote, 'runId' | 'callId'>): string {
  return `begun:${runId}:${callId}`
}

function changeOf({ clock }: CardsDesk, { key, card }: Place, note: Note | null): CardChange {
  const data = note === null ? null : JSON.stringify(note)
  return { drawer: gatewayDrawer, key, expected: card?.version ?? 0, data, at: clock.now() }
}
