/**
 * The policies that apply to a run, the highest authority first, and the answer of each to a call.
 * Knows policies and their owners. Must not know usage, or what follows from an answer.
 */

import type { Call, FamilyContext, OrderMark } from '../engine/types.ts'
import { requirementsIn } from '../evidence/named-requirements.ts'
import { joinPointer } from '../finding.ts'
import { commonTools } from '../hosts/common-tools.ts'
import type { Machine, Policy, PolicyRule, RuleRef } from '../machine/machine.ts'
import { type ProofLevel, strongestProof } from '../machine/proof-levels.ts'
import { type Quorum, strictest } from '../machine/quorum.ts'
import {
  type CallNames,
  evaluatePolicy,
  type PolicyAnswer,
  policyNamesOf,
  strictestOn,
  unspoken,
} from '../policy/evaluate.ts'
import { indexPolicy, matchTier } from '../policy/index-policy.ts'
import { type Limited, meterOf } from '../policy/limits.ts'
import { changeMark, isDemandedOf, seenMark } from '../policy/order-marks.ts'
import { anyResource } from '../tools/bookkeeping.ts'
import { isUncounted } from './rule-on-counts.ts'

/** A policy that holds for a run, and whose it is. */
type Layer = {
  /** Part of its meters' names. */
  readonly owner: string
  /** For messages. */
  readonly name: string
  /** Where it is written. */
  readonly source: RuleRef
  readonly policy: Policy
}

/** A policy and what it says of a call. */
export type Consulted = { readonly layer: Layer; readonly answer: PolicyAnswer }

/** A limit of a policy, with the place of its rule. */
export type PlacedLimit = Limited & { readonly source: RuleRef }

type Laid = { readonly machine: Machine; readonly around: FamilyContext }

/** The document of a policy of which nobody said where it is written. */
const unnamed: RuleRef = { document: 'policy', pointer: '' }

/** Where a policy that is laid over a run is written. */
export function policySource({ source }: Policy): RuleRef {
  return source ?? unnamed
}

/**
 * The policies laid over the family, then those of the definitions: of this run and of the runs
 * that wait for it. A branch has its parent's machine, whose policy counts once.
 */
export function layersOf({ machine, around }: Laid): readonly Layer[] {
  const layers: Layer[] = around.policies.map((policy, level) => ({
    owner: `level-${level}`,
    name: 'a policy that applies to the run',
    source: policySource(policy),
    policy,
  }))
  addLayer(layers, machine)
  for (const run of around.above) addLayer(layers, run.machine)
  return layers
}

function addLayer(layers: Layer[], { hash, name, policy, origins }: Machine): void {
  if (policy === null || layers.some((layer) => layer.owner === hash)) return
  layers.push({
    owner: hash,
    name: `the policy of \`${name}\``,
    source: { document: name, pointer: origins?.run.policy ?? '/policy' },
    policy,
  })
}

/** What every policy that holds here says of a call. */
export function consultPolicies(laid: Laid, call: Call): readonly Consulted[] {
  const layers = layersOf(laid)
  if (layers.length === 0) return []
  const names = policyNamesOf(call)
  return layers.map((layer) => ({ layer, answer: answerOf(layer.policy, call, names) }))
}

/** Bookkeeping is forbidden by a rule that speaks of it, not by one for all that is unnamed. */
function answerOf(policy: Policy, call: Call, names: CallNames): PolicyAnswer {
  const answer = lookAnswers(policy, call).reduce(stricterOf, evaluatePolicy(policy, names))
  if (answer.tier === 'default' && isUncounted(call)) return unspoken
  // A resource of nobody knows which server may be one of a server that the policy speaks of.
  return call.capability === anyResource ? stricterOf(answer, strictestOn(policy, 'mcp:')) : answer
}

/** What a policy says of the tools that a command stands in for, where a rule names them. */
function lookAnswers(policy: Policy, { looks }: Call): readonly PolicyAnswer[] {
  const tools = new Set(looks?.commands.flatMap((look) => look.tools))
  return [...tools]
    .map((tool) => ({ tool, commonName: tool, capability: commonTools[tool].capability }))
    .map((named) => evaluatePolicy(policy, policyNamesOf(named)))
    .filter(({ tier }) => tier === 'deny' || tier === 'ask')
}

function stricterOf(one: PolicyAnswer, other: PolicyAnswer | null): PolicyAnswer {
  if (other === null || one.verdict === 'deny') return one
  return other.verdict === 'deny' || one.verdict === 'allow' ? other : one
}

