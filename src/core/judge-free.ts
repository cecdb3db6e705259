/**
 * The ruling on a call of an agent that works on no run: policies hold, and what guards the agent
 * stays out of its reach. Everything else is free.
 */
import { plainMachine } from './dialects/compiled.ts'
import type { Call, Verdict } from './engine/types.ts'
import { alternationOf, fromAgentHosts } from './hosts/registry.ts'
import { asObject, type Json } from './json.ts'
import { askPolicies, limitsOf, nothingAround, policyDenial, quorumFor } from './judge.ts'
import type { Machine, Policy } from './machine/machine.ts'
import { ruleOnProtected } from './tools/protected.ts'

/** Stands in for the definition that there is not. */
export const noMachine: Machine = { ...plainMachine('no run', 'workflow', ''), hash: '' }

const allow: Verdict = { verdict: 'allow', code: null, reason: '', rule: null, hint: '' }

/** May this call happen, though no definition speaks of it? */
export function judgeWithoutRun(call: Call, policies: readonly Policy[]): Verdict {
  if (call.isOwn) return allow
  const held = ruleOnProtected(call)
  // WHY not all that is protected in a run: what starts code on its own is everyday work as well.
  // Nor another agent: there is no run that would not hold it.
  const isGuard = held?.code === 'PATH_PROTECTED' && speaksOfGuards(call.input)
  if (held !== null && isGuard) return { verdict: 'deny', rule: null, ...held }
  const around = { ...nothingAround, policies }
  const spoken = askPolicies({ machine: noMachine, at: 0, around }, call)
  const denied = spoken.find(({ answer }) => answer.verdict === 'deny')
  if (denied !== undefined) return policyDenial(denied, call)
  const asking = spoken.find(({ answer }) => answer.verdict === 'ask')
  const limited = spoken.find((one) => limitsOf(one).length > 0)
  if (asking === undefined && limited === undefined) return allow
  const rule = asking?.answer.rule ?? limited?.answer.rule ?? null
  const hint = 'start a run (`pawl start NAME`): it keeps count, and asks'
  if (asking !== undefined && quorumFor(spoken) !== null) {
    const reason = `certain people have to agree to \`${call.capability}\`, whom only a run asks`
    return { verdict: 'deny', code: 'POLICY_DENIED', reason, rule, hint }
  }
  if (asking !== undefined) {
    const reason = `a person has to agree to \`${call.capability}\``
    return { verdict: 'ask', code: null, reason, rule, hint }
  }
  const reason = `\`${call.capability}\` has a limit, and without a run nobody counts`
  return { verdict: 'deny', code: 'RATE_LIMITED', reason, rule, hint }
}

/** Names of what holds the agent: Pawl, and the hosts with their settings. */
const guards = new RegExp(
  `pawl|${alternationOf(fromAgentHosts((host) => host.pathWords))}|[*?[~]`,
  'i',
)
/** Values of an input that are looked at. */
const valuesMax = 20_000

/**
 * Whether an input names what holds the agent.
 * INVARIANT: what does not is allowed where there is neither a run nor a policy.
 */
export function speaksOfGuards(input: Json): boolean {
  const open: Json[] = [input]
  let count = 0
  while (open.length > 0) {
    const next = open.pop() ?? null
    if (typeof next === 'string') {
      if (guards.test(next)) return true
      continue
    }
    for (const value of Array.isArray(next) ? next : Object.values(asObject(next) ?? {})) {
      count += 1
      // What is too much to look at may hold anything.
      if (count > valuesMax) return true
      open.push(value)
    }
  }
  return false
}
