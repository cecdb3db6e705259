/**
 * Maintenance of whole logs: verifies, exports and imports them, rebuilds their projections, and
 * deletes old ones.
 */
import type { Family } from '../../core/engine/family.ts'
import { foldFamily, unbornFamily } from '../../core/engine/fold-family.ts'
import type { MachineCache } from '../definitions/machine-cache.ts'
import { machineIn } from '../definitions/machine-cache.ts'
import {
  carriedRegistrations,
  checkCarried,
  hasSignatures,
  keepCarried,
  registrationsFor,
} from '../passkeys/carried-registrations.ts'
import { openSignatureCheck, type SignatureProblem } from '../passkeys/verify-signatures.ts'
import { PawlError } from '../pawl-error.ts'
import type { ApprovalRow, EventRecord, RunCopy, RunHead, Store, StoredMachine } from '../ports.ts'
import type { Anchor, Verified } from '../runtime.ts'
import { openChainCheck } from './hash-chain.ts'
import { readAll, recordedIn } from './load-run.ts'
import { approvalsOf, type Beginning, headOf, type Pins, snapshotOf } from './projections.ts'

const pageRecords = 1_000
const pageRuns = 200
/** How far the clock of another machine may be ahead. */
const aheadMsMax = 300_000
/** Runs let go before the store is measured again: a run takes more room than its texts. */
const batchRuns = 10

/** Proves a log untouched, or names the first record that does not fit. */
export async function verifyLog(
  store: Store,
  runId: string,
  anchor: Anchor | null,
): Promise<Verified> {
  const head = await store.readHead(runId)
  if (head === null) throw unknownRun(runId)
  const check = openChainCheck(runId, anchor)
  const signatures = openSignatureCheck(() => registrationsFor(store, runId))
  for (let after = 0; ; ) {
    const page = await store.readEvents(runId, { after, limit: pageRecords })
    const bad = check.add(page) ?? unsigned(runId, await signatures.add(page))
    if (bad !== null) return bad
    after = page.at(-1)?.seq ?? after
    if (page.length < pageRecords) break
  }
  const verified = check.end({ runId, seq: head.seq, hash: head.hash })
  return verified.ok ? { ...verified, signatures: signatures.count() } : verified
}

function unsigned(runId: string, found: SignatureProblem | null): Verified | null {
  return found === null ? null : { ok: false, runId, ...found }
}

/** What is said where there is no such run. */
export function unknownRun(runId: string): PawlError {
  const hint = '`pawl runs` lists the runs'
  return new PawlError('RUN_UNKNOWN', `there is no run \`${runId}\``, { hint })
}

/** A run with everything that another store needs to go on with it. */
export async function exportRun(store: Store, runId: string): Promise<RunCopy> {
  const head = await store.readHead(runId)
  if (head === null) throw unknownRun(runId)
  const events = (await readAll(store, runId)).slice(0, head.seq)
  const approvals: ApprovalRow[] = []
  for (let after: string | null = null; ; ) {
    const query = { runId, status: null, after, limit: pageRuns }
    const page: Awaited<ReturnType<Store['listApprovals']>> = await store.listApprovals(query)
    approvals.push(...page.items)
    after = page.next
    if (after === null) break
  }
  const machines: StoredMachine[] = []
  for (const hash of hashesIn(events)) {
    const machine = await store.readMachine(hash)
    if (machine !== null) machines.push(machine)
  }
  const passkeys = hasSignatures(events) ? await carriedRegistrations(store, runId) : []
  return { head, events, approvals, machines, ...(passkeys.length === 0 ? {} : { passkeys }) }
}

function hashesIn(events: readonly EventRecord[]): readonly string[] {
  const started = events.filter((record) => record.type === 'run.started').map(recordedIn)
  return [
    ...new Set(
      started.flatMap(({ event }) =>
        event.type === 'run.started' ? [event.machine, ...Object.values(event.library ?? {})] : [],
      ),
    ),
  ]
}

/** Takes in a run from elsewhere, once its log was proved whole; projections are made anew. */
export async function importRun(
  store: Store,
  shelf: MachineCache,
  { copy, now }: { readonly copy: RunCopy; readonly now: number },
): Promise<Anchor> {
  const { id, seq, hash } = copy.head
  if (copy.events.some(({ at }) => at > now + aheadMsMax)) {
    const hint = 'correct the clock, here or where it was exported'
    throw new PawlError('REQUEST_INVALID', `the log of \`${id}\` is from the future`, { hint })
  }
  const check = openChainCheck(id)
  const verified = check.add(copy.events) ?? check.end({ runId: id, seq, hash })
  if (!verified.ok) {
    const message = `the log of \`${id}\` is damaged at record ${verified.seq}: ${verified.problem}`
    throw new PawlError('LOG_BROKEN', message, { hint: 'export it again' })
  }
  await checkCarried(copy)
  const machines = copy.machines.map(machineIn)
  shelf.add(machines)
  const missing = hashesIn(copy.events).filter((one) => !machines.some((two) => two.hash === one))
  await shelf.fetch(missing)
  const { head, approvals } = project(id, copy.events, shelf)
  const isNew = await store.importRun({ ...copy, head, approvals })
  if (isNew === 'imported') {
    await keepCarried(store, copy, now)
    return { runId: id, seq, hash }
  }
  const hint = 'a run can only be imported once'
  throw new PawlError('RUN_EXISTS', `the run \`${id}\` already exists`, { hint })
}

