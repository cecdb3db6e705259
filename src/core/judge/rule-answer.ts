/**
 * The answers of rules to a call, and the worst of them: deny > ask > allow.
 * Knows answers. Must not know how a rule arrives at one.
 */
import type { Denial, NamedRule } from '../engine/call.ts'
import type { DenialCode } from '../errors.ts'
import type { RuleRef } from '../machine/machine.ts'

/** Who answers: the run, a rule of its stage, a policy, a limit, or the people who are asked. */
export type AnswerSource =
  | 'run'
  | 'tools'
  | 'input'
  | 'protected'
  | 'commands'
  | 'command'
  | 'programs'
  | 'env'
  | 'writes'
  | 'paths'
  | 'edits'
  | 'counts'
  | 'policy'
  | 'run-limit'
  | 'people'
  | 'limit'
  | 'order'
  | 'repeats'

/** What one rule says about one call. */
export type RuleAnswer = {
  readonly by: AnswerSource
  /** `nothing`: it does not speak of such a call. */
  readonly says: 'allow' | 'ask' | 'deny' | 'nothing'
  /** Null unless it denies. */
  readonly code: DenialCode | null
  readonly reason: string
  /** How to go on, one line; empty when nothing stands in the way. */
  readonly hint: string
  /** Null: no author wrote it; Pawl itself holds every run to it. */
  readonly rule: RuleRef | null
  /** Calls in flight whose end may change the answer; absent: there are none. */
  readonly waitsFor?: readonly string[]
  /** The call that fails again and again, of which this denial tells once; absent: none. */
  readonly tells?: string
}

export const noAnswers: readonly RuleAnswer[] = []

/** `decision`: no further than the first denial. `explanation`: every rule, with its words. */
export type JudgingExtent = 'decision' | 'explanation'

type Denying = {
  readonly by: AnswerSource
  readonly rule: RuleRef | null
  readonly denial: Denial
}

/** The answer of a rule that denies. */
export function denyBy({ by, rule, denial }: Denying): RuleAnswer {
  const { code, reason, hint } = denial
  return { by, says: 'deny', code, reason, hint, rule }
}

type Passing = Pick<RuleAnswer, 'by' | 'rule' | 'reason'> & { readonly says: 'allow' | 'nothing' }

/** The answer of a rule that lets a call pass. */
export function passBy({ by, says, rule, reason }: Passing): RuleAnswer {
  return { by, says, code: null, reason, hint: '', rule }
}

/** Whose yes lets a call through, where all allow it: who looked at most of it counts most. */
const grantors: Readonly<Partial<Record<AnswerSource, number>>> = {
  policy: 1,
  tools: 2,
  commands: 3,
  people: 4,
}

const unopposed = passBy({ by: 'run', says: 'allow', rule: null, reason: '' })

/** The answer that decides: the first of the worst; where all allow, who let it through. */
export function worstAnswer(answers: readonly RuleAnswer[]): RuleAnswer {
  let worst = unopposed
  let weight = 0
  for (const one of answers) {
    const its = weightOf(one)
    if (its <= weight) continue
    worst = one
    weight = its
  }
  return worst
}

function weightOf({ says, by, rule }: RuleAnswer): number {
  if (says === 'deny') return 20
  if (says === 'ask') return 10
  return says === 'nothing' || rule === null ? 0 : (grantors[by] ?? 0)
}

/** A rule as events and replies of a run name it; `home` is the name of its definition. */
export function nameRule(rule: RuleRef | null, home: string): NamedRule {
  if (rule === null) return { rule: null }
  const { document, pointer } = rule
  return document === home ? { rule: pointer } : { rule: pointer, document }
}

/** `policy.json#/ask/0`: a rule as one text; null: no author wrote it. */
export function ruleText({ rule, document }: NamedRule): string | null {
  return rule === null || document === undefined ? rule : `${document}#${rule}`
}

/** The fields that name a rule, where more is at hand. */
export function ruleFields({ rule, document }: NamedRule): NamedRule {
  return document === undefined ? { rule } : { rule, document }
}
