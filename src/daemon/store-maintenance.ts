/** Maintenance of a store: counts, verifies and rebuilds. Must not know which store it is. */
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { openMachineCache } from '../runtime/definitions/machine-cache.ts'
import { readPasskeyLog } from '../runtime/passkeys/passkey-log.ts'
import { verifyRegistrations } from '../runtime/passkeys/verify-signatures.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Page, Store } from '../runtime/ports.ts'
import { rebuildAll, verifyLog } from '../runtime/runs/log-maintenance.ts'

const pageRuns = 500

/** Does one thing to the store; nobody else uses it meanwhile. */
export async function maintainStore(store: Store, task: CareTask): Promise<CareReport> {
  const done = task === 'rebuild' ? await rebuild(store) : await look(store, task)
  return { store: store.kind, bytes: await store.countBytes(), ...done }
}

type Done = Pick<CareReport, 'runsCount' | 'rebuiltCount' | 'problems'>

async function rebuild(store: Store): Promise<Done> {
  const { runsCount, changed, broken } = await rebuildAll(store, openMachineCache(store))
  return { runsCount, rebuiltCount: changed.length, problems: broken }
}

async function look(store: Store, task: 'check' | 'status'): Promise<Done> {
  const problems: { runId: string; problem: string }[] = []
  let runsCount = 0
  for await (const runId of runsIn(store)) {
    runsCount += 1
    if (task === 'status') continue
    const found = await verifyLog(store, runId, null)
    if (!found.ok) problems.push({ runId, problem: `record ${found.seq}: ${found.problem}` })
  }
  const keys = task === 'check' ? await passkeyProblem(store) : null
  if (keys !== null) problems.push({ runId: 'passkeys', problem: keys })
  const trouble = await store.findTrouble()
  if (trouble !== null) problems.push({ runId: '', problem: trouble })
  return { runsCount, rebuiltCount: 0, problems }
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
