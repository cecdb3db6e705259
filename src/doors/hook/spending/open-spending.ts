/**
 * What models cost, as the transcripts of hosts tell: read on in the background at every event of
 * a session, each answer paid once by the run that the session works on.
 * Never holds a verdict up, and refuses nothing: what cannot be read is told to the log.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../core/json.ts'
import { costMicroUsdMax, microUsd } from '../../../core/money.ts'
import { priceUsage } from '../../../core/prices.ts'
import type { Host } from '../../../core/tools/hosts.ts'
import { codeOf } from '../../../runtime/code-of.ts'
import type { CardStore } from '../../../runtime/ports.ts'
import type { By, Runtime } from '../../../runtime/runtime.ts'
import type { Heard } from '../heard.ts'
import { sessionOf } from '../which-run.ts'
import { type Carried, hasTranscripts, type ModelUse, readUse } from './model-use.ts'
import { readTail } from './tail-file.ts'

export type Payer = { readonly runId: string; readonly branch: string | null }

export type Spending = {
  /** Lets a run pay what this event tells of, in the background. */
  readonly look: (heard: Heard, payer: Payer) => void
  /** When all that was begun for a session is paid, or the time is over. */
  readonly settled: (heard: Heard, waitMsMax: number) => Promise<void>
  readonly close: () => Promise<void>
}

export type SpendingOptions = {
  readonly runtime: Runtime
  readonly cards: Pick<CardStore, 'readCard' | 'writeCards'>
  readonly log: (what: string, about: JsonObject) => void
}

/** Files whose place is remembered; of others it is looked up. */
const filesMax = 1_000
/** Looks at one file in a row; the rest comes with the next event. */
const looksMax = 64
/** Where it is kept how far each transcript was read. */
export const transcriptsDrawer = 'transcripts'

/** Answers of one file of which it is remembered what they cost so far. */
const answersMax = 100

type File = {
  offset: number
  readonly carried: Carried
  /** Millionths of a dollar by the id of an answer, the latest last. */
  readonly paid: Map<string, number>
}

type Desk = SpendingOptions & {
  readonly files: Map<string, File>
  /** What is underway, by session: one after the other. */
  readonly underway: Map<string, Promise<void>>
  readonly warned: Set<string>
}

export function openSpending(options: SpendingOptions): Spending {
  const desk: Desk = {
    ...options,
    files: new Map(),
    underway: new Map(),
    warned: new Set(),
  }
  return {
    look: (heard, payer) => begin(desk, heard, payer),
    settled: async (heard, waitMsMax) => {
      const open = desk.underway.get(sessionOf(heard))
      if (open === undefined) return
      const late = new AbortController()
      const timeOver = sleep(waitMsMax, undefined, { signal: late.signal }).catch(() => undefined)
      await Promise.race([open, timeOver])
      late.abort()
    },
    close: async () => {
      await Promise.all(desk.underway.values())
    },
  }
}

function begin(desk: Desk, heard: Heard, payer: Payer): void {
  const { underway } = desk
  if (heard.uses.length === 0 && heard.transcripts.length === 0) return
  const session = sessionOf(heard)
  const before = underway.get(session) ?? Promise.resolve()
  const next = before
    .then(() => payFor(desk, heard, payer))
    .catch((fault: unknown) => warn(desk, session, fault))
    .finally(() => {
      if (underway.get(session) === next) underway.delete(session)
    })
  underway.set(session, next)
}

async function payFor(desk: Desk, heard: Heard, payer: Payer): Promise<void> {
  const [key, source] = [sessionOf(heard), `${heard.host} plugin`]
  for (const use of heard.uses) {
    const { paid } = await fileOf(desk, key)
    await pay(desk, { payer, use, source, key, paid })
  }
  if (!hasTranscripts(heard.host)) return
  for (const path of heard.transcripts) {
    await readOn(desk, heard, { payer, path }).catch((fault: unknown) => warn(desk, path, fault))
  }
}

/** Once for each thing: whoever writes nonsense writes much of it. */
function warn({ log, warned }: Desk, about: string, fault: unknown): void {
  // A transcript is not there before its first line.
  if (codeOf(fault) === 'ENOENT') return
  const why = fault instanceof Error ? fault.message : String(fault)
  const key = `${about} ${why}`
  if (warned.has(key) || warned.size >= filesMax) return
  warned.add(key)
  log('what a model has cost could not be read', { about, why })
}