/** The rule by which a policy answered; null: none of its rules speaks of the call. */
export function answeringRule({ layer, answer }: Consulted): RuleRef | null {
  const { document, pointer } = layer.source
  if (answer.rule !== null) return { document, pointer: answer.rule }
  return answer.verdict === 'deny' ? { document, pointer: joinPointer(pointer, 'default') } : null
}

const noLimits: readonly PlacedLimit[] = []

/** The rules of all policies that answered and have a limit. */
export function limitsIn(consulted: readonly Consulted[]): readonly PlacedLimit[] {
  return consulted.some(({ answer }) => answer.limited.length > 0)
    ? consulted.flatMap(limitsOf)
    : noLimits
}

/** The rules of one policy that answered and have a limit. */
export function limitsOf({ layer, answer }: Consulted): readonly PlacedLimit[] {
  const { tier, limited } = answer
  if (limited.length === 0 || (tier !== 'ask' && tier !== 'allow')) return noLimits
  return limited
    .filter((rule) => rule.rate !== null || rule.budget !== null)
    .map((rule) => placedLimit(layer, tier, rule))
}

/** The rules of all policies that answered and demand something of the past. */
export function demandsIn(consulted: readonly Consulted[], call: Call): readonly PlacedLimit[] {
  return consulted.some(({ answer }) => answer.limited.length > 0)
    ? consulted.flatMap((one) => demandsOf(one, call))
    : noLimits
}

function demandsOf({ layer, answer }: Consulted, call: Call): readonly PlacedLimit[] {
  const { tier, limited } = answer
  if (limited.length === 0 || (tier !== 'ask' && tier !== 'allow')) return noLimits
  return limited
    .filter((rule) => demandsOrder(rule) && isDemandedOf(call, rule.when))
    .map((rule) => placedLimit(layer, tier, rule))
}

function demandsOrder({ after, count, sum }: PolicyRule): boolean {
  return after !== undefined || count !== undefined || sum !== undefined
}

/** What a call leaves for rules of which it may be the prerequisite. */
export function prerequisiteMarks(laid: Laid, call: Call): readonly OrderMark[] {
  const marks = new Map<string, OrderMark>()
  const session = laid.around.session?.name ?? null
  let needsChanges = [laid.machine, ...laid.around.above.map((run) => run.machine)].some((one) =>
    requirementsIn(one).some(({ isFresh, report }) => isFresh || report !== undefined),
  )
  for (const { policy } of layersOf(laid)) {
    const index = indexPolicy(policy)
    needsChanges ||= index.needsChanges
    if (index.prerequisites === null) continue
    // WHY exact: a name that only resembles another one proves nothing.
    const found = matchTier(index.prerequisites, policyNamesOf(call).exact)
    for (const after of found?.limited.flatMap((rule) => rule.after ?? []) ?? []) {
      const mark = 'capability' in after ? seenMark(call, after, session) : null
      if (mark !== null) marks.set(mark.meter, mark)
    }
  }
  const change = needsChanges ? changeMark(call) : null
  return change === null ? [...marks.values()] : [...marks.values(), change]
}

/** Budgets for models: no call is of a model, and every one of them makes it go on. */
export function modelLimits(consulted: readonly Consulted[]): readonly PlacedLimit[] {
  let limits = noLimits
  for (const { layer } of consulted) {
    const { models } = indexPolicy(layer.policy)
    if (models.length === 0) continue
    limits = limits.concat(models.map(({ tier, rule }) => placedLimit(layer, tier, rule)))
  }
  return limits
}

function placedLimit(layer: Layer, tier: 'ask' | 'allow', rule: Limited['rule']): PlacedLimit {
  const source = { document: layer.source.document, pointer: rule.origin }
  return { rule, meter: meterOf(layer.owner, tier, rule.capability), source }
}

/** Whether a policy asks a person. */
export function asks({ answer }: Consulted): boolean {
  return answer.verdict === 'ask'
}

/** How a decision has to be proven for all the rules that ask; undefined: they do not say. */
export function proofFor(consulted: readonly Consulted[]): ProofLevel | undefined {
  if (!consulted.some(asks)) return undefined
  return strongestProof(askingRules(consulted).map((rule) => rule.proof))
}

function askingRules(consulted: readonly Consulted[]): readonly PolicyRule[] {
  return consulted.filter(asks).flatMap(({ answer }) => answer.limited)
}

/** Who has to agree for all the rules that ask; null: one person, whoever it is. */
export function quorumFor(consulted: readonly Consulted[]): Quorum | null {
  if (!consulted.some(asks)) return null
  const rules = askingRules(consulted)
  return strictest(rules.flatMap(({ quorum }) => (quorum === undefined ? [] : [quorum])))
}
