/**
 * Reads model costs from the transcripts of hosts, in the background at every event of a session
 * and for some seconds after a turn.
 * Each model answer is charged once to the run of the session. It never delays or changes a
 * verdict; errors go to the log.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Spend } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import { costMicroUsdMax, microUsd } from '../../../core/money.ts'
import { type PriceTable, priceUsage } from '../../../core/prices.ts'
import { errorCodeOf } from '../../../runtime/error-code.ts'
import type { DocumentStore } from '../../../runtime/ports.ts'
import type { By, Runtime } from '../../../runtime/runtime.ts'
import { sessionName } from '../hook-context.ts'
import type { HookInput } from '../hook-protocol.ts'
import { hookProtocols } from '../hosts/host-protocols.ts'
import { type ModelUse, readUse, type TranscriptReader, type TranscriptState } from './model-use.ts'
import { readTail } from './tail-file.ts'

type Payer = { readonly runId: string; readonly branch: string | null }

export type Spending = {
  /** Lets a run pay what this event tells of, in the background. */
  readonly look: (heard: HookInput, payer: Payer) => void
  /** When all that was begun for a session is paid, or the time is over. */
  readonly settled: (heard: HookInput, waitMsMax: number) => Promise<void>
  readonly close: () => Promise<void>
}

type SpendingOptions = {
  readonly runtime: Runtime
  readonly documents: Pick<DocumentStore, 'readDocument' | 'writeDocuments'>
  readonly log: (what: string, about: JsonObject) => void
}

/** Files whose place is remembered; of others it is looked up. */
const filesMax = 1_000
/** Looks at one file in a row; the rest comes with the next event. */
const looksMax = 64
/** When transcripts are read again after a turn: a host may write its last answers after it. */
const lateLooksMs = [1_000, 5_000, 15_000]
/** Where it is kept how far each transcript was read. */
export const transcriptCollection = 'transcripts'

/** Answers of one file of which it is remembered what they cost so far. */
const answersMax = 100

type File = {
  offset: number
  readonly carried: TranscriptState
  /** Millionths of a dollar by the id of an answer, the latest last. */
  readonly paid: Map<string, number>
  /** What may have been paid or not: the daemon died over it, or paying it was a fault. */
  begun: Bill | null
}

type SpendingContext = SpendingOptions & {
  readonly files: Map<string, File>
  /** What is underway, by session: one after the other. */
  readonly underway: Map<string, Promise<void>>
  readonly warned: Set<string>
  /** The looks that are still to come, by session. */
  readonly late: Map<string, readonly NodeJS.Timeout[]>
}

export function openSpending(options: SpendingOptions): Spending {
  const context: SpendingContext = {
    ...options,
    files: new Map(),
    underway: new Map(),
    warned: new Set(),
    late: new Map(),
  }
  return {
    look: (heard, payer) => {
      // Whatever comes now may work on another run: this look takes what was written before.
      // WHY not at an end without a transcript: no run follows, and the file may be written now.
      const isSilentEnd = heard.event.kind === 'end' && heard.transcripts.length === 0
      if (!isSilentEnd) endLateLooks(context, sessionName(heard))
      begin(context, heard, payer)
      const isLast = heard.event.kind === 'stop' || heard.event.kind === 'end'
      if (isLast && heard.transcripts.length > 0) lookLater(context, heard, payer)
    },
    settled: async (heard, waitMsMax) => {
      const open = context.underway.get(sessionName(heard))
      if (open === undefined) return
      const late = new AbortController()
      const timeOver = sleep(waitMsMax, undefined, { signal: late.signal }).catch(() => undefined)
      await Promise.race([open, timeOver])
      late.abort()
    },
    close: async () => {
      for (const timers of context.late.values()) timers.forEach(clearTimeout)
      await Promise.all(context.underway.values())
    },
  }
}

function endLateLooks({ late }: SpendingContext, session: string): void {
  late.get(session)?.forEach(clearTimeout)
  late.delete(session)
}

function lookLater(context: SpendingContext, heard: HookInput, payer: Payer): void {
  const { late } = context
  const session = sessionName(heard)
  const timers = lateLooksMs.map((ms) =>
    setTimeout(() => {
      if (ms === lateLooksMs.at(-1)) late.delete(session)
      begin(context, heard, payer)
    }, ms).unref(),
  )
  late.set(session, timers)
}

