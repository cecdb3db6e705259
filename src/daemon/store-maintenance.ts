/** Maintenance of a store: counts, verifies and rebuilds. Must not know which store it is. */
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { openMachineCache } from '../runtime/definitions/machine-cache.ts'
import { readPasskeyLog } from '../runtime/passkeys/passkey-log.ts'
import { verifyRegistrations } from '../runtime/passkeys/verify-signatures.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Page, Store } from '../runtime/ports.ts'
import { printAnchor, takeAnchor } from '../runtime/record/anchor.ts'
import { checkRecord, type StoreAnchor } from '../runtime/record/check-record.ts'
import { rebuildAll } from '../runtime/runs/log-maintenance.ts'

const pageRuns = 500

/** Does one thing to the store; nobody else uses it meanwhile. */
export async function maintainStore(
  store: Store,
  task: CareTask,
  anchors: readonly StoreAnchor[] = [],
): Promise<CareReport> {
  const done = await tasks[task](store, anchors)
  return { store: store.kind, bytes: await store.countBytes(), ...done }
}

type Done = Omit<CareReport, 'store' | 'bytes'>
type Task = (store: Store, anchors: readonly StoreAnchor[]) => Promise<Done>

const tasks: Readonly<Record<CareTask, Task>> = { status: count, check, rebuild, anchor }

async function rebuild(store: Store): Promise<Done> {
  const { runsCount, changed, broken } = await rebuildAll(store, openMachineCache(store))
  return { runsCount, rebuiltCount: changed.length, problems: broken }
}

async function count(store: Store): Promise<Done> {
  let runsCount = 0
  for await (const _ of runsIn(store)) runsCount += 1
  const trouble = await store.findTrouble()
  const problems = trouble === null ? [] : [{ runId: '', problem: trouble }]
  return { runsCount, rebuiltCount: 0, problems }
}

async function check(store: Store, anchors: readonly StoreAnchor[]): Promise<Done> {
  const checking = { shelf: openMachineCache(store), anchors, now: Date.now() }
  const found = await checkRecord(store, checking)
  const keys = await passkeyProblem(store)
  const problems =
    keys === null ? found.problems : [...found.problems, { runId: 'passkeys', problem: keys }]
  return { rebuiltCount: 0, anchorsCount: anchors.length, ...found, problems }
}

async function anchor(store: Store): Promise<Done> {
  return { ...(await count(store)), anchor: printAnchor(await takeAnchor(store, Date.now())) }
}

/** What is wrong with the log of passkeys; null: nothing. */
async function passkeyProblem(store: Store): Promise<string | null> {
  try {
    const found = await verifyRegistrations(await readPasskeyLog(store))
    return found === null ? null : `record ${found.seq}: ${found.problem}`
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'LOG_BROKEN') return fault.message
    throw fault
  }
}

async function* runsIn(store: Store): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const page: Page<string> = await store.listRunIds({ after, limit: pageRuns })
    yield* page.items
    after = page.next
    if (after === null) return
  }
}
