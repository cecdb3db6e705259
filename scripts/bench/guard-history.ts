/**
 * The time of one decision with five conditions on what happened before, after a short and after a
 * long history of the run.
 */
import { commandFamily, type Family, startFamily } from '../../src/core/engine/family.ts'
import type { Call, Command } from '../../src/core/engine/types.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { compilePolicy } from '../../src/core/policy/compile-policy.ts'
import { readCall } from '../../src/core/tools/read-call.ts'
import { interleave, median, print } from './measure.ts'

const decisionsCount = 1_000
const roundsCount = 15
const eventsCounts = [10, 1_000_000] as const

const policies = [
  compilePolicy(
    {
      allow: [
        {
          capability: 'mcp:bank:transfer',
          after: [
            { capability: 'mcp:bank:login', within_seconds: 100_000_000 },
            { capability: 'mcp:bank:quote', same: [{ this: 'input.quote', earlier: 'output.id' }] },
            { capability: 'mcp:bank:check', fresh: true },
          ],
          count: { max: 100_000_000, window_seconds: 3_600 },
          sum: { of: 'input.amount', max: 100_000_000, window_seconds: 86_400 },
        },
      ],
    },
    '/policy',
  ),
]

class History {
  family: Family
  at = 1_000_000_000_000
  events = 0
  quote = 0
  readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
    const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
    this.family = startFamily({ runId: 'bench', machine }, start, this.context()).family
  }

  context() {
    const actor = { kind: 'agent', name: 'agent' } as const
    return { library: () => undefined, at: this.at, actor, policies }
  }

  send(command: Command) {
    this.at += 10
    const decision = commandFamily(this.family, { command, branch: null }, this.context())
    this.family = decision.family
    this.events += decision.recorded.length
    return decision.reply
  }

  call(tool: string, input: JsonObject, output: JsonObject = {}): void {
    const reply = this.send({ type: 'CheckCall', call: readTool(this.machine, tool, input) })
    if (reply.kind !== 'verdict' || reply.verdict !== 'allow') throw new Error('a call is denied')
    const used = { ok: true, exitCode: 0, bytes: 0, costMicroUsd: 0 }
    const report = { ...used, output: JSON.stringify(output) }
    this.send({ type: 'ReportCall', callId: reply.callId, report })
  }
}

function readTool(machine: Machine, tool: string, input: JsonObject): Call {
  return readCall({ tool: `mcp__bank__${tool}`, input }, { machine, workspace: '/home/dev/shop' })
}

/** A run with about so many events that the rules look at, and all that a transfer needs. */
function historyOf(machine: Machine, eventsCount: number): History {
  const history = new History(machine)
  history.call('login', {})
  for (;;) {
    history.quote += 1
    const { quote } = history
    history.call('quote', {}, { id: quote })
    history.call('check', {})
    if (history.events >= eventsCount) return history
    history.call('transfer', { quote, amount: 1 })
  }
}

function decisionsOn(history: History): () => void {
  const { family, machine } = history
  const call = readTool(machine, 'transfer', { quote: history.quote, amount: 1 })
  const context = history.context()
  return () => {
    for (let count = 0; count < decisionsCount; count += 1) {
      const command = { type: 'CheckCall', call } as const
      const { reply } = commandFamily(family, { command, branch: null }, context)
      if (reply.kind !== 'verdict' || reply.verdict !== 'allow') {
        throw new Error(`the bench call is not allowed: ${JSON.stringify(reply)}`)
      }
    }
  }
}

/** Prints how a decision grows with the history of its run. */
export function printHistory(machine: Machine): void {
  const cases: Record<string, () => void> = {}
  for (const count of eventsCounts) cases[String(count)] = decisionsOn(historyOf(machine, count))
  const times = interleave(cases, roundsCount)
  const micros = (count: number): number =>
    (median(times[String(count)] ?? []) * 1e3) / decisionsCount
  const [few, many] = eventsCounts
  const growth = (micros(many) / micros(few)).toFixed(2)
  print('one decision with five conditions on what happened before, µs', [
    [`${few} events in the run`, micros(few), ''],
    [`${many.toLocaleString('en')} events`, micros(many), `${growth} × of ${few} (goal ≤ 1.5)`],
  ])
}