function begin(context: SpendingContext, heard: HookInput, payer: Payer): void {
  const { underway } = context
  if (heard.uses.length === 0 && heard.transcripts.length === 0) return
  const session = sessionName(heard)
  const before = underway.get(session) ?? Promise.resolve()
  const next = before
    .then(() => payFor(context, heard, payer))
    .catch((fault: unknown) => warn(context, session, fault))
    .finally(() => {
      if (underway.get(session) === next) underway.delete(session)
    })
  underway.set(session, next)
}

async function payFor(context: SpendingContext, heard: HookInput, payer: Payer): Promise<void> {
  const head = await context.runtime.readHead(payer.runId)
  const since = head?.startedAt ?? 0
  const prices = context.runtime.pricesIn(head?.workspace ?? null)
  await payUses(context, heard, { payer, prices })
  const { transcript: reader } = hookProtocols[heard.host]
  if (reader === null) return
  for (const path of heard.transcripts) {
    await readOn(context, heard, { payer, path, since, prices, reader }).catch((fault: unknown) =>
      warn(context, path, fault),
    )
  }
}

/**
 * What a plugin tells of is in no file that could be read again, and is told again with more.
 * WHY the bill is kept before it is paid: whatever happens, it is known what was.
 */
async function payUses(context: SpendingContext, heard: HookInput, paying: Paying): Promise<void> {
  if (heard.uses.length === 0) return
  const [key, source] = [sessionName(heard), `${heard.host} plugin`]
  const file = await fileOf(context, key)
  await settleBegun(context, key, file)
  for (const use of heard.uses) {
    const bill = billFor(context, { ...paying, use, source, key, paid: file.paid })
    if (bill === null) continue
    file.begun = bill
    await keepPlace(context, key, file)
    await settleBegun(context, key, file)
  }
}

/** INVARIANT: a bill is begun until it is known to be paid, or that nobody is there to pay it. */
async function settleBegun(context: SpendingContext, key: string, file: File): Promise<void> {
  const { begun } = file
  if (begun === null) return
  await settle(context, begun, file.paid).catch((fault: unknown) => {
    if (errorCodeOf(fault) !== 'RUN_UNKNOWN') throw fault
    warn(context, key, fault)
  })
  file.begun = null
}

/** Once for each thing: whoever writes nonsense writes much of it. */
function warn({ log, warned }: SpendingContext, about: string, fault: unknown): void {
  // A transcript is not there before its first line.
  if (errorCodeOf(fault) === 'ENOENT') return
  const why = fault instanceof Error ? fault.message : String(fault)
  const key = `${about} ${why}`
  if (warned.has(key) || warned.size >= filesMax) return
  warned.add(key)
  log('the cost of a model could not be read', { about, why })
}

type Paying = { readonly payer: Payer; readonly prices: PriceTable }
type TranscriptScan = Paying & {
  readonly path: string
  readonly since: number
  readonly reader: TranscriptReader
}

async function readOn(
  context: SpendingContext,
  heard: HookInput,
  reading: TranscriptScan,
): Promise<void> {
  const { path, since, reader, ...paying } = reading
  const { host } = heard
  const key = `${host} ${hash('sha256', path)}`
  const file = await fileOf(context, key)
  const begun = file.offset
  const source = `${host} transcript`
  for (let looks = 0, isMore = true; isMore && looks < looksMax; looks += 1) {
    const tail = await readTail(path, file.offset)
    for (const use of usesIn(context, tail.lines, { reader, path, file })) {
      // What was said before the run began is not its to pay.
      if (use.at === null || use.at < since) continue
      const bill = billFor(context, { ...paying, use, source, key, paid: file.paid })
      if (bill !== null) await settle(context, bill, file.paid)
    }
    file.offset = tail.offset
    isMore = tail.isMore
  }
  if (file.offset !== begun) await keepPlace(context, key, file)
}

type Of = { readonly reader: TranscriptReader; readonly path: string; readonly file: File }

