/**
 * The ruling on a tool call: the worst of all pure answers. deny > ask > allow.
 * The stage speaks first, so that nobody is asked about what it forbids; then every policy that
 * holds here, then their limits. Each of them can only make the answer stricter.
 */
import { refuseData } from './engine/clean-data.ts'
import { openCallsMax } from './engine/evolve.ts'
import { addHeld, heldBy, nothingHeld, reserveFor, wishOf } from './engine/hold.ts'
import { hasEnded } from './engine/running.ts'
import { ruleOnCall } from './engine/tool-rule.ts'
import type {
  Around,
  Call,
  Grant,
  Ruling,
  RunState,
  RunUsage,
  Verdict,
  Wish,
} from './engine/types.ts'
import type { DenialCode } from './errors.ts'
import { hashJson } from './machine/hash.ts'
import type { Machine, Policy } from './machine/machine.ts'
import { isHopeless, type Quorum, quorumText, strictest } from './machine/quorum.ts'
import { usdText } from './money.ts'
import type { PolicyAnswer } from './policy/evaluate.ts'
import { evaluatePolicy, namesOf } from './policy/evaluate.ts'
import { indexPolicy } from './policy/index-policy.ts'
import type { Limited, Usage } from './policy/limits.ts'
import { findFull, hasRoom, meterOf, openHint, reservationsFor, usedText } from './policy/limits.ts'

export type Judging = {
  readonly machine: Machine
  readonly at: number
  readonly around: Around
  /** What the call in question may cost, as its maker says; absent: nobody said. */
  readonly estimateMicroUsd?: number
}

/** Nothing is known of other runs, and nothing of what was used. */
export const nothingAround: Around = {
  policies: [],
  above: [],
  below: { callsCount: 0, costMicroUsd: 0 },
  meters: null,
}

/** May this call happen now? */
export function judgeCall(where: Judging, state: RunState, call: Call): Ruling {
  // Answering, signalling and submitting are never policed.
  if (call.isOwn) return unmetered(ruleOnCall(where.machine, state, call))
  const stage = pendingAfterEnd(state) ?? ruleOnCall(where.machine, state, call)
  if (stage.verdict === 'deny') return unmetered(stage)
  const spoken = askPolicies(where, call)
  const denied = spoken.find(({ answer }) => answer.verdict === 'deny')
  if (denied !== undefined) return unmetered(policyDenial(denied, call))
  const exhausted = exhaustedRun(where, state, call)
  if (exhausted !== null) return unmetered(exhausted)
  const asking = spoken.find(({ answer }) => answer.verdict === 'ask')
  const { at } = where
  const answer =
    asking === undefined ? { verdict: stage, grant: null } : ask(asking, { state, at }, call)
  if (answer.verdict.verdict === 'deny') return unmetered(answer.verdict)
  const quorum = quorumFor(spoken)
  if (quorum !== null && isHopeless(quorum) && answer.grant === null) {
    return unmetered(hopeless(quorum, asking?.answer.rule ?? null, call))
  }
  const limited = spoken.flatMap(limitsOf)
  const since = answer.grant?.at ?? null
  const usage = { ...usageFor(where, state, call), since }
  const full = findFull(limited, usage) ?? findFull(modelLimits(where), usage)
  if (full !== null) return unmetered({ verdict: 'deny', ...full })
  const reserve = reserveFor({ ...where, limited }, usage.wish)
  if (isCrowded(state, at)) return unmetered(crowded)
  const rule = answer.verdict.rule ?? spoken.find((one) => one.answer.rule !== null)?.answer.rule
  return {
    ...answer.verdict,
    rule: rule ?? null,
    meters: reservationsFor(limited, since),
    grant: answer.grant?.approvalId ?? null,
    ...(quorum === null ? {} : { quorum }),
    ...(reserve === null ? {} : { reserve }),
  }
}

/** What was used of policies' limits, what is held, and what the call wants of them. */
export function usageFor(where: Judging, state: RunState, { tool }: Call): Usage & { wish: Wish } {
  const { around, at } = where
  const { meters, held = {} } = around
  return { meters, at, since: null, held, wish: wishOf(where, state, tool) }
}

