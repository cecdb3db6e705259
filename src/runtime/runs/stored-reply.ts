/**
 * What is stored to recognise a repeated command: a hash of the request, and the reply. The input
 * of a call is in its record and is not stored twice.
 */
import { hash } from 'node:crypto'
import type { Event, Reply } from '../../core/engine/types.ts'
import { PawlError } from '../pawl-error.ts'
import type { RunStore } from '../ports.ts'
import { bindsIn, hashText } from '../record/binds.ts'

/** What was replied, and how far the log was then. */
export type RecordedReply = { readonly seq: number; readonly reply: Reply }

type Stored = RecordedReply & {
  readonly asked: string
  /** The record that has the input of the call; absent: the reply has it. */
  readonly inputSeq?: number
}

/** As builds before 0.2 kept a call that was let through: `seq` is that of its record. */
type StoredBefore = { readonly seq: number; readonly besides: object }

type Allowed = Extract<Event, { type: 'call.allowed' }>

/** `recorded` is what the log keeps of the command, in order. */
export function printReplyRecord(
  { seq, reply }: RecordedReply,
  asked: unknown,
  recorded: readonly Event[],
): string {
  const stored = { seq, reply, asked: fingerprint(asked) }
  if (reply.kind !== 'verdict' || reply.input === null) return JSON.stringify(stored)
  const at = recorded.findIndex((one) => one.type === 'call.allowed' && one.input === reply.input)
  if (at < 0) return JSON.stringify(stored)
  const inputSeq = seq - recorded.length + at + 1
  return JSON.stringify({ ...stored, reply: { ...reply, input: null }, inputSeq })
}

function fingerprint(asked: unknown): string {
  return hash('sha256', JSON.stringify(asked), 'base64')
}

/** A reply that was kept, and what it was kept for. */
export type StoredReply = RecordedReply & { readonly isFor: (asked: unknown) => boolean }

/** The reply that a command got; null: it got none. */
export async function findStoredReply(
  store: Pick<RunStore, 'findReply' | 'readEvents'>,
  runId: string,
  commandId: string,
): Promise<StoredReply | null> {
  const text = await store.findReply(runId, commandId)
  if (text === null) return null
  // WHY the cast: nobody but this file writes replies.
  const kept = JSON.parse(text) as Stored | StoredBefore
  const inputSeq = 'reply' in kept ? kept.inputSeq : kept.seq
  const call =
    inputSeq === undefined ? null : await allowedAt(store, { runId, commandId, inputSeq })
  if (!('reply' in kept)) return keptBefore(kept, call as Allowed)
  const { seq, reply, asked } = kept
  await checkBound(store, { runId, commandId, seq, text })
  const isFor = (other: unknown): boolean => asked === fingerprint(other)
  const whole = call === null ? reply : ({ ...reply, input: call.input } as Reply)
  return { seq, reply: whole, isFor }
}

type Recorded = {
  readonly runId: string
  readonly commandId: string
  readonly inputSeq: number
}

/** The record that a reply was stored with binds it. One without records is in the register. */
async function checkBound(
  store: Pick<RunStore, 'readEvents'>,
  kept: { readonly runId: string; commandId: string; seq: number; text: string },
): Promise<void> {
  const { runId, commandId, seq, text } = kept
  const [record] = await store.readEvents(runId, { after: seq - 1, limit: 1 })
  const bound = record?.commandId === commandId ? bindsIn(record).reply : undefined
  if (bound === undefined || bound === hashText(text)) return
  const message = `the stored reply to a command of the run \`${runId}\` was changed`
  throw new PawlError('STORE_CORRUPT', message, { hint: 'check the store with `pawl db check`' })
}

async function allowedAt(
  store: Pick<RunStore, 'readEvents'>,
  { runId, commandId, inputSeq }: Recorded,
): Promise<Allowed> {
  const [record] = await store.readEvents(runId, { after: inputSeq - 1, limit: 1 })
  const event = record === undefined ? null : (JSON.parse(record.data) as Event)
  if (record?.commandId === commandId && event?.type === 'call.allowed') return event
  const message = `record ${inputSeq} of the run \`${runId}\` is not the one that was answered`
  const hint = `check the log with \`pawl log ${runId} --verify\``
  throw new PawlError('STORE_CORRUPT', message, { hint })
}

function keptBefore({ seq, besides }: StoredBefore, { input, callId }: Allowed): StoredReply {
  const said = { code: null, reason: '', rule: null, hint: '', instead: [] }
  const reply: Reply = { kind: 'verdict', verdict: 'allow', ...said, input, callId }
  const was = JSON.stringify({ ...besides, input })
  const isFor = (asked: unknown): boolean => {
    const { input: sent, ...rest } = asked as { readonly input?: unknown }
    return JSON.stringify({ ...rest, input: sent }) === was
  }
  return { seq, reply, isFor }
}
