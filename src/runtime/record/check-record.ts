/**
 * Checks a whole store: the register against itself and against an anchor, every run against its
 * log, and every other row against the register.
 */
import { isDeepStrictEqual } from 'node:util'
import { type MachineCache, machineIn } from '../definitions/machine-cache.ts'
import type { Page, Store } from '../ports.ts'
import { checkRun } from './check-run.ts'
import {
  emptyRegister,
  type FoldedRegister,
  foldEntry,
  pairKey,
  unknownToRegister,
} from './fold-register.ts'
import type { RegisterTip } from './ports.ts'
import { hashDocument, hashEntry, hashVersion, registerStart } from './register.ts'

const pageRows = 500

/** What is wrong, and with which run; an empty id: with the store. */
export type RecordProblem = { readonly runId: string; readonly problem: string }

/** Where the register was, as it was noted outside of the store. */
export type StoreAnchor = RegisterTip & {
  /** Hash of the first line: another store has another one. */
  readonly store: string
  readonly at: number
}

export type RecordReport = {
  readonly runsCount: number
  readonly problems: readonly RecordProblem[]
}

type Checking = {
  readonly shelf: MachineCache
  readonly anchors: readonly StoreAnchor[]
  readonly now: number
}

/** Checks everything. Nobody else may write meanwhile. */
export async function checkRecord(
  store: Store,
  { shelf, anchors, now }: Checking,
): Promise<RecordReport> {
  const problems: RecordProblem[] = []
  const add = (problem: string, runId = ''): void => void problems.push({ runId, problem })
  const register = await readRegister(store, anchors, add)
  const missing = new Set(register.runs.keys())
  const { settled } = register
  let runsCount = 0
  for await (const runId of pagesOf(store.listRunIds)) {
    runsCount += 1
    missing.delete(runId)
    const known = register.runs.get(runId)
    if (known === undefined) add('the register does not know this run', runId)
    const checked = { runId, known: known ?? unknownToRegister(), settled, now }
    for (const problem of await checkRun(store, shelf, checked)) add(problem, runId)
  }
  for (const runId of missing) add('the run was removed from the store by hand', runId)
  await checkClaims(store, register, add)
  await checkMachines(store, add)
  await checkDefinitions(store, register, add)
  await checkDocuments(store, register, add)
  for (const { table, id } of await store.findStrays()) {
    add(`a row of \`${table}\` belongs to nothing: ${id}`)
  }
  const trouble = await store.findTrouble()
  if (trouble !== null) add(trouble)
  return { runsCount, problems }
}

type Add = (problem: string, runId?: string) => void

/** What the register says, as far as it hangs together. */
async function readRegister(
  store: Store,
  anchors: readonly StoreAnchor[],
  add: Add,
): Promise<FoldedRegister> {
  const folded = emptyRegister()
  const open = new Map<number, StoreAnchor[]>()
  for (const anchor of anchors) {
    open.set(anchor.seq, [...(open.get(anchor.seq) ?? []), anchor])
  }
  let last: RegisterTip = { seq: 0, hash: registerStart }
  let first: string | null = null
  for (;;) {
    const lines = await store.readRegister({ after: last.seq, limit: pageRows })
    for (const { seq, text, hash } of lines) {
      const isNext = seq === last.seq + 1 && hash === hashEntry(last.hash, text)
      if (!isNext) {
        add(`line ${last.seq + 1} of the register was changed, or is missing`)
        return folded
      }
      first ??= hash
      for (const anchor of open.get(seq) ?? []) {
        if (anchor.store !== first) add('an anchor is of another store')
        else if (anchor.hash !== hash) {
          add(`line ${seq} of the register is not the one that was anchored`)
        }
      }
      open.delete(seq)
      foldEntry(folded, JSON.parse(text))
      last = { seq, hash }
    }
    if (lines.length < pageRows) break
  }
  for (const seq of open.keys()) {
    add(`the register had ${seq} lines when it was anchored, and has ${last.seq}`)
  }
  const tip = await store.readRegisterTip()
  if (tip?.seq !== last.seq || tip.hash !== last.hash) add('the register was cut at its end')
  return folded
}

async function checkClaims(store: Store, { claims }: FoldedRegister, add: Add): Promise<void> {
  const open = new Map(claims)
  for await (const claim of pagesOf(store.listClaims)) {
    const key = pairKey(claim.runId, claim.branch)
    const known = open.get(key)
    open.delete(key)
    if (!isDeepStrictEqual(known, claim)) {
      add(`the claim of \`${claim.session}\` is not one that was made`, claim.runId)
    }
  }
  for (const { runId, session } of open.values())
    add(`the claim of \`${session}\` is missing`, runId)
}

async function checkMachines(store: Store, add: Add): Promise<void> {
  for await (const stored of pagesOf(store.listMachines)) {
    try {
      const { name, dialect, format } = machineIn(stored)
      const isTrue = name === stored.name && dialect === stored.dialect && format === stored.format
      if (!isTrue) add(`the machine \`${stored.hash}\` is listed under another name`)
    } catch (fault) {
      add(fault instanceof Error ? fault.message : String(fault))
    }
  }
}

async function checkDefinitions(
  store: Store,
  { definitions }: FoldedRegister,
  add: Add,
): Promise<void> {
  const open = new Map(definitions)
  for await (const { latest, ...row } of pagesOf(store.listDefinitions)) {
    const known = open.get(row.id)
    open.delete(row.id)
    const what = `the definition \`${row.name}\``
    if (known === undefined) {
      add(`${what} was never stored`)
      continue
    }
    const { versions, ...head } = known
    if (!isDeepStrictEqual(head, row)) add(`${what} was changed`)
    if (latest.version !== Math.max(...versions.keys())) add(`${what} is at another version`)
    for (const version of await store.listVersions(row.id)) {
      const hash = versions.get(version.version)
      versions.delete(version.version)
      if (hash !== hashVersion(version)) add(`${what}: version ${version.version} was changed`)
      for (const machine of Object.values(version.machines)) {
        const isThere = (await store.readMachine(machine)) !== null
        if (!isThere) add(`${what}: the machine \`${machine}\` is missing`)
      }
    }
    for (const version of versions.keys()) add(`${what}: version ${version} is missing`)
  }
  for (const { name } of open.values()) add(`the definition \`${name}\` is missing`)
}

async function checkDocuments(
  store: Store,
  { documents }: FoldedRegister,
  add: Add,
): Promise<void> {
  const open = new Map(documents)
  for (const collection of await store.listCollections()) {
    const list = (query: { after: string | null; limit: number }) =>
      store.listDocuments({ ...query, collection, prefix: '' })
    for await (const document of pagesOf(list)) {
      const key = pairKey(collection, document.key)
      const known = open.get(key)
      open.delete(key)
      const isTrue = known?.version === document.version && known.hash === hashDocument(document)
      if (!isTrue) add(`the document \`${document.key}\` of \`${collection}\` was changed`)
    }
  }
  for (const key of open.keys()) add(`the document ${key} is missing`)
}

async function* pagesOf<T>(
  list: (query: { after: string | null; limit: number }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  for (let after: string | null = null; ; ) {
    const page: Page<T> = await list({ after, limit: pageRows })
    yield* page.items
    after = page.next
    if (after === null) return
  }
}
