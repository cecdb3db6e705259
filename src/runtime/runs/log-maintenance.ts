/**
 * Maintenance of whole logs: verifies, exports and imports them, rebuilds their projections, and
 * deletes old ones.
 */
import { isDeepStrictEqual } from 'node:util'
import type { MachineCache } from '../definitions/machine-cache.ts'
import { machineIn } from '../definitions/machine-cache.ts'
import {
  carriedRegistrations,
  checkCarried,
  hasForeignKeys,
  hasSignatures,
  keepCarried,
  registrationsFor,
} from '../passkeys/carried-registrations.ts'
import { openSignatureCheck, type SignatureProblem } from '../passkeys/verify-signatures.ts'
import { PawlError } from '../pawl-error.ts'
import type { ApprovalRow, RunCopy, Store, StoredMachine } from '../ports.ts'
import type { Anchor, Verified } from '../runtime.ts'
import { openChainCheck } from './hash-chain.ts'
import { readAll } from './load-run.ts'
import { findSnapshotFault, machinesIn, projectLog } from './project-log.ts'

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
  if (!verified.ok) return verified
  const foreignKeys = await hasForeignKeys(store, runId)
  return { ...verified, signatures: { ...signatures.count(), foreignKeys } }
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
  const approvals = await readApprovals(store, runId)
  const machines: StoredMachine[] = []
  for (const hash of machinesIn(events)) {
    const machine = await store.readMachine(hash)
    if (machine !== null) machines.push(machine)
  }
  const passkeys = hasSignatures(events) ? await carriedRegistrations(store, runId) : []
  return { head, events, approvals, machines, ...(passkeys.length === 0 ? {} : { passkeys }) }
}

/** All questions that a run asked. */
export async function readApprovals(store: Store, runId: string): Promise<readonly ApprovalRow[]> {
  const approvals: ApprovalRow[] = []
  for (let after: string | null = null; ; ) {
    const query = { runId, status: null, after, limit: pageRuns }
    const page: Awaited<ReturnType<Store['listApprovals']>> = await store.listApprovals(query)
    approvals.push(...page.items)
    after = page.next
    if (after === null) return approvals
  }
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
  const missing = machinesIn(copy.events).filter((one) => !machines.some((two) => two.hash === one))
  await shelf.fetch(missing)
  const { head, approvals } = projectLog(id, copy.events, { shelf })
  const isNew = await store.importRun({ ...copy, head, approvals })
  if (isNew === 'imported') {
    await keepCarried(store, copy, now)
    return { runId: id, seq, hash }
  }
  const hint = 'a run can only be imported once'
  throw new PawlError('RUN_EXISTS', `the run \`${id}\` already exists`, { hint })
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
    await shelf.fetch(machinesIn(events))
    const { snapshot } = await store.readRunRows(runId)
    const { head, approvals, folds } = projectLog(runId, events, { shelf, at: snapshot?.seq })
    const before = await store.readHead(runId)
    if (!isDeepStrictEqual(before, head)) changed.push(runId)
    // A snapshot that no record binds is dropped: the run is folded whole until the next one.
    const isBound = snapshot !== null && findSnapshotFault(snapshot, events, folds) === null
    await store.replaceProjections(head, approvals, isBound ? snapshot : null)
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
