/**
 * A run in one stage, asked about calls: the short way through `readCall` and `decide`.
 */
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import { decide } from '../../src/core/engine/decide.ts'
import type { Envelope, Reply, RunState } from '../../src/core/engine/types.ts'
import type { HostId } from '../../src/core/hosts/registry.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import { readCall } from '../../src/core/tools/read-call.ts'

export type VerdictReply = Extract<Reply, { kind: 'verdict' }>

const envelope: Envelope = { runId: 'run', at: 0, actor: { kind: 'agent', name: 'agent' } }
const workspace = '/work/app'

/** A machine whose only stage has this rule. */
export function oneStage(rule: Readonly<Record<string, unknown>>): Machine {
  const work = { ...rule, on: { DONE: 'done' } }
  const definition = { id: 'guarded', initial: 'work', states: { work, done: { type: 'final' } } }
  const { root } = readSource(JSON.stringify(definition))
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (machine === undefined) throw new Error('the definition of the test has errors')
  return machine
}

/** Asks about one call after the other; none of them is remembered. */
export function guardedRun(
  rule: Readonly<Record<string, unknown>>,
  host?: HostId,
): (tool: string, input: unknown) => VerdictReply {
  const machine = oneStage(rule)
  const where = { machine, envelope }
  const { state } = decide(where, null, { type: 'StartRun', stage: null, vars: {}, branch: null })
  const from = host === undefined ? {} : { host }
  return (tool, input) => ask({ machine, state, from }, tool, input)
}

type Running = {
  readonly machine: Machine
  readonly state: RunState
  readonly from: { readonly host?: HostId }
}

function ask({ machine, state, from }: Running, tool: string, input: unknown): VerdictReply {
  // WHY: hosts send whatever they send; the type is a promise that nobody keeps for them.
  const spoken = { tool, input: input as JsonObject }
  const call = readCall(spoken, { machine, workspace, ...from })
  const { reply } = decide({ machine, envelope }, state, { type: 'CheckCall', call })
  if (reply.kind !== 'verdict') throw new Error(`no verdict: ${reply.kind}`)
  return reply
}
