/**
 * Findings about a compiled machine that need no dialect: names, paths, guards, tools, policy.
 * Knows the machine only. Must not know the text it came from: each finding carries its origin.
 * Checks never stop at the first mistake, and never throw: a machine may be broken in many ways.
 */
import type { Finding } from '../finding.ts'
import { checkConditions } from './check-conditions.ts'
import { type Check, checkContextOf } from './check-context.ts'
import { checkCounters } from './check-counters.ts'
import { checkEvidence } from './check-evidence.ts'
import { checkEvidenceCommands } from './check-evidence-commands.ts'
import { checkSatisfiable, checkShadowedRoutes } from './check-guards.ts'
import { checkOrderRules } from './check-order-rules.ts'
import { checkCycles, checkEnds, checkReachable } from './check-paths.ts'
import { checkCommands, checkEscalation, checkOpenStages } from './check-permissions.ts'
import { checkQuorums } from './check-quorum.ts'
import { checkPolicy } from './check-shadowed-rules.ts'
import { checkForks, checkInitial, checkReturns, checkTargets } from './check-targets.ts'
import type { Machine } from './machine.ts'

export { linkMachine } from './check-invocations.ts'

/** Findings of one code in one machine; beyond that, the last says how many more there are. */
export const findingsPerCodeMax = 100

const checks: readonly Check[] = [
  checkInitial,
  checkTargets,
  checkForks,
  checkReturns,
  checkReachable,
  checkEnds,
  checkSatisfiable,
  checkShadowedRoutes,
  checkConditions,
  checkEvidence,
  checkEvidenceCommands,
  checkOpenStages,
  checkEscalation,
  checkCommands,
  checkCycles,
  checkCounters,
  checkPolicy,
  checkOrderRules,
  checkQuorums,
]

/** Everything there is to say about a machine by itself. What it invokes: see `linkMachine`. */
export function checkMachine(machine: Machine): Finding[] {
  const survey = checkContextOf(machine)
  return capped(checks.flatMap((check) => check(survey)))
}

/** One finding per place and message, and no more of one code than can be read. */
function capped(findings: readonly Finding[]): Finding[] {
  const byCode = new Map<string, Map<string, Finding>>()
  for (const one of findings) {
    const group = byCode.get(one.code) ?? new Map<string, Finding>()
    byCode.set(one.code, group.set(`${one.pointer}\n${one.message}`, one))
  }
  return [...byCode.values()].flatMap((group) => {
    const all = [...group.values()]
    const first = all[findingsPerCodeMax]
    if (first === undefined) return all
    const more = all.length - findingsPerCodeMax
    const message = `and ${more} more like this one (${first.message})`
    return [...all.slice(0, findingsPerCodeMax), { ...first, message }]
  })
}
