/**
 * What is collected while a workflow is printed: losses, guards, names, and the final states that
 * have to be added.
 */
import type { JsonObject } from '../../json.ts'
import { emptyRecord } from '../../json.ts'
import type { EndOutcome, Machine } from '../../machine/machine.ts'
import { type LossTarget, lossesOf } from '../conversion-losses.ts'
import { freeName, type Loss } from '../printer-output.ts'

const target: LossTarget = {
  noun: 'workflow',
  can: [
    'callsTotal',
    'debug',
    'hold',
    'danger',
    'values',
    'detour',
    'toolsAllow',
    'toolsDeny',
    'commands',
    'envBlocked',
    'envSet',
    'callsMax',
    'editLinesMax',
    'filesMax',
    'bytesMax',
    'filesWritable',
    'programs',
    'model',
    'fallback',
    'requiredData',
    'gate',
    'invoke',
    'fork',
  ],
}

export type WorkflowPrintContext = {
  readonly machine: Machine
  readonly losses: Loss[]
  readonly guards: Record<string, JsonObject>
  /** Final states that stand for ends which have no stage, by outcome. */
  readonly ends: Map<EndOutcome, string>
  /** The name of a stage in the workflow. */
  readonly nameOf: (stage: string) => string
  /** The state in which a run ends so; it is made when it is first needed. */
  readonly endState: (outcome: EndOutcome) => string
}

/** An empty book, with the losses that can be seen at once. */
export function openPrintContext(machine: Machine): WorkflowPrintContext {
  const losses = lossesOf(machine, target)
  const names = new Map<string, string>()
  const added = new Set<string>()
  const add = (wish: string): string => {
    const name = freeName(wish, (one) => machine.stages[one] !== undefined || added.has(one))
    added.add(name)
    return name
  }
  const ends = new Map<EndOutcome, string>()
  for (const { name, origin } of Object.values(machine.stages)) {
    if (!name.startsWith('$return')) continue
    const other = add(name.slice(1))
    names.set(name, other)
    const effect = `the state is renamed \`${other}\``
    losses.push({
      pointer: origin,
      what: `a workflow has no state names like \`${name}\``,
      effect,
    })
  }
  const endState = (outcome: EndOutcome): string => {
    const name = ends.get(outcome) ?? add(outcome)
    ends.set(outcome, name)
    return name
  }
  const nameOf = (stage: string): string => names.get(stage) ?? stage
  return { machine, losses, guards: emptyRecord<JsonObject>(), ends, nameOf, endState }
}
