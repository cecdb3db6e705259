/**
 * 100 calls at once in one run or in its branches, over nodes that crash and lines that lose
 * answers: exactly as many pass as a count and a sum allow, also when some fail and others follow.
 */
import type { JsonObject } from '../../src/core/json.ts'
import { readAll, recordedIn } from '../../src/runtime/runs/load-run.ts'
import { startTask } from './agent.ts'
import { Broken, hold } from './broken-promise.ts'
import { openReplyChecker } from './check-replies.ts'
import { checkWorld } from './check-world.ts'
import { intentOf, type Scene, sendCommand } from './client.ts'
import { keepScene, limitedScene } from './sample-definitions.ts'
import type { Options, Schedule } from './simulate.ts'
import { openWorld } from './world.ts'

const callsCount = 100
/** As the policy of the scene says. */
const [paysMax, sendsMax] = [7, 10]
const amount = 5

export async function simulateParallel(seed: number, options: Options = {}): Promise<Schedule> {
  const { plant = (store) => store, note = () => undefined } = options
  const world = openWorld({ seed, plant, note, scene: limitedScene, overlay: [] })
  try {
    await keepScene(world.raw, world.scene, 0)
    const scene: Scene = { world, ledger: openReplyChecker(world.raw) }
    await world.scheduler.drive(act(scene))
    await world.scheduler.rest()
    world.calm()
    return { seed, broken: null, ...(await checkWorld(scene, [])) }
  } catch (fault) {
    if (!(fault instanceof Broken)) throw fault
    return { seed, broken: fault.message, recordsCount: 0, kinds: new Set() }
  } finally {
    world.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function act(scene: Scene): Promise<void> {
  const { random } = scene.world
  const task = await startTask(scene)
  if (task === null) return
  const { runId } = task
  const branches = random.chance(50) ? await split(scene, runId) : [null]
  await callMany(scene, { runId, branches, count: random.pick([callsCount, callsCount / 2]) })
  const allowed = await allowedIn(scene, runId)
  if (allowed.length > 0 && random.chance(50)) await failSome(scene, runId, allowed)
  await callMany(scene, { runId, branches, count: callsCount })
  const live = await liveIn(scene, runId)
  const [pays, sends] = ['mcp__bank__pay', 'mcp__bank__send'].map(
    (tool) => live.filter((one) => one.tool === tool).length,
  )
  hold(pays === paysMax && sends === sendsMax, () => `${pays} and ${sends} calls passed`)
}

/** The names of the branches; null where nobody knows whether there are any. */
async function split(scene: Scene, runId: string): Promise<readonly (string | null)[]> {
  const utterance = { kind: 'signal', name: 'SPLIT', data: null } as const
  await send(scene, runId, { kind: 'say', utterance, branch: null })
  const names = await openBranches(scene, runId)
  return names.length === 0 ? [null] : names
}

async function openBranches({ world }: Scene, runId: string): Promise<readonly string[]> {
  const events = (await readAll(world.raw, runId)).map((record) => recordedIn(record).event)
  return events.flatMap((event) =>
    event.type === 'fork.opened' ? event.fork.branches.map(({ name }) => name) : [],
  )
}

type Calls = {
  readonly runId: string
  readonly branches: readonly (string | null)[]
  readonly count: number
}

async function callMany(scene: Scene, { runId, branches, count }: Calls): Promise<void> {
  const { world } = scene
  const calls = Array.from({ length: count }, async (_, index) => {
    await world.scheduler.step(world)
    const input: JsonObject = { amount }
    const tool = index % 2 === 0 ? 'mcp__bank__pay' : 'mcp__bank__send'
    const where = { host: 'claude', server: null, cwd: null } as const
    const branch = world.random.pick(branches)
    await send(scene, runId, { kind: 'check', tool, input, ...where, branch })
  })
  await Promise.all(calls)
}

async function failSome(scene: Scene, runId: string, allowed: readonly Allowed[]): Promise<void> {
  const { random } = scene.world
  for (const { callId } of allowed.slice(0, 1 + random.below(allowed.length))) {
    const failed = { ok: false, wasNotMade: true, exitCode: null } as const
    const report = { ...failed, output: null, bytes: 0, costMicroUsd: 0 }
    await send(scene, runId, { kind: 'report', callId, report, branch: null })
  }
}

type Sent = Parameters<typeof intentOf>[1]

async function send(scene: Scene, runId: string, intent: Sent): Promise<void> {
  const by = { actor: { kind: 'agent', name: 'agent' }, commandId: scene.world.newId() } as const
  await sendCommand(scene, intentOf(runId, intent, by))
}

type Allowed = { readonly callId: string; readonly tool: string }

async function allowedIn({ world }: Scene, runId: string): Promise<readonly Allowed[]> {
  const events = (await readAll(world.raw, runId)).map((record) => recordedIn(record).event)
  return events.flatMap((event) => (event.type === 'call.allowed' ? [event] : []))
}

/** Calls that were let through and have not failed. */
async function liveIn(scene: Scene, runId: string): Promise<readonly Allowed[]> {
  const records = await readAll(scene.world.raw, runId)
  const failed = new Set(
    records.flatMap((record) => {
      const { event } = recordedIn(record)
      return event.type === 'call.reported' && !event.ok ? [event.callId] : []
    }),
  )
  return (await allowedIn(scene, runId)).filter(({ callId }) => !failed.has(callId))
}
