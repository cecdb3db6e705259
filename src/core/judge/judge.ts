/**
 * The judge: one ordered list of rules, applied to one call. The verdict is the worst answer, and
 * the explanation is all of them.
 * The stage comes first, so that nobody is asked about what it forbids; then every policy that
 * applies, then what is left of the limits. Each of them can only make the answer stricter.
 */
import { reserveFor, wishOf } from '../engine/budget-reservations.ts'
import type { Call, OrderMark, Reservation, Reserve } from '../engine/types.ts'
import type { ProofLevel } from '../machine/proof-levels.ts'
import type { Quorum } from '../machine/quorum.ts'
import { reservationsFor } from '../policy/limits.ts'
import { openCallsLimit, policyLimits, runLimits } from './limit-rules.ts'
import { type Observation, observationOf } from './observe-mode.ts'
import { afterRule, orderMarksOf, tallyRule } from './order-rules.ts'
import { proofFor, quorumFor } from './policy-layers.ts'
import { peopleRule, policyRule } from './policy-rules.ts'
import { repeatRule } from './repeat-rule.ts'
import {
  type JudgingExtent,
  noAnswers,
  passBy,
  type RuleAnswer,
  worstAnswer,
} from './rule-answer.ts'
import { type JudgingContext, type Rule, type RuleInput, ruleInputFor } from './rule-input.ts'
import { runStatus } from './rule-on-run-status.ts'
import { stageRules } from './stage-rules.ts'

/** In the order in which they are asked; of the worst answers the first decides. */
const rules: readonly Rule[] = [
  runStatus,
  ...stageRules,
  policyRule,
  runLimits,
  peopleRule,
  policyLimits,
  tallyRule,
  openCallsLimit,
  afterRule,
  repeatRule,
]

/** Answering, signalling and submitting are never policed. */
const ownTool = passBy({
  by: 'tools',
  says: 'allow',
  rule: null,
  reason: 'tools of Pawl itself are always allowed',
})

/** The answer to a call, with what has to be recorded when it is carried out. */
export type Ruling = {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** In the order of the rules; for a decision, none behind the first denial. */
  readonly answers: readonly RuleAnswer[]
  /** The one that decides. */
  readonly by: RuleAnswer
  /** The one that would decide if it were enforced; absent: all are. */
  readonly observed?: RuleAnswer
  /** Nothing is enforced, and it would have been denied: it uses up nothing; absent: it counts. */
  readonly isUncounted?: true
  /** What the call counts against once it is let through. */
  readonly meters: readonly Reservation[]
  /** What it leaves for rules on what happened before; absent: nothing. */
  readonly order?: readonly OrderMark[]
  /** The approval that lets it through. */
  readonly grant: string | null
  /** Who has to agree, where it asks; absent: one person, whoever it is. */
  readonly quorum?: Quorum
  /** How the decision has to be proven, where it asks; absent: the rules do not say. */
  readonly proof?: ProofLevel
  /** Money that is held once it is let through; absent: none. */
  readonly reserve?: Reserve
}

/** May this call happen now? */
export function judge(
  call: Call,
  context: JudgingContext,
  extent: JudgingExtent = 'decision',
): Ruling {
  const question = ruleInputFor(call, context, extent)
  if (call.isOwn) return rulingOn([ownTool], ownTool)
  const { isObserved, isWhole } = observationOf(question)
  const answers = answersTo(question, isObserved)
  const strictest = worstAnswer(answers)
  const isLetThrough = isOpposed(strictest) && isObserved(strictest)
  const by = isLetThrough ? worstAnswer(answers.filter((one) => !isObserved(one))) : strictest
  const ruling = rulingOn(answers, by)
  if (ruling.decision === 'deny') return ruling
  if (isLetThrough && isWhole && strictest.says === 'deny') {
    return { ...ruling, observed: strictest, isUncounted: true }
  }
  const account = { ...ruling, ...accountOf(question) }
  return isLetThrough ? { ...account, observed: strictest } : account
}

function isOpposed({ says }: RuleAnswer): boolean {
  return says === 'deny' || says === 'ask'
}

function rulingOn(answers: readonly RuleAnswer[], by: RuleAnswer): Ruling {
  const decision = by.says === 'nothing' ? 'allow' : by.says
  return { decision, answers, by, meters: [], grant: null }
}

function answersTo(
  question: RuleInput,
  isObserved: Observation['isObserved'],
): readonly RuleAnswer[] {
  const isDecision = question.extent === 'decision'
  const answers: RuleAnswer[] = []
  for (const rule of rules) {
    const given = rule(question)
    if (given === noAnswers) continue
    for (const answer of given) {
      answers.push(answer)
      if (isDecision && answer.says === 'deny' && !isObserved(answer)) return answers
    }
  }
  return answers
}

type Account = Pick<Ruling, 'meters' | 'order' | 'grant' | 'quorum' | 'proof' | 'reserve'>

/** What a call that is not denied counts against, holds, and needs. */
function accountOf(question: RuleInput): Account {
  const { context, state, call } = question
  const { machine, around, at, estimateMicroUsd } = context
  const limited = question.limits()
  const grant = question.grant()
  const quorum = quorumFor(question.policies())
  const proof = proofFor(question.policies())
  const said = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const holding = { machine, around, at, limited, ...said }
  const reserve = reserveFor(holding, wishOf(context, state, call.tool))
  const order = orderMarksOf(question)
  return {
    meters: reservationsFor(limited, grant?.at ?? null),
    ...(order.length === 0 ? {} : { order }),
    grant: grant?.approvalId ?? null,
    ...(quorum === null ? {} : { quorum }),
    ...(proof === undefined ? {} : { proof }),
    ...(reserve === null ? {} : { reserve }),
  }
}

/** What a call would leave for rules on what happened before, once it is let through. */
export function orderMarksOn(call: Call, context: JudgingContext): readonly OrderMark[] {
  return orderMarksOf(ruleInputFor(call, context, 'decision'))
}
