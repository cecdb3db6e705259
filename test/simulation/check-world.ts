/**
 * What must be true once a world has calmed down: of its logs, of what is projected from them, and
 * of everybody who was promised something.
 */
import { isDeepStrictEqual } from 'node:util'
import { briefWithoutRules } from '../../src/core/dialects/rules-text.ts'
import { type View, viewMember } from '../../src/core/dialects/run-view.ts'
import { addressedMember } from '../../src/core/engine/family.ts'
import type { ApprovalRow, EventRecord } from '../../src/runtime/ports.ts'
import { readAll, recordedIn } from '../../src/runtime/runs/load-run.ts'
import { rebuildAll } from '../../src/runtime/runs/log-maintenance.ts'
import { hold } from './broken-promise.ts'
import { type CheckedLog, checkLog } from './check-log.ts'
import type { Scene } from './client.ts'
import type { Watch } from './people.ts'
import { shelf } from './sample-definitions.ts'
import type { World } from './world.ts'

/** What a world was like when all was over. */
export type Seen = {
  readonly recordsCount: number
  /** Types of events, and codes of denials: what happened at all. */
  readonly kinds: ReadonlySet<string>
}

/** Holds everything against everything. */
export async function checkWorld(scene: Scene, watches: readonly Watch[]): Promise<Seen> {
  const { world, ledger } = scene
  const { items: runIds } = await world.raw.listRunIds({ after: null, limit: 100 })
  let recordsCount = 0
  const kinds = new Set<string>()
  for (const runId of runIds) {
    const events = await readAll(world.raw, runId)
    recordsCount += events.length
    for (const record of events) kinds.add(kindOf(record))
    const checked = checkLog(runId, events, world.overlay)
    holdAcknowledged(scene, runId, events)
    holdQuestions(scene, checked)
    await holdLive(world, runId, checked)
  }
  for (const runId of ledger.acknowledged.keys()) {
    hold(runIds.includes(runId), () => `${runId} was spoken of and is not there`)
  }
  await holdProjections(world)
  await holdWatches(world, watches)
  return { recordsCount, kinds }
}

function kindOf(record: EventRecord): string {
  const { event } = recordedIn(record)
  return event.type === 'call.denied' ? event.code : event.type
}

/** Nothing that was spoken is missing, or is another than it was. */
function holdAcknowledged({ ledger }: Scene, runId: string, events: readonly EventRecord[]): void {
  for (const [seq, hash] of ledger.acknowledged.get(runId) ?? []) {
    hold(events[seq - 1]?.hash === hash, () => `${runId}: the acknowledged record ${seq} is gone`)
  }
}

/** Everybody was told of every question, and every accepted decision is the one that counts. */
function holdQuestions({ world, ledger }: Scene, { questions }: CheckedLog): void {
  for (const [id, note] of questions) {
    hold(world.told.has(id), () => `nobody was ever told of ${id}`)
    const accepted = ledger.decisions.get(id) ?? note
    hold(accepted === note, () => `${id}: ${accepted} was accepted, ${note} is on record`)
  }
}

/** Every node shows the run as the log tells it, whatever it had at hand. */
async function holdLive(world: World, runId: string, { family }: CheckedLog): Promise<void> {
  const head = await world.raw.readHead(runId)
  const branches = family.members.map(({ state }) => state.branch?.name ?? null)
  for (const { name, runtime } of world.nodes()) {
    for (const branch of new Set(branches)) {
      const read = await world.scheduler.drive(runtime.readRun(runId, branch))
      const told = viewMember(family, addressedMember(family, branch))
      const isSame =
        isDeepStrictEqual(timeless(read.view), timeless(told)) && isDeepStrictEqual(read.head, head)
      hold(isSame, () => `${name} shows ${runId} otherwise than its log tells`)
    }
  }
}

/** A view without what depends on the clock of a node and on policies laid over the run. */
function timeless(view: View): View {
  const budgets = view.rules.budgets.filter(({ period }) => period === 'run')
  const rules = { ...view.rules, budgets, rates: [], minIsolation: null }
  return { ...view, brief: briefWithoutRules(view), rules }
}

/** What is kept beside the logs is what they tell; and no question stays open for ever. */
async function holdProjections({ raw }: World): Promise<void> {
  const before = await approvalsIn(raw)
  for (const row of before) {
    hold(row.status !== 'pending', () => `${row.id} is open long after its time is over`)
  }
  const { changed, broken } = await rebuildAll(raw, shelf)
  hold(changed.length === 0, () => `heads are not what their logs tell: ${changed.join(', ')}`)
  hold(broken.length === 0, () => `logs cannot be rebuilt: ${JSON.stringify(broken)}`)
  const after = await approvalsIn(raw)
  hold(isDeepStrictEqual(before, after), () => 'approvals are not what their logs tell')
}

async function approvalsIn(raw: World['raw']): Promise<readonly ApprovalRow[]> {
  const query = { status: null, runId: null, after: null, limit: 1_000 }
  return (await raw.listApprovals(query)).items
}

/** Whoever waited for a run that moved has heard of it, and is remembered no longer. */
async function holdWatches(world: World, watches: readonly Watch[]): Promise<void> {
  for (const { node, runId, after, seq, isOver, broken } of watches) {
    if (broken !== null) throw broken
    const now = (await world.raw.readHead(runId))?.seq ?? 0
    const isAwake = seq !== null && seq > after && seq <= now
    hold(
      isOver || isAwake || (seq === null && now <= after),
      () => `who waits for ${runId} after ${after} at ${node.name} heard ${seq}, it is at ${now}`,
    )
  }
  for (const { name, runtime } of world.nodes()) {
    const open = watches.filter((one) => one.node.name === name && one.seq === null && !one.isOver)
    const { waitersCount } = runtime.usage()
    hold(
      waitersCount === open.length,
      () => `${name} remembers ${waitersCount} who wait, there are ${open.length}`,
    )
  }
}
