/** Turns the answers of the rules into the explanation of a verdict. */
import type { NamedRule } from '../engine/call.ts'
import { nameRule, type RuleAnswer } from './rule-answer.ts'

/** What one rule says, as it is shown. */
export type ExplainedAnswer = Pick<RuleAnswer, 'by' | 'says' | 'code'> &
  NamedRule & {
    /** What it looked at, or why it denies. */
    readonly about: string
  }

/** What every rule said, in the order in which they were asked. */
export function explain(answers: readonly RuleAnswer[], home: string): readonly ExplainedAnswer[] {
  return answers.map(({ by, says, code, reason, rule }) => ({
    by,
    says,
    about: reason,
    code,
    ...nameRule(rule, home),
  }))
}
