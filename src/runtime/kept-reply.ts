/**
 * What is kept to answer the same command again, as text: what was asked and what was said, or
 * only what the record of the command does not tell by itself.
 */
import { hash } from 'node:crypto'
import type { Event, Reply } from '../core/engine/types.ts'
import { PawlError } from './pawl-error.ts'
import type { RunStore } from './ports.ts'

/** What was said, and how far the log was then. */
export type Said = { readonly seq: number; readonly reply: Reply }

type Whole = Said & {
  /** A fingerprint of all that was asked. */
  readonly asked: string
}

/** A call was let through just as it was asked: its record has its input and its id. */
type Plain = {
  /** Of the record. */
  readonly seq: number
  /** All that was asked but the input. */
  readonly besides: object
}

type Allowed = Extract<Event, { type: 'call.allowed' }>

/** Letters of what is asked besides the input that are kept as they are. */
const besidesMax = 512

/** `last` is the last event of the command as the log keeps it. */
export function keepReply({ seq, reply }: Said, asked: unknown, last: Event | undefined): string {
  if (last?.type === 'call.allowed' && isPlain(reply, last) && hasInput(asked, last)) {
    const besides = besidesOf(asked)
    if (besides.length <= besidesMax) return `{"seq":${seq},"besides":${besides}}`
  }
  const whole: Whole = { seq, reply, asked: fingerprint(asked) }
  return JSON.stringify(whole)
}

function isPlain(reply: Reply, { input, callId, rule, document }: Allowed): boolean {
  return (
    reply.kind === 'verdict' &&
    reply.verdict === 'allow' &&
    reply.code === null &&
    reply.rule === (rule ?? null) &&
    reply.document === document &&
    reply.reason === '' &&
    reply.hint === '' &&
    reply.instead.length === 0 &&
    reply.input === input &&
    reply.callId === callId
  )
}

function hasInput(asked: unknown, { input }: Allowed): asked is { readonly input: unknown } {
  return typeof asked === 'object' && asked !== null && 'input' in asked && asked.input === input
}

const besidesOf = (asked: { readonly input: unknown }): string =>
  JSON.stringify({ ...asked, input: undefined })

function fingerprint(asked: unknown): string {
  return hash('sha256', JSON.stringify(asked), 'base64')
}

/** A reply that was kept, and what it was kept for. */
export type Kept = Said & { readonly isFor: (asked: unknown) => boolean }

/** The reply that a command got; null: it got none. */
export async function findKept(
  store: Pick<RunStore, 'findReply' | 'readEvents'>,
  runId: string,
  commandId: string,
): Promise<Kept | null> {
  const text = await store.findReply(runId, commandId)
  if (text === null) return null
  // WHY the cast: nobody but this file writes replies.
  const kept = JSON.parse(text) as Whole | Plain
  if ('reply' in kept) return { ...kept, isFor: (asked) => kept.asked === fingerprint(asked) }
  const [record] = await store.readEvents(runId, { after: kept.seq - 1, limit: 1 })
  const event = record === undefined ? null : (JSON.parse(record.data) as Event)
  if (record?.commandId !== commandId || event?.type !== 'call.allowed') throw lost(runId, kept.seq)
  return plainly(kept, event)
}

function plainly({ seq, besides }: Plain, { input, callId, rule, document }: Allowed): Kept {
  const reply = {
    kind: 'verdict',
    verdict: 'allow',
    code: null,
    reason: '',
    rule: rule ?? null,
    ...(document === undefined ? {} : { document }),
    hint: '',
    instead: [],
    input,
    callId,
  } as const
  const was = [JSON.stringify(besides), JSON.stringify(input)]
  return {
    seq,
    reply,
    isFor: (asked) =>
      typeof asked === 'object' &&
      asked !== null &&
      'input' in asked &&
      besidesOf(asked) === was[0] &&
      JSON.stringify(asked.input) === was[1],
  }
}

function lost(runId: string, seq: number): PawlError {
  const message = `the record ${seq} of the run \`${runId}\` is not the one that was answered`
  const hint = `look what is wrong with \`pawl log ${runId} --verify\``
  return new PawlError('STORE_CORRUPT', message, { hint })
}
