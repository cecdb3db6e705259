/**
 * How anybody reaches a node: the answer may be a reply, a fault, or none at all. Whoever gave
 * their command an id sends it again.
 */
import { PawlError } from '../../src/runtime/pawl-error.ts'
import type { By, CommandOutcome, DecisionOnApproval, Intent } from '../../src/runtime/runtime.ts'
import { Broken } from './broken-promise.ts'
import type { ReplyChecker } from './check-replies.ts'
import type { Node, World } from './world.ts'

/** A world with what was heard in it. */
export type Scene = { readonly world: World; readonly ledger: ReplyChecker }

export type Answer<T> =
  | { readonly kind: 'reply'; readonly value: T }
  | { readonly kind: 'fault'; readonly code: string }
  | { readonly kind: 'lost' }

/** Faults that a caller may meet without anything being wrong. */
const expected: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_CONFLICT',
  // An id that was used for something else.
  'REQUEST_INVALID',
  'APPROVAL_DECIDED',
])

/** Asks a node; the answer does not come when the node dies. */
export async function ask<T>(node: Node, work: Promise<T>): Promise<Answer<T>> {
  const reply = work.then(
    (value): Answer<T> => ({ kind: 'reply', value }),
    (fault): Answer<T> => ({ kind: 'fault', code: codeOf(node, fault) }),
  )
  return Promise.race([reply, node.lost.then((): Answer<T> => ({ kind: 'lost' }))])
}

function codeOf(node: Node, fault: unknown): string {
  if (fault instanceof PawlError && expected.has(fault.code)) return fault.code
  if (fault instanceof Broken) throw fault
  const what = fault instanceof PawlError ? `${fault.code}: ${fault.message}` : stackOf(fault)
  throw new Broken(`${node.name} threw ${what}`)
}

function stackOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}

/** A command that can be sent to any node, and more than once. */
export type Sending = {
  readonly what: string
  readonly by: By
  readonly send: (node: Node) => Promise<CommandOutcome>
}

const triesMax = 4

/** Sends a command until it is answered; null: nobody knows what became of it. */
export async function sendCommand(scene: Scene, sending: Sending): Promise<CommandOutcome | null> {
  const { world } = scene
  const isNamed = sending.by.commandId !== null
  if (isNamed && world.random.chance(6)) {
    // An impatient client: the same command to two nodes at once.
    await Promise.all([sendOnce(scene, sending), sendOnce(scene, sending)])
  }
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answer = await sendOnce(scene, sending)
    if (answer.kind === 'reply') return answer.value
    if (!isNamed || (answer.kind === 'fault' && answer.code === 'APPROVAL_DECIDED')) return null
    if (world.random.chance(15)) return null
  }
  return null
}

async function sendOnce(
  scene: Scene,
  { what, by, send }: Sending,
): Promise<Answer<CommandOutcome>> {
  const { world, ledger } = scene
  const node = world.anyNode()
  const who = `${by.actor.name}${by.commandId === null ? '' : ` [${by.commandId}]`}`
  world.note(() => `${who} → ${node.name}: ${what}`)
  const answer = asFault(await ask(node, send(node)))
  world.note(() => `${who} ← ${node.name}: ${tellAnswer(answer)}`)
  if (answer.kind === 'reply') {
    answer.value.view()
    await ledger.heard(by, answer.value)
  }
  return answer
}

/** INVARIANT: a call that could not be decided and kept is a denial that no record stands for. */
function asFault(answer: Answer<CommandOutcome>): Answer<CommandOutcome> {
  if (answer.kind !== 'reply' || answer.value.seq > 0) return answer
  const { reply } = answer.value
  const code = reply.kind === 'verdict' && reply.verdict === 'deny' ? reply.code : null
  if (code !== null && expected.has(code)) return { kind: 'fault', code }
  throw new Broken(`a reply without a record: ${JSON.stringify(reply)}`)
}

function tellAnswer(answer: Answer<CommandOutcome>): string {
  if (answer.kind === 'lost') return 'no answer'
  if (answer.kind === 'fault') return answer.code
  const { seq, reply, isRepeated } = answer.value
  const verdict = reply.kind === 'verdict' ? ` ${reply.verdict}` : ''
  const code = 'code' in reply && reply.code !== null ? ` ${reply.code}` : ''
  return `${reply.kind}${verdict}${code} at ${seq}${isRepeated ? ' (repeated)' : ''}`
}

/** Something that is wanted of a run. */
export function intentOf(runId: string, intent: Intent, by: By): Sending {
  const what = `${runId} ${JSON.stringify(intent)}`
  return { what, by, send: ({ runtime }) => runtime.send(runId, intent, by) }
}

/** A decision on an approval. */
export function decisionOf(id: string, decision: DecisionOnApproval, by: By): Sending {
  const what = `decides ${id} ${JSON.stringify(decision)}`
  return { what, by, send: ({ runtime }) => runtime.resolve(id, decision, by) }
}