/** Budgets for models: no call is of a model, and every one of them makes it go on. */
export function modelLimits(where: Judging): readonly Limited[] {
  return layersOf(where).flatMap(({ owner, policy }) =>
    indexPolicy(policy).models.map(({ tier, rule }) => ({
      rule,
      meter: meterOf(owner, tier, rule.capability),
    })),
  )
}

/** Who has to agree for all the rules that ask. */
export function quorumFor(spoken: readonly Spoken[]): Quorum | null {
  const rules = spoken.flatMap(({ answer }) => (answer.verdict === 'ask' ? answer.limited : []))
  return strictest(rules.flatMap(({ quorum }) => (quorum === undefined ? [] : [quorum])))
}

function hopeless(quorum: Quorum, rule: string | null, call: Call): Verdict {
  const reason = `nobody can agree to \`${call.capability}\`: ${quorumText(quorum)} would have to`
  const hint = 'go on without it; only whoever wrote the policies can change that'
  return { verdict: 'deny', code: 'POLICY_DENIED', reason, rule, hint }
}

/** A run that is over does not wait; still nothing happens while a person decides. */
function pendingAfterEnd(state: RunState): Verdict | null {
  return hasEnded(state) ? pendingQuestion(state) : null
}

function pendingQuestion(state: RunState): Verdict | null {
  if (state.approval === null) return null
  return {
    verdict: 'deny',
    code: 'APPROVAL_PENDING',
    reason: `a person has to decide first: ${state.approval.message}`,
    rule: null,
    hint: 'wait for the decision; nothing can be called meanwhile',
  }
}

function unmetered(verdict: Verdict): Ruling {
  return { ...verdict, meters: [], grant: null }
}

/** A policy that holds for a run, and whose it is. */
export type Layer = {
  /** Part of its meters' names. */
  readonly owner: string
  /** For messages. */
  readonly name: string
  readonly policy: Policy
}
export type Spoken = { readonly layer: Layer; readonly answer: PolicyAnswer }

/** What every policy that holds here says about a call. */
export function askPolicies(where: Judging, call: Call): readonly Spoken[] {
  const layers = layersOf(where)
  if (layers.length === 0) return []
  const names = namesOf(call)
  return layers.map((layer) => ({ layer, answer: evaluatePolicy(layer.policy, names) }))
}

/**
 * The policies laid over the family, then those of the definitions: of this run and of the runs
 * that wait for it. A branch has its parent's machine, whose policy is heard once.
 */
export function layersOf({ machine, around }: Judging): readonly Layer[] {
  const layers: Layer[] = around.policies.map((policy, level) => ({
    owner: `level-${level}`,
    name: 'the policy laid over the run',
    policy,
  }))
  for (const one of [machine, ...around.above.map((run) => run.machine)]) {
    if (one.policy === null || layers.some((layer) => layer.owner === one.hash)) continue
    const name = `the policy of \`${one.name}\``
    layers.push({ owner: one.hash, name, policy: one.policy })
  }
  return layers
}

/** What is said to a call that a policy denies. */
export function policyDenial({ layer, answer }: Spoken, call: Call): Verdict {
  const why =
    answer.tier === 'default'
      ? `is allowed by no rule of ${layer.name}`
      : `is denied by ${layer.name}`
  return {
    verdict: 'deny',
    code: 'POLICY_DENIED',
    reason: `\`${call.capability}\` ${why}`,
    rule: answer.rule,
    hint: 'go on without it; only whoever wrote the policy can change that',
  }
}

/** The rules that answered and have a limit. */
export function limitsOf({ layer, answer }: Spoken): readonly Limited[] {
  const { tier } = answer
  if (tier !== 'ask' && tier !== 'allow') return []
  return answer.limited
    .filter((rule) => rule.rate !== null || rule.budget !== null)
    .map((rule) => ({ rule, meter: meterOf(layer.owner, tier, rule.capability) }))
}