/** What each line says, in order: a host writes several of one answer, the last with all of it. */
function usesIn(context: SpendingContext, lines: readonly string[], of: Of): readonly ModelUse[] {
  return lines.flatMap((line) => {
    const use = readUse(of.reader, line, of.file.carried)
    if (use === 'odd') warn(context, of.path, 'a line cannot be parsed')
    return use === 'odd' || use === null ? [] : [use]
  })
}

type KeptFile = {
  readonly offset: number
  readonly model: string
  readonly paid?: readonly (readonly [id: string, microUsd: number])[]
  readonly begun?: Bill | null
}

async function fileOf({ files, documents }: SpendingContext, key: string): Promise<File> {
  const known = files.get(key)
  if (known !== undefined) return known
  const document = await documents.readDocument(transcriptCollection, key)
  // WHY the cast: this room alone writes these documents.
  const kept = document === null ? null : (JSON.parse(document.data) as KeptFile)
  const { offset = 0, model = '', paid = [], begun = null } = kept ?? {}
  const file: File = { offset, carried: { model }, paid: new Map(paid), begun }
  files.set(key, file)
  const [oldest] = files.keys()
  if (files.size > filesMax && oldest !== undefined) files.delete(oldest)
  return file
}

/** Where reading goes on after a restart. What is lost of it is read twice, and paid once. */
async function keepPlace({ documents }: SpendingContext, key: string, file: File): Promise<void> {
  const { offset, carried, begun } = file
  const kept: KeptFile = { offset, model: carried.model, paid: [...file.paid], begun }
  const data = JSON.stringify(kept)
  await documents.writeDocuments([
    { collection: transcriptCollection, key, expected: null, data, at: Date.now() },
  ])
}

type Payment = Paying & {
  readonly use: ModelUse
  readonly source: string
  /** Where its id is unique. */
  readonly key: string
  readonly paid: File['paid']
}

/** What is to be paid for an answer, whole: it can be sent again, and is paid once. */
type Bill = {
  readonly payer: Payer
  readonly spend: Spend
  readonly commandId: string
  readonly id: string
  readonly whole: number
}

/**
 * What an answer costs more than was paid for it; null: nothing.
 * INVARIANT: the id of the command is that of the answer with its whole cost, so that it is paid
 * once however often the same lines are read.
 */
function billFor(
  context: SpendingContext,
  { payer, use, source, key, paid, prices }: Payment,
): Bill | null {
  const { id, model, costUsd, input, output, cacheRead, cacheWrite } = use
  const priced = priceUsage(prices, use)
  const isTold = costUsd !== null && costUsd > 0
  const whole = Math.min(isTold ? microUsd(costUsd) : priced.microUsd, costMicroUsdMax)
  const before = paid.get(id)
  if ((whole === 0 && output === 0) || whole <= (before ?? -1)) return null
  if (!isTold && !priced.isKnown)
    warn(context, model, 'the price is unknown, so the highest known price is used')
  // WHY no tokens of the rest: those of the first line are counted already.
  const tokens = before === undefined ? { input, output, cacheRead, cacheWrite } : null
  const spend = { source, model, tokens, costMicroUsd: whole - (before ?? 0) }
  return { payer, spend, commandId: `spend:${key}:${id}:${whole}`, id, whole }
}

async function settle({ runtime }: SpendingContext, bill: Bill, paid: File['paid']): Promise<void> {
  const { payer, spend, commandId, id, whole } = bill
  const { runId, branch } = payer
  const by = { ...asPawl, commandId }
  await runtime.send(runId, { kind: 'spend', spend, branch }, by).catch(paidBefore)
  remember(paid, id, whole)
}

function remember(paid: File['paid'], id: string, whole: number): void {
  paid.delete(id)
  paid.set(id, whole)
  const [oldest] = paid.keys()
  if (paid.size > answersMax && oldest !== undefined) paid.delete(oldest)
}

const asPawl: Omit<By, 'commandId'> = { actor: { kind: 'system', name: 'pawl' } }

/** Paid before, at another price: the first one counts. */
function paidBefore(fault: unknown): void {
  if (errorCodeOf(fault) !== 'REQUEST_INVALID') throw fault
}