type Reading = { readonly payer: Payer; readonly path: string }

async function readOn(desk: Desk, heard: Heard, { payer, path }: Reading): Promise<void> {
  const { host } = heard
  const key = `${host} ${hash('sha256', path)}`
  const file = await fileOf(desk, key)
  const begun = file.offset
  const since = (await desk.runtime.readHead(payer.runId))?.startedAt ?? 0
  const source = `${host} transcript`
  for (let looks = 0, isMore = true; isMore && looks < looksMax; looks += 1) {
    const tail = await readTail(path, file.offset)
    for (const use of usesIn(desk, tail.lines, { host, path, file })) {
      // What was said before the run began is not its to pay.
      if (use.at === null || use.at < since) continue
      await pay(desk, { payer, use, source, key, paid: file.paid })
    }
    file.offset = tail.offset
    isMore = tail.isMore
  }
  if (file.offset !== begun) await keepPlace(desk, key, file)
}

type Of = { readonly host: Host; readonly path: string; readonly file: File }

/** What each line says, in order: a host writes several of one answer, the last with all of it. */
function usesIn(desk: Desk, lines: readonly string[], of: Of): readonly ModelUse[] {
  return lines.flatMap((line) => {
    const use = readUse(of.host, line, of.file.carried)
    if (use === 'odd') warn(desk, of.path, 'a line that cannot be')
    return use === 'odd' || use === null ? [] : [use]
  })
}

type KeptFile = {
  readonly offset: number
  readonly model: string
  readonly paid?: readonly (readonly [id: string, microUsd: number])[]
}

async function fileOf({ files, cards }: Desk, key: string): Promise<File> {
  const known = files.get(key)
  if (known !== undefined) return known
  const card = await cards.readCard(transcriptsDrawer, key)
  // WHY the cast: this room alone writes these cards.
  const kept = card === null ? null : (JSON.parse(card.data) as KeptFile)
  const { offset = 0, model = '', paid = [] } = kept ?? {}
  const file: File = { offset, carried: { model }, paid: new Map(paid) }
  files.set(key, file)
  const [oldest] = files.keys()
  if (files.size > filesMax && oldest !== undefined) files.delete(oldest)
  return file
}

/** Where reading goes on after a restart. What is lost of it is read twice, and paid once. */
async function keepPlace({ cards }: Desk, key: string, file: File): Promise<void> {
  const kept: KeptFile = {
    ...{ offset: file.offset, model: file.carried.model, paid: [...file.paid] },
  }
  const data = JSON.stringify(kept)
  await cards.writeCards([{ drawer: transcriptsDrawer, key, expected: null, data, at: Date.now() }])
}

type Payment = {
  readonly payer: Payer
  readonly use: ModelUse
  readonly source: string
  /** Where its id is unique. */
  readonly key: string
  readonly paid: File['paid']
}

/**
 * Pays what an answer costs more than was paid for it.
 * INVARIANT: the id of the command is that of the answer with its whole cost, so that it is paid
 * once however often the same lines are read.
 */
async function pay(desk: Desk, { payer, use, source, key, paid }: Payment): Promise<void> {
  const { runtime } = desk
  const { id, model, costUsd, input, output, cacheRead, cacheWrite } = use
  const priced = priceUsage(runtime.prices, use)
  const isTold = costUsd !== null && costUsd > 0
  const whole = Math.min(isTold ? microUsd(costUsd) : priced.microUsd, costMicroUsdMax)
  const before = paid.get(id)
  if ((whole === 0 && output === 0) || whole <= (before ?? -1)) return
  if (!isTold && !priced.isKnown) warn(desk, model, 'no price is known, so a high one is taken')
  const tokens = { input, output, cacheRead, cacheWrite }
  // WHY no tokens of the rest: those of the first line are counted already.
  const spent = {
    tokens: before === undefined ? tokens : null,
    costMicroUsd: whole - (before ?? 0),
  }
  const spend = { source, model, ...spent }
  const { runId, branch } = payer
  const by = { ...asPawl, commandId: `spend:${key}:${id}:${whole}` }
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
  if (codeOf(fault) !== 'REQUEST_INVALID') throw fault
}
