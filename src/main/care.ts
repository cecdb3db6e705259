/**
 * Care for a store that no daemon serves: counting, verifying, rebuilding.
 */
import type { CareReport, CareTask } from '../doors/cli/remote/daemon-door.ts'
import { rebuildAll, verifyLog } from '../runtime/keep-logs.ts'
import { openMachineShelf } from '../runtime/machines.ts'
import type { Page, Store } from '../runtime/ports.ts'
import { readConfig } from './config.ts'
import { takeLock } from './daemon-lock.ts'
import { type Home, openHome } from './home.ts'
import { openStore } from './open-store.ts'
import { isRunning } from './serve.ts'

const pageRuns = 500

/** Does one thing to the store; nobody else serves it meanwhile. */
export async function care(home: Home, task: CareTask): Promise<CareReport> {
  process.umask(0o077)
  openHome(home)
  const lock = takeLock(home.lock)
  if (lock === null) throw await isRunning(home)
  try {
    const store = await openStore(home, readConfig(home.config))
    try {
      return await reportOn(store, task)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}

async function reportOn(store: Store, task: CareTask): Promise<CareReport> {
  const done = task === 'rebuild' ? await rebuild(store) : await look(store, task)
  return { store: store.kind, bytes: await store.countBytes(), ...done }
}

type Done = Pick<CareReport, 'runsCount' | 'rebuiltCount' | 'problems'>

async function rebuild(store: Store): Promise<Done> {
  const { runsCount, changed, broken } = await rebuildAll(store, openMachineShelf(store))
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
  const trouble = await store.findTrouble()
  if (trouble !== null) problems.push({ runId: '', problem: trouble })
  return { runsCount, rebuiltCount: 0, problems }
}

async function* runsIn(store: Store): AsyncGenerator<string> {
  for (let after: string | null = null; ; ) {
    const page: Page<string> = await store.listRunIds({ after, limit: pageRuns })
    yield* page.items
    after = page.next
    if (after === null) return
  }
}
