/** The answers of policies to a call, and whether the people whom they name can be asked. */

import type { Call, Denial } from '../engine/types.ts'
import { refuseData } from '../engine/validate-data.ts'
import { isHopeless, quorumText } from '../machine/quorum.ts'
import { answeringRule, asks, type Consulted, quorumFor } from './policy-layers.ts'
import { denyBy, noAnswers, passBy, type RuleAnswer } from './rule-answer.ts'
import type { Rule, RuleInput } from './rule-input.ts'
import { waiting } from './rule-on-run-status.ts'

/** The answer of every policy that holds here, the highest authority first. */
export const policyRule: Rule = (question) => {
  const answers: RuleAnswer[] = []
  for (const one of question.policies()) {
    const answer = policyAnswer(question, one)
    if (answer !== null) answers.push(answer)
  }
  return answers
}

/** Null: none of its rules speaks of the call, and nobody wants to hear so. */
function policyAnswer(question: RuleInput, consulted: Consulted): RuleAnswer | null {
  const { call, extent } = question
  const { layer, answer } = consulted
  const rule = answeringRule(consulted)
  if (answer.verdict === 'deny') {
    return denyBy({ by: 'policy', rule, denial: denialOf(consulted, call) })
  }
  if (answer.verdict === 'ask' && question.grant() === null) {
    const reason = `${layer.name} asks a person before \`${call.capability}\``
    const hint = 'wait for the decision, then make the same call again'
    return { by: 'policy', says: 'ask', code: null, reason, hint, rule }
  }
  if (extent === 'decision') {
    return rule === null ? null : passBy({ by: 'policy', says: 'allow', rule, reason: '' })
  }
  return rule === null
    ? passBy({ by: 'policy', says: 'nothing', rule, reason: `no rule of ${layer.name} matches` })
    : passBy({
        by: 'policy',
        says: 'allow',
        rule,
        reason: `${layer.name}, tier \`${answer.tier}\``,
      })
}

function denialOf({ layer, answer }: Consulted, call: Call): Denial {
  const why =
    answer.tier === 'default'
      ? `is not allowed by any rule of ${layer.name}`
      : `is denied by ${layer.name}`
  return {
    code: 'POLICY_DENIED',
    reason: `\`${call.capability}\` ${why}`,
    hint: 'continue without it; only the owner of the policy can change that',
  }
}

/** Where a policy asks: whether a person can be asked about the call, or has agreed to it. */
export const peopleRule: Rule = (question) => {
  const { call } = question
  const consulted = question.policies()
  const asking = consulted.find(asks)
  if (asking === undefined) return noAnswers
  const rule = answeringRule(asking)
  const problem = refuseData(call.input)
  if (problem !== null) {
    const reason = `nobody can be asked about this call of \`${call.tool}\`: ${problem}`
    const hint = 'send a smaller, plain input'
    return [denyBy({ by: 'people', rule, denial: { code: 'POLICY_DENIED', reason, hint } })]
  }
  if (question.grant() !== null) {
    const reason = 'a person approved this call'
    return [passBy({ by: 'people', says: 'allow', rule, reason })]
  }
  return unreachable(question, asking)
}

function unreachable(question: RuleInput, asking: Consulted): readonly RuleAnswer[] {
  const { call, state, extent } = question
  const answers: RuleAnswer[] = []
  // INVARIANT: one question at a time; a released pause may still hold one about a move.
  if (state.approval !== null) answers.push(denyBy({ by: 'people', ...waiting(state) }))
  const quorum = quorumFor(question.policies())
  if (quorum !== null && isHopeless(quorum)) {
    const who = quorumText(quorum)
    const reason = `nobody can approve \`${call.capability}\`: it would take ${who}`
    const hint = 'continue without it; only the owner of the policies can change that'
    const denial: Denial = { code: 'POLICY_DENIED', reason, hint }
    answers.push(denyBy({ by: 'people', rule: answeringRule(asking), denial }))
  } else if (quorum !== null && extent === 'explanation') {
    const reason = `it would need approval from ${quorumText(quorum)}`
    answers.push(passBy({ by: 'people', says: 'nothing', rule: null, reason }))
  }
  return answers
}