/** Limits of whole runs: a child uses up what its parents may use, and not only its own. */
export function exhaustedRun(where: Judging, state: RunState, { tool }: Call): Verdict | null {
  const { machine, around, at } = where
  const { below, above, dearest = state.dearest ?? {} } = around
  const own = {
    machine,
    callsCount: state.callsCount + below.callsCount,
    costMicroUsd: state.costMicroUsd + below.costMicroUsd,
    held: addHeld(heldBy(state, { at, dearest }), below.held ?? nothingHeld),
  }
  const wish = wishOf(where, state, tool)
  // Calls are the stages' business, which is over after the end; money stays what it is.
  const isFree = hasEnded(state) || state.status === 'paused'
  for (const run of [own, ...above]) {
    const exhausted = exhaustedMoney(run, wish) ?? (isFree ? null : exhaustedCalls(run))
    if (exhausted !== null) return exhausted
  }
  return null
}

type Used = RunUsage & { readonly machine: Machine }

function exhaustedMoney(run: Used, wish: Wish): Verdict | null {
  const { microUsdMax: max } = run.machine.limits
  if (max === null) return null
  const used = { spent: run.costMicroUsd, held: run.held ?? nothingHeld, max }
  if (hasRoom(used, wish)) return null
  const budget = `the budget of ${usdText(max)} of \`${run.machine.name}\``
  const denied = deny('BUDGET_EXHAUSTED', `${budget} ${usedText(used, wish)}`)
  return { ...denied, hint: openHint(used) ?? denied.hint }
}

/** WHY denied, also what holds nothing: one of the two could not be kept until its report. */
const crowded = deny(
  'BUDGET_EXHAUSTED',
  `${openCallsMax} open calls hold money, which is as many as a run can keep`,
)

function isCrowded({ openCalls, holdsCount = 0 }: RunState, at: number): boolean {
  if (holdsCount < openCallsMax) return false
  const holding = openCalls.filter(({ reserve }) => reserve !== undefined && at < reserve.until)
  return holding.length >= openCallsMax
}

function exhaustedCalls(run: Used): Verdict | null {
  const { callsMax } = run.machine.limits
  if (callsMax === null || run.callsCount < callsMax) return null
  const whose = `\`${run.machine.name}\``
  return deny('CALLS_EXHAUSTED', `${whose} allows ${callsMax} calls and they are used up`)
}

function deny(code: DenialCode, reason: string): Verdict {
  const hint = 'bring the run to its end without more calls: signals and answers stay open'
  return { verdict: 'deny', code, reason, rule: null, hint }
}

type Asked = { readonly verdict: Verdict; readonly grant: Grant | null }

/** A grant lets exactly this call through; without one a person is asked. */
function ask(
  { layer, answer }: Spoken,
  { state, at }: { readonly state: RunState; readonly at: number },
  call: Call,
): Asked {
  const { rule } = answer
  const problem = refuseData(call.input)
  if (problem !== null) {
    const reason = `nobody can be asked about this call of \`${call.tool}\`: ${problem}`
    const hint = 'send a smaller, plain input'
    return { verdict: { verdict: 'deny', code: 'POLICY_DENIED', reason, rule, hint }, grant: null }
  }
  const grant = findGrant(state.grants, call, at)
  if (grant !== null) {
    const reason = 'a person approved this call'
    return { verdict: { verdict: 'allow', code: null, reason, rule, hint: '' }, grant }
  }
  // INVARIANT: one question at a time; a released pause may still hold one about a move.
  const pending = pendingQuestion(state)
  if (pending !== null) return { verdict: pending, grant: null }
  const reason = `${layer.name} asks a person before \`${call.capability}\``
  const hint = 'wait for the decision, then make the same call again'
  return { verdict: { verdict: 'ask', code: null, reason, rule, hint }, grant: null }
}

function findGrant(grants: readonly Grant[], call: Call, at: number): Grant | null {
  if (grants.length === 0) return null
  const hash = hashCall(call)
  const isOpen = ({ expiresAt }: Grant): boolean => expiresAt === undefined || at <= expiresAt
  return grants.find((grant) => grant.hash === hash && isOpen(grant)) ?? null
}

/** What an approval of a call is bound to: the tool and the whole input. */
export function hashCall(call: Pick<Call, 'tool' | 'input'>): string {
  return hashJson({ tool: call.tool, input: call.input })
}
