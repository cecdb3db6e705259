/**
 * What counts for a rule on the past, by its scope: what the family of the run has left, and for a
 * session also what its other runs have. Knows scopes. Must not judge.
 */
import type { RunState } from '../engine/types.ts'
import { own } from '../json.ts'
import type { AfterCall, OrderScope } from '../machine/order-rule.ts'
import type { Meters } from '../policy/meters.ts'
import { afterMeter } from '../policy/order-marks.ts'
import { mergeSeen, type SeenCalls } from '../policy/order-meters.ts'
import { mergeTallies, type Tally } from '../policy/tallies.ts'
import type { RuleInput } from './rule-input.ts'

/** The session that makes the call; null: not known. */
export function sessionIn({ context }: RuleInput): string | null {
  return context.around.session?.name ?? null
}

type Unknown = { readonly reason: string; readonly hint: string }

/** Why what a session has done is not known; null: it is, or the rule is not about a session. */
export function sessionProblem({ context }: RuleInput, scope: OrderScope): Unknown | null {
  if (scope === 'run') return null
  const { session } = context.around
  if (session !== undefined && session.problem === null) return null
  const reason = session?.problem ?? 'it is not known which session makes this call'
  return { reason, hint: 'continue without it, or ask a person to start a new session' }
}

function metersIn({ context }: RuleInput, scope: OrderScope): readonly Meters[] {
  const { meters, session } = context.around
  return [...(meters === null ? [] : [meters]), ...(scope === 'run' ? [] : (session?.meters ?? []))]
}

/** The states of all runs whose calls count. */
export function statesIn({ context, state }: RuleInput, scope: OrderScope): readonly RunState[] {
  const { states = [state], session } = context.around
  return scope === 'run' || session === undefined ? states : [...states, ...session.states]
}

/** What calls have left on a meter. */
export function tallyIn(question: RuleInput, scope: OrderScope, meter: string): Tally | undefined {
  return mergeTallies(
    metersIn(question, scope).flatMap((one) => own(one, meter)?.order?.tally ?? []),
  )
}

/** Calls that ended well and may meet a prerequisite; undefined: there are none. */
export function seenIn(question: RuleInput, after: AfterCall): SeenCalls | undefined {
  const meter = afterMeter(after, sessionIn(question))
  // WHY: nobody has seen what was changed between two runs.
  const scope = after.isFresh === true ? 'run' : after.scope
  return mergeSeen(metersIn(question, scope).flatMap((one) => own(one, meter)?.order?.seen ?? []))
}
