/**
 * Judges a call of an agent without a run: policies apply, and the files and settings that guard
 * the agent stay protected. Everything else is allowed.
 */

import { plainMachine } from './dialects/compiler-output.ts'
import { unborn } from './engine/evolve.ts'
import type { Call, Verdict } from './engine/types.ts'
import { alternationOf, fromAgentHosts } from './hosts/registry.ts'
import { asObject, type Json } from './json.ts'
import { observationOf } from './judge/observe-mode.ts'
import { answeringRule, asks, limitsOf, proofFor, quorumFor } from './judge/policy-layers.ts'
import { policyRule } from './judge/policy-rules.ts'
import { denyBy, nameRule, noAnswers, type RuleAnswer, worstAnswer } from './judge/rule-answer.ts'
import { nothingAround, type RuleInput, ruleInputFor } from './judge/rule-input.ts'
import type { Machine, Policy } from './machine/machine.ts'
import { type ProofLevel, strongestProof } from './machine/proof-levels.ts'
import { privateFolderIn } from './tools/private-folders.ts'
import { ruleOnProtected } from './tools/rule-on-protected.ts'

/** Stands in for the definition that there is not. */
export const noMachine: Machine = { ...plainMachine('no run', 'workflow', ''), hash: '' }

/** May this call happen, though no definition speaks of it? */
export function judgeWithoutRun(
  call: Call,
  policies: readonly Policy[],
  proof?: ProofLevel,
): Verdict {
  const around = { ...nothingAround, policies }
  const context = { machine: noMachine, state: unborn, at: 0, around }
  const question = ruleInputFor(call, context, 'decision')
  const answers = call.isOwn
    ? noAnswers
    : [
        ...guardRule(call),
        ...policiesAlone(question),
        ...uncounted(question, strongestProof([proof, ...policies.map((one) => one.proof)])),
      ]
  const { isObserved } = observationOf(question)
  const enforced = answers.filter((one) => !isObserved(one))
  const { says, code, reason, hint, rule } = worstAnswer(enforced)
  const verdict = says === 'nothing' ? 'allow' : says
  return { verdict, code, reason, hint, ...nameRule(rule, noMachine.name) }
}

const startRun = 'start a run (`pawl start NAME`), which counts calls and can ask for approval'

/** WHY not all that is protected in a run: what starts code on its own is everyday work as well. */
function guardRule(call: Call): readonly RuleAnswer[] {
  const held = ruleOnProtected(call)
  // Nor another agent: there is no run that would not hold it.
  const isNamed = mentionsProtectedNames(call.input) || holdsElsewhere(call)
  const isGuard = held?.code === 'PATH_PROTECTED' && isNamed
  return held !== null && isGuard
    ? [denyBy({ by: 'protected', rule: null, denial: held })]
    : noAnswers
}

/**
 * Whether a call touches what holds the agent, in a folder that no name gives away.
 * WHY not of a server: the gateway lets those through that name nothing, without asking.
 */
function holdsElsewhere(call: Call): boolean {
  if (call.capability.startsWith('mcp:')) return false
  const elsewhere = (call.guarded ?? []).filter((path) => !guards.test(path))
  return elsewhere.length > 0 && privateFolderIn({ ...call, guarded: elsewhere }) !== null
}

/** A policy that asks says so in other words: there is no run that would wait for the answer. */
function policiesAlone(question: RuleInput): readonly RuleAnswer[] {
  const reason = `a person must approve \`${question.call.capability}\``
  return policyRule(question).map((one) =>
    one.says === 'ask' ? { ...one, reason, hint: startRun } : one,
  )
}

/** What only a run can do: ask certain people, and keep count. */
function uncounted(question: RuleInput, proof: ProofLevel | undefined): readonly RuleAnswer[] {
  const { capability } = question.call
  const consulted = question.policies()
  const [demand] = question.demands()
  if (demand !== undefined) {
    const reason = `\`${capability}\` depends on earlier calls, which are known only in a run`
    const denial = { code: 'PREREQUISITE_MISSING', reason, hint: startRun } as const
    return [denyBy({ by: 'order', rule: demand.source, denial })]
  }
  const asking = consulted.find(asks)
  if (asking !== undefined) {
    const isSigned = strongestProof([proof, proofFor(consulted)]) === 'passkey'
    if (quorumFor(consulted) === null && !isSigned) return noAnswers
    const who = isSigned ? 'a person must sign for' : 'certain people must approve'
    const reason = `${who} \`${capability}\`, and only a run can ask them`
    const denial = { code: 'POLICY_DENIED', reason, hint: startRun } as const
    return [denyBy({ by: 'people', rule: answeringRule(asking), denial })]
  }
  const limited = consulted.find((one) => limitsOf(one).length > 0)
  if (limited === undefined) return noAnswers
  const reason = `\`${capability}\` has a limit, and calls are counted only in a run`
  const denial = { code: 'RATE_LIMITED', reason, hint: startRun } as const
  return [denyBy({ by: 'limit', rule: answeringRule(limited), denial })]
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
export function mentionsProtectedNames(input: Json): boolean {
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
