/**
 * Simulated agents: they start runs, look, speak, call, report, and try what they may not.
 */
import type { View } from '../../src/core/dialects/run-view.ts'
import type { Actor } from '../../src/core/engine/types.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { By, CommandOutcome, Intent } from '../../src/runtime/runtime.ts'
import { fitting } from '../generators/walk.ts'
import { hold } from './broken-promise.ts'
import { ask, decisionOf, intentOf, type Scene, sendCommand } from './client.ts'

/** A folder that no machine has: what calls name is never on the disk. */
const workspace = '/no-such-folder/simulated'

type Call = { readonly tool: string; readonly input: JsonObject }

const calls: readonly Call[] = [
  { tool: 'Read', input: { file_path: `${workspace}/a.md` } },
  { tool: 'Read', input: { file_path: `${workspace}/b.md` } },
  { tool: 'Edit', input: edit('src/a.ts') },
  { tool: 'Edit', input: edit('db/migrations/1.sql') },
  { tool: 'Bash', input: { command: 'npm test' } },
  { tool: 'Bash', input: { command: 'npm run lint' } },
  { tool: 'mcp__mail__send', input: { to: 'ada' } },
  { tool: 'mcp__mail__send', input: { to: 'ben' } },
  { tool: 'mcp__pager__page', input: {} },
  { tool: 'mcp__bank__pay', input: { amount: 3 } },
  { tool: 'mcp__bank__pay', input: { amount: 7 } },
  { tool: 'mcp__cd__deploy', input: {} },
]

function edit(path: string): JsonObject {
  return { file_path: `${workspace}/${path}`, old_string: 'a', new_string: 'b' }
}

/** A run that agents work on, and what they know of it. */
export type Task = {
  readonly runId: string
  view: View | null
  readonly allowed: string[]
  /** Calls about which a person was asked. */
  readonly asked: Call[]
  /** Commands that can be sent again. */
  readonly sent: ActorIntent[]
}
type ActorIntent = { readonly intent: Intent; readonly by: By }

/** Starts a run, as often as needed; null: nobody answered. */
export async function startTask(scene: Scene): Promise<Task | null> {
  const { world } = scene
  const by: By = { actor: agentOf(0), commandId: world.newId() }
  const request = { definition: world.scene.machines[0]?.[0] ?? '', task: null, stage: null }
  const outcome = await sendCommand(scene, {
    what: `starts ${request.definition}`,
    by,
    send: ({ runtime }) => runtime.start({ ...request, vars: {}, workspace }, by),
  })
  if (outcome === null) return null
  return { runId: outcome.runId, view: outcome.view(), allowed: [], asked: [], sent: [] }
}

function agentOf(number: number): Actor {
  return { kind: 'agent', name: `agent ${number}` }
}

type Agent = { readonly scene: Scene; readonly actor: Actor; readonly task: Task }

/** One thing that an agent does about a run. */
export async function actAsAgent(scene: Scene, task: Task): Promise<void> {
  const { random } = scene.world
  const actor = agentOf(random.below(3))
  const agent = { scene, actor, task }
  const kind = random.below(100)
  const isStuck = (task.view?.signals ?? []).length === 0
  if (kind < (isStuck ? 40 : 10)) return look(agent)
  if (kind < (isStuck ? 46 : 12)) return decideAnyway(agent)
  if (kind > 93 && task.sent.length > 0) return act(agent, random.pick(task.sent))
  const by = { actor, commandId: random.chance(70) ? idFor(scene, task) : null }
  const sent = { intent: nextIntent(agent), by }
  if (by.commandId !== null) task.sent.push(sent)
  await act(agent, sent)
}

/** An id for a command; now and then the one that somebody else is about to use. */
function idFor({ world }: Scene, { view }: Task): string {
  const { random, newId } = world
  const asked = view?.approval?.id
  return asked !== undefined && random.chance(5) ? `expire:${asked}` : newId()
}

async function look({ scene, task }: Agent): Promise<void> {
  const { world, ledger } = scene
  const known = ledger.knownSeq(task.runId)
  const node = world.anyNode()
  const answer = await ask(node, node.runtime.readRun(task.runId, null))
  if (answer.kind !== 'reply') return
  world.note(() => `${task.runId} is read at ${node.name}: ${answer.value.head.seq}`)
  ledger.read(answer.value, known)
  task.view = answer.value.view
}

/** INVARIANT: an agent never decides. */
async function decideAnyway({ scene, task, actor }: Agent): Promise<void> {
  const id = task.view?.approval?.id ?? null
  if (id === null) return
  const decision = { granted: true, note: 'me', hash: null, edits: null }
  const by = { actor, commandId: null }
  const outcome = await sendCommand(scene, decisionOf(id, decision, by))
  hold(outcome?.reply.kind !== 'accepted', () => `${actor.name} decided ${id}`)
}

async function act({ scene, task }: Agent, { intent, by }: ActorIntent): Promise<void> {
  const outcome = await sendCommand(scene, intentOf(task.runId, intent, by))
  if (outcome === null) return
  task.view = outcome.view() ?? task.view
  remember(task, intent, outcome)
}

function remember(task: Task, intent: Intent, { reply }: CommandOutcome): void {
  if (reply.kind !== 'verdict' || intent.kind !== 'check') return
  if (reply.callId !== null) task.allowed.push(reply.callId)
  if (reply.verdict === 'ask') task.asked.push({ tool: intent.tool, input: intent.input })
}

function nextIntent({ scene, task }: Agent): Intent {
  const { random } = scene.world
  const branches = Object.keys(task.view?.branches ?? {})
  const branch = branches.length > 0 && random.chance(40) ? random.pick(branches) : null
  const kind = random.below(100)
  if (branch !== null && kind < 15) return { kind: 'finish-branch', branch }
  if (kind < 45) return { kind: 'say', utterance: utteranceOf(scene, task), branch }
  if (kind < 78) {
    const { tool, input } = nextCall(scene, task)
    const where = { host: 'claude', server: null, cwd: null } as const
    return { kind: 'check', tool, input, ...where, branch }
  }
  if (kind < 94) return { kind: 'report', ...reportOf(scene, task), branch }
  if (kind < 95) return { kind: 'pause', release: random.chance(30) }
  if (kind < 98) return { kind: 'resume' }
  return { kind: 'finish-branch', branch: 'left' }
}

/** Often one that a person was asked about, or one that the stage permits. */
function nextCall({ world }: Scene, { asked, view }: Task): Call {
  const { random } = world
  const tools = view?.tools ?? 'all'
  const permitted = calls.filter(({ tool }) => tools === 'all' || tools.includes(tool))
  const kinds = [asked, permitted, permitted, calls].filter((list) => list.length > 0)
  return random.pick(random.pick(kinds))
}

function utteranceOf({ world }: Scene, { view }: Task) {
  const { random } = world
  const signals = view?.signals ?? []
  const name = signals.length === 0 || random.chance(5) ? 'NOTHING' : random.pick(signals)
  const isForm = (view?.fields ?? []).length > 0
  const data = isForm ? fitting(view?.fields ?? []) : { error_rate: 0, version: 1 }
  return { kind: 'message', name, data, stage: null, goTo: null } as const
}

function reportOf({ world }: Scene, { allowed }: Task) {
  const { random } = world
  const latest = allowed.slice(-3)
  const callId = latest.length === 0 || random.chance(20) ? null : random.pick(latest)
  const used = { bytes: null, costMicroUsd: random.pick([0, 10, 200_000]) }
  const report = { ok: random.chance(85), output: 'ok', exitCode: 0, ...used }
  return { callId, report }
}
