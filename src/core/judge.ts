/**
 * The ruling on a tool call: the worst of all pure answers. deny > ask > allow.
 * Today the stage rule speaks; policy and limits take their place beside it here.
 */
import { ruleOnCall } from './engine/tool-rule.ts'
import type { Call, RunState, Verdict } from './engine/types.ts'
import type { Machine } from './machine/machine.ts'

/** May this call happen now? */
export function judgeCall(machine: Machine, state: RunState, call: Call): Verdict {
  return ruleOnCall(machine, state, call)
}
