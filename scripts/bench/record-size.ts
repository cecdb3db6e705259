/**
 * What size costs: a log of a million events beside one of ten, and many runs that wait.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openMachineCache } from '../../src/runtime/definitions/machine-cache.ts'
import type { EventRecord, Snapshot } from '../../src/runtime/ports.ts'
import { printBinds } from '../../src/runtime/record/binds.ts'
import { chained } from '../../src/runtime/runs/hash-chain.ts'
import { loadRun } from '../../src/runtime/runs/load-run.ts'
import { snapshotOf } from '../../src/runtime/runs/projections.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { median, print } from './measure.ts'
import type { OpenMeasurement } from './measure-store-open.ts'
import { decideOne, runtimeOn, startRuns } from './record-runs.ts'

const eventsCount = 1_000_000
const chunk = 10_000
const decisionsCount = 300
const waitingCount = 100_000

/** A run with a million events opens and decides as one with ten. */
export async function benchLongLog(folder: string): Promise<void> {
  const path = join(folder, 'long.db')
  const store = openSqliteStore({ path, synchronous: 'NORMAL' })
  const runtime = runtimeOn(store)
  const [short, long] = (await startRuns(runtime, 2)) as [string, string]
  await grow(store, long)
  await runtime.close()
  const times = { short: await openAndDecide(path, short), long: await openAndDecide(path, long) }
  const ratio = times.long.decideMs / times.short.decideMs
  print(`a log of ${eventsCount.toLocaleString('en')} events`, [
    ['opens', times.long.openMs, `ms; one of ten: ${times.short.openMs.toFixed(1)} ms`],
    ['decides', times.long.decideMs * 1000, `µs, ${ratio.toFixed(2)} × one of ten`],
  ])
}

/** WHY past the runtime: a million commands would take minutes; the records are real ones. */
async function grow(store: ReturnType<typeof openSqliteStore>, runId: string): Promise<void> {
  const loaded = await loadRun(store, openMachineCache(store), runId)
  if (loaded === null) throw new Error('there is no run to grow')
  let { head } = loaded
  const event = { type: 'text.said', text: 'x'.repeat(300), role: 'assistant' } as const
  const data = JSON.stringify(event)
  let { family } = loaded
  while (head.seq < eventsCount) {
    const events: EventRecord[] = []
    let { seq, hash } = head
    let snapshot: Snapshot | null = null
    for (let i = 0; i < chunk; i += 1) {
      seq += 1
      const by = { actor: 'agent:agent', commandId: 'grow', at: head.updatedAt }
      if (i === chunk - 1) {
        const members = family.members.map((one) => ({ ...one, state: { ...one.state, seq } }))
        family = { ...family, members }
        snapshot = snapshotOf(family, loaded.library, { seq, before: hash, beginning: head })
      }
      const state = snapshot?.state ?? null
      const binds = printBinds({ reply: null, snapshot: state, outbox: [] })
      const type = event.type
      const record = chained(runId, hash, { seq, member: runId, type, data, binds, ...by })
      events.push(record)
      hash = record.hash
    }
    const next = { ...head, seq, hash }
    const none = { reply: null, approvals: [], outbox: [] }
    await store.commit({ runId, expectedSeq: head.seq, head: next, events, snapshot, ...none })
    head = next
  }
}

async function openAndDecide(
  path: string,
  runId: string,
): Promise<{ readonly openMs: number; readonly decideMs: number }> {
  const opened: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const runtime = runtimeOn(openSqliteStore({ path }))
    const begun = performance.now()
    await runtime.readRun(runId, null)
    opened.push(performance.now() - begun)
    await runtime.close()
  }
  const runtime = runtimeOn(openSqliteStore({ path }))
  const times: number[] = []
  for (let index = 0; index < decisionsCount; index += 1) {
    const begun = performance.now()
    await decideOne(runtime, runId, index)
    times.push(performance.now() - begun)
  }
  await runtime.close()
  return { openMs: median(opened), decideMs: median(times) }
}

/** Runs that wait for a person cost room on the disk, and nothing else. */
export async function benchWaiting(folder: string): Promise<void> {
  const path = join(folder, 'waiting.db')
  const filling = runtimeOn(openSqliteStore({ path, synchronous: 'NORMAL' }))
  const ship = { kind: 'message', name: 'SHIP', data: null, stage: null, goTo: null } as const
  const by = { actor: { kind: 'agent', name: 'agent' }, commandId: null } as const
  for (let done = 0; done < waitingCount; done += 2_000) {
    // WHY not all in one: an agent's start looks at the open runs of its folder.
    const runs = await startRuns(filling, 2_000, (index) => `/work/${index}`)
    const say = { kind: 'say', utterance: ship, branch: null } as const
    await Promise.all(runs.map((runId) => filling.send(runId, say, by)))
  }
  await filling.close()
  const empty = openAlone(join(folder, 'empty.db'))
  const full = openAlone(path)
  print(`${waitingCount.toLocaleString('en')} waiting runs`, [
    ['start, first page of questions', full.openMs, `ms; with none: ${empty.openMs.toFixed(0)} ms`],
    ['one of them granted', full.grantMs, 'ms'],
    ['memory of the process', full.megabytes, `MB; with none: ${empty.megabytes.toFixed(0)} MB`],
  ])
}

/** WHY a process of its own: this one has just made all of those runs, and has grown by it. */
function openAlone(path: string): OpenMeasurement {
  const script = join(import.meta.dirname, 'measure-store-open.ts')
  const text = execFileSync(process.execPath, [script, path], { encoding: 'utf8' })
  return JSON.parse(text) as OpenMeasurement
}
