/**
 * Simulated people, and what happens by itself: somebody decides (two at once, late, on what is
 * no longer there), somebody waits, clocks tick and jump, nodes die.
 */
import type { Actor } from '../../src/core/engine/types.ts'
import type { ApprovalRow } from '../../src/runtime/ports.ts'
import { rebuildAll } from '../../src/runtime/runs/log-maintenance.ts'
import type { By, DecisionOnApproval, Intent } from '../../src/runtime/runtime.ts'
import type { Task } from './agent.ts'
import { hold } from './broken-promise.ts'
import { ask, decisionOf, intentOf, type Scene, sendCommand } from './client.ts'
import { shelf } from './sample-definitions.ts'
import type { Node } from './world.ts'

/** Questions that somebody has seen, also long ago. */
export type Questions = ApprovalRow[]

/** One thing that a person does. */
export async function actAsPerson(scene: Scene, task: Task, seen: Questions): Promise<void> {
  const { random } = scene.world
  const status = task.view?.status
  if (status === 'paused' || random.chance(status === 'waiting' ? 4 : 12)) {
    return intervene(scene, task)
  }
  // Sometimes what was seen long ago is decided now.
  if (seen.length === 0 || random.chance(80)) await lookForQuestions(scene, seen)
  if (seen.length === 0) return
  const row = random.pick(seen.slice(-3))
  const deciders = random.chance(25) ? 2 : 1
  await Promise.all(Array.from({ length: deciders }, () => decide(scene, seen, row)))
}

async function lookForQuestions({ world }: Scene, seen: Questions): Promise<void> {
  const node = world.anyNode()
  const query = { status: 'pending', runId: null, after: null, limit: 20 } as const
  const answer = await ask(node, node.runtime.listApprovals(query))
  if (answer.kind === 'reply') seen.push(...answer.value.items)
}

async function decide(scene: Scene, seen: Questions, row: ApprovalRow): Promise<void> {
  const { world, ledger } = scene
  const { random } = world
  const name = world.newId()
  const by: By = { actor: personOf(name), commandId: random.chance(60) ? world.newId() : null }
  const hash = random.pick([row.hash, row.hash, null, random.pick(seen).hash])
  const granted = random.chance(70)
  const edits = granted && random.chance(20) ? { version: 2 } : null
  const decision: DecisionOnApproval = { granted, note: `by ${name}`, hash, edits }
  const outcome = await sendCommand(scene, decisionOf(row.id, decision, by))
  if (outcome?.reply.kind === 'accepted') ledger.decided(row.id, decision.note)
}

function personOf(name: string): Actor {
  return { kind: 'person', name }
}

async function intervene(scene: Scene, { runId, view }: Task): Promise<void> {
  const { random, newId } = scene.world
  const resume: Intent = { kind: 'resume' }
  const wishes: readonly Intent[] = [
    resume,
    { kind: 'pause', release: random.chance(30) },
    { kind: 'force', stage: view?.stage ?? '', vars: {} },
    { kind: 'cancel', reason: 'enough' },
  ]
  const intent = view?.status === 'paused' ? resume : random.pick([resume, ...wishes])
  const by = { actor: personOf('ada'), commandId: random.chance(50) ? newId() : null }
  await sendCommand(scene, intentOf(runId, intent, by))
}

/** Somebody who waits for a run to move. */
export type Watch = {
  readonly node: Node
  readonly runId: string
  readonly after: number
  /** What was heard; null: nothing so far. */
  seq: number | null
  /** The node died, or could not say how far the run is. */
  isOver: boolean
  broken: unknown
}

/** So long that no schedule sees the end of it. */
const timeoutMsMax = 2_000_000_000

/** Waits for a run; nobody stands by, the answer is looked at when it comes. */
export function watchRun({ world, ledger }: Scene, { runId }: Task, watches: Watch[]): void {
  const node = world.anyNode()
  const heard = { seq: null, isOver: false, broken: null }
  const one: Watch = { node, runId, after: ledger.knownSeq(runId), ...heard }
  watches.push(one)
  const wish = { runId, after: one.after, timeoutMs: timeoutMsMax, signal: world.over }
  ask(node, node.runtime.waitFor(wish)).then(
    (answer) => {
      if (answer.kind === 'reply') one.seq = answer.value
      else one.isOver = true
    },
    (fault: unknown) => {
      one.broken = fault
    },
  )
}

/** Does what is due, on one node. */
export async function tickOnce({ world }: Scene): Promise<void> {
  const node = world.anyNode()
  const isTick = world.random.chance(70)
  await ask<unknown>(node, isTick ? node.runtime.tick() : node.runtime.poll())
}

const hourMs = 3_600_000

/** What nobody wants: clocks that are set, nodes that die, a store that is cut off. */
export async function disturb(scene: Scene): Promise<void> {
  const { world } = scene
  const { random } = world
  const kind = random.below(100)
  if (kind < 35) {
    const ms = random.pick([hourMs, -hourMs, 24 * hourMs, -24 * hourMs])
    world.note(() => `a clock jumps by ${ms / hourMs} hours`)
    world.jump(ms)
  } else if (kind < 60) world.anyNode().die()
  else if (kind < 72) await cutOff(scene)
  else await rebuild(scene)
}

async function cutOff({ world }: Scene): Promise<void> {
  world.note(() => 'the store is cut off')
  world.setOutage(true)
  for (let turns = world.random.below(12); turns > 0; turns -= 1) {
    await world.scheduler.step(world)
  }
  world.setOutage(false)
  world.note(() => 'the store is back')
}

/** Makes all projections anew between two turns: from here on runs open from a kept fold. */
async function rebuild({ world }: Scene): Promise<void> {
  world.note(() => 'projections are rebuilt')
  const { changed, broken } = await rebuildAll(world.raw, shelf)
  hold(changed.length === 0, () => `heads were not what their logs tell: ${changed.join(', ')}`)
  hold(broken.length === 0, () => `logs that cannot be rebuilt: ${JSON.stringify(broken)}`)
}
