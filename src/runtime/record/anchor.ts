/**
 * Anchors of a whole store: where its register was at a moment. One hash covers everything, since
 * the register notes the end of every log before the anchor is taken (ADR 0024).
 */
import { own } from '../../core/json.ts'
import { PawlError } from '../pawl-error.ts'
import type { Page, RunHead, Store } from '../ports.ts'
import type { StoreAnchor } from './check-record.ts'
import { type NotedHead, printEntry } from './register.ts'

const collection = 'anchors'
const notedKey = 'noted'
/** Heads in one line of the register. */
const headsMax = 500
/** Anchors in one file; later lines are the ones that count. */
export const anchorsMax = 100_000

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0

function anchorIn(line: string): StoreAnchor | null {
  try {
    const { store, seq, hash, at } = JSON.parse(line)
    return isHash(store) && isCount(seq) && isHash(hash) && isCount(at)
      ? { store, seq, hash, at }
      : null
  } catch {
    return null
  }
}

/** The latest change that was noted, and how far the logs were that changed at that moment. */
type Noted = { readonly at: number; readonly seqs: { readonly [runId: string]: number } }

/** Notes the ends of all logs that moved since they were noted last; gives how many. */
export async function noteHeads(store: Store, now: number): Promise<number> {
  const last = await store.readDocument(collection, notedKey)
  const since: Noted = last === null ? { at: 0, seqs: {} } : JSON.parse(last.data)
  const isNews = ({ id, seq, updatedAt }: RunHead): boolean =>
    updatedAt > since.at || (updatedAt === since.at && own(since.seqs, id) !== seq)
  const all: RunHead[] = []
  for (let after: string | null = null; ; ) {
    const query = { statuses: null, workspace: null, definition: null, after, limit: headsMax }
    const page: Page<RunHead> = await store.listRuns(query)
    const moved = page.items.filter(isNews)
    all.push(...moved)
    if (moved.length > 0) {
      const heads = moved.map(({ id, seq, hash }): NotedHead => [id, seq, hash])
      await store.noteInRegister(printEntry({ type: 'heads.noted', at: now, heads }))
    }
    after = page.next
    if (after === null || page.items.some(({ updatedAt }) => updatedAt < since.at)) break
  }
  if (all.length === 0) return 0
  const at = all.reduce((most, { updatedAt }) => Math.max(most, updatedAt), 0)
  const latest = all.filter(({ updatedAt }) => updatedAt === at)
  const before = at === since.at ? since.seqs : {}
  const seqs = { ...before, ...Object.fromEntries(latest.map(({ id, seq }) => [id, seq])) }
  const data = JSON.stringify({ at, seqs } satisfies Noted)
  await store.writeDocuments([{ collection, key: notedKey, expected: null, data, at: now }])
  return all.length
}

/** Where the register is now, with every log noted. */
export async function takeAnchor(store: Store, now: number): Promise<StoreAnchor> {
  await noteHeads(store, now)
  const [first] = await store.readRegister({ after: 0, limit: 1 })
  const tip = await store.readRegisterTip()
  if (first === undefined || tip === null) {
    const hint = 'restore the store from a backup'
    throw new PawlError('STORE_CORRUPT', 'the register of the store is empty', { hint })
  }
  return { store: first.hash, seq: tip.seq, hash: tip.hash, at: now }
}

/** The anchor as one line of text. */
export function printAnchor({ store, seq, hash, at }: StoreAnchor): string {
  return `${JSON.stringify({ store, seq, hash, at })}\n`
}

/** Anchors out of a text with one in each line. Fault `REQUEST_INVALID`. */
export function parseAnchors(text: string): readonly StoreAnchor[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const hint = 'give a file that `pawl db anchor` or the setting `anchors` wrote'
  if (lines.length === 0 || lines.length > anchorsMax) {
    const message = `a file of anchors has 1 to ${anchorsMax} lines, and this one ${lines.length}`
    throw new PawlError('REQUEST_INVALID', message, { hint })
  }
  return lines.map((line, index) => {
    const anchor = anchorIn(line)
    if (anchor !== null) return anchor
    throw new PawlError('REQUEST_INVALID', `line ${index + 1} is not an anchor`, { hint })
  })
}