type Projected = {
  readonly head: RunHead
  readonly approvals: readonly ApprovalRow[]
  readonly family: Family
  readonly library: Pins
}

/** Everything that is projected from a log, out of nothing but the log. */
function project(runId: string, events: readonly EventRecord[], shelf: MachineCache): Projected {
  const [first] = events
  const started = first === undefined ? null : recordedIn(first).event
  if (first === undefined || started?.type !== 'run.started') {
    throw new PawlError('LOG_BROKEN', `the log of \`${runId}\` does not begin with its start`)
  }
  const workspace = started.workspace ?? null
  let beginning: Beginning = { workspace, startedAt: first.at, endedAt: null }
  let family = unbornFamily(runId)
  let head: RunHead | null = null
  const approvals = new Map<string, ApprovalRow>()
  for (const batch of batchesOf(events)) {
    const recorded = batch.map(recordedIn)
    const before = family
    family = foldFamily(before, recorded, shelf.get)
    const { seq, hash, at } = batch.at(-1) as EventRecord
    for (const row of approvalsOf(before, family, { recorded, at })) approvals.set(row.id, row)
    head = headOf(family, { seq, hash, at }, beginning)
    beginning = head
  }
  const library = started.library ?? {}
  return { head: head as RunHead, approvals: [...approvals.values()], family, library }
}

/** Records that were kept by one command. */
function* batchesOf(events: readonly EventRecord[]): Generator<readonly EventRecord[]> {
  let batch: EventRecord[] = []
  for (const record of events) {
    if (batch.length > 0 && batch[0]?.commandId !== record.commandId) {
      yield batch
      batch = []
    }
    batch.push(record)
  }
  if (batch.length > 0) yield batch
}

type Rebuilt = {
  readonly runsCount: number
  /** Runs whose head was not what their log tells. */
  readonly changed: readonly string[]
  /** Runs that could not be rebuilt, and why. Their projections were left alone. */
  readonly broken: readonly { readonly runId: string; readonly problem: string }[]
}

/** Makes every projection anew from the logs. */
export async function rebuildAll(store: Store, shelf: MachineCache): Promise<Rebuilt> {
  const changed: string[] = []
  const broken: { runId: string; problem: string }[] = []
  let runsCount = 0
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<Store['listRunIds']>> = await store.listRunIds({
      after,
      limit: pageRuns,
    })
    for (const runId of page.items) {
      runsCount += 1
      const problem = await rebuildRun(store, shelf, { runId, changed })
      if (problem !== null) broken.push({ runId, problem })
    }
    after = page.next
    if (after === null) return { runsCount, changed, broken }
  }
}

async function rebuildRun(
  store: Store,
  shelf: MachineCache,
  { runId, changed }: { readonly runId: string; readonly changed: string[] },
): Promise<string | null> {
  const events = await readAll(store, runId)
  const check = openChainCheck(runId)
  const verified = check.add(events) ?? check.end(null)
  if (!verified.ok) return `record ${verified.seq}: ${verified.problem}`
  try {
    await shelf.fetch(hashesIn(events))
    const { head, approvals, family, library } = project(runId, events, shelf)
    const before = await store.readHead(runId)
    if (JSON.stringify(before) !== JSON.stringify(head)) changed.push(runId)
    const snapshot = snapshotOf(family, library, head)
    await store.replaceProjections(head, approvals, snapshot)
    return null
  } catch (fault) {
    return fault instanceof Error ? fault.message : 'its events cannot be replayed'
  }
}

export type Retention = { readonly days: number | null; readonly megabytes: number | null }

const dayMs = 86_400_000
const megabyte = 1_048_576

/** Lets ended runs go that are too old, then the oldest ones while the store is too large. */
export async function removeOldRuns(
  store: Store,
  { days, megabytes }: Retention,
  at: number,
): Promise<readonly string[]> {
  const gone: string[] = []
  const remove = async (before: number, limit: number): Promise<boolean> => {
    const ids = (await store.listEnded({ before, limit })).map((run) => run.id)
    if (ids.length > 0) await store.removeRuns(ids)
    gone.push(...ids)
    return ids.length > 0
  }
  if (days !== null) while (await remove(at - days * dayMs, pageRuns));
  if (megabytes === null) return gone
  while ((await store.countBytes()) > megabytes * megabyte) {
    if (!(await remove(at + 1, batchRuns))) break
  }
  return gone
}
