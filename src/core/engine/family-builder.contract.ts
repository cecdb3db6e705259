/**
 * Families for tests about calls: short ways to start one, call, report, decide and signal.
 */
import { compileDefinition } from '../dialects/compile-definition.ts'
import { toCommand } from '../dialects/to-command.ts'
import type { WorkspaceState } from '../evidence/meets-requirement.ts'
import type { Json } from '../json.ts'
import type { Machine, Policy } from '../machine/machine.ts'
import { sourceOf } from '../source/source.ts'
import type { Family, FamilyDecision } from './family.ts'
import { commandFamily, mainOf, memberOfBranch, openLeaf, startFamily } from './family.ts'
import type { SessionPast } from './session-past.ts'
import type { Actor, Call, Command, Reply, RunState } from './types.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const ann: Actor = { kind: 'person', name: 'ann' }

export function machineOf(definition: Json): Machine {
  const { machines, findings } = compileDefinition(sourceOf(definition))
  const machine = machines[0]
  if (machine === undefined) throw new Error(JSON.stringify(findings))
  return machine
}

/** A family that moves on with every word; the clock is its own. */
export class Walk {
  family: Family
  at = 1_000_000_000_000
  /** How the workspace is; undefined: nobody looks. */
  workspace: WorkspaceState | undefined
  /** What the session has done in other runs; undefined: no session is known. */
  session: SessionPast | undefined
  readonly policies: readonly Policy[]
  readonly library: ReadonlyMap<string, Machine>
  last: FamilyDecision

  constructor(
    definition: Json,
    policies: readonly Policy[] = [],
    library: ReadonlyMap<string, Machine> = new Map(),
  ) {
    this.policies = policies
    this.library = library
    const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
    const main = { runId: 'r', machine: machineOf(definition) }
    this.last = startFamily(main, start, this.context(agent))
    this.family = this.last.family
  }

  private context(actor: Actor) {
    const { at, policies, workspace, session } = this
    const library = (name: string) => this.library.get(name)
    const seen = workspace === undefined ? {} : { workspace }
    return { library, at, actor, policies, ...seen, ...(session === undefined ? {} : { session }) }
  }

  send(command: Command, actor = agent, branch: string | null = null): Reply {
    this.last = commandFamily(this.family, { command, branch }, this.context(actor))
    this.family = this.last.family
    return this.last.reply
  }

  call(call: Call, branch: string | null = null): Extract<Reply, { kind: 'verdict' }> {
    const reply = this.send({ type: 'CheckCall', call }, agent, branch)
    if (reply.kind !== 'verdict') throw new Error(`bug: a call gave ${JSON.stringify(reply)}`)
    return reply
  }

  report(usd = 0, callId: string | null = null, branch: string | null = null): Reply {
    const costMicroUsd = Math.round(usd * 1_000_000)
    const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd }
    return this.send({ type: 'ReportCall', callId, report }, agent, branch)
  }

  decide(granted: boolean, note = '', branch: string | null = null): Reply {
    const command = { type: 'ResolveApproval', approvalId: null, granted, note } as const
    return this.send(command, ann, branch)
  }

  fire(name: string, branch: string | null = null): Reply {
    const { machine } = openLeaf(this.family, this.addressed(branch))
    return this.send(toCommand(machine, { kind: 'signal', name, data: null }), agent, branch)
  }

  answer(answer: string): Reply {
    const { machine } = openLeaf(this.family, mainOf(this.family))
    return this.send(toCommand(machine, { kind: 'answer', answer, stage: null }))
  }

  state(branch: string | null = null): RunState {
    return openLeaf(this.family, this.addressed(branch)).state
  }

  private addressed(branch: string | null) {
    const found = branch === null ? undefined : memberOfBranch(this.family, branch)
    return found ?? mainOf(this.family)
  }
}
