/**
 * Observing: which answers to a call are recorded and not enforced. A person starts a run that only
 * observes, or a policy says so: that of the organisation for everything below it, any other for
 * its own document. No document can loosen what another one says.
 */
import type { Call, FamilyContext } from '../engine/types.ts'
import type { Machine, Policy } from '../machine/machine.ts'
import { policySource } from './policy-layers.ts'
import type { RuleAnswer } from './rule-answer.ts'
import type { RuleInput } from './rule-input.ts'

export type Observation = {
  readonly isObserved: (answer: RuleAnswer) => boolean
  /** Nothing is enforced, so that a call which would have been denied uses up nothing. */
  readonly isWhole: boolean
}

const nothingObserved: Observation = { isObserved: () => false, isWhole: false }

/** Which answers of the rules to this call are only observed. */
export function observationOf(question: RuleInput): Observation {
  const { state, machine, call, context } = question
  if (usesCredentials(call)) return nothingObserved
  const isRun = state.observe === true
  if (!isRun && !isObservedByPolicy(machine, context.around)) return nothingObserved
  const { documents, isWhole } = observedDocuments(machine, context.around)
  if (isRun || isWhole) {
    return { isObserved: (answer) => isObservable(question, answer), isWhole: true }
  }
  const isOwn = documents.has(machine.name)
  const isObserved = (answer: RuleAnswer): boolean => {
    if (!isObservable(question, answer)) return false
    if (answer.rule !== null) return documents.has(answer.rule.document)
    return isOwn && !isOfPolicies(question, answer)
  }
  return { isObserved, isWhole: false }
}

/** Calls that Pawl makes with the credentials of a person: nobody could make them without it. */
function usesCredentials({ capability }: Call): boolean {
  return capability.startsWith('mail:') || capability.startsWith('http:')
}

/** Whether a policy that applies to a run observes, so that not everything is enforced. */
export function isObservedByPolicy(machine: Machine, around: FamilyContext): boolean {
  return (
    machine.policy?.observe !== undefined ||
    around.policies.some(({ observe }) => observe !== undefined) ||
    around.above.some((run) => run.machine.policy?.observe !== undefined)
  )
}

type Observed = { readonly documents: ReadonlySet<string>; readonly isWhole: boolean }

/** The documents that are observed, and whether that is all of them. */
function observedDocuments(machine: Machine, around: FamilyContext): Observed {
  const levels = around.policies.map((policy) => ({ name: policySource(policy).document, policy }))
  const machines = [...around.above.map((run) => run.machine).toReversed(), machine]
  const all: readonly { readonly name: string; readonly policy: Policy | null }[] = [
    ...levels,
    ...machines,
  ]
  const first = all.findIndex(({ policy }) => policy?.observe === 'below')
  const isObserved = (at: number): boolean =>
    all[at]?.policy?.observe !== undefined || (first >= 0 && at >= first)
  const enforced = new Set(all.filter((_, at) => !isObserved(at)).map(({ name }) => name))
  // Of two documents of one name, nobody can tell which one is meant.
  const names = all.filter((_, at) => isObserved(at)).map(({ name }) => name)
  const documents = new Set(names.filter((name) => !enforced.has(name)))
  return { documents, isWhole: enforced.size === 0 }
}

/** An answer without a rule that follows from a policy: a question about a call is pending. */
function isOfPolicies({ state }: RuleInput, { by }: RuleAnswer): boolean {
  const isCall = state.approval !== null && 'tool' in state.approval.pending
  return by === 'people' || (by === 'run' && isCall)
}

/**
 * What holds a run that enforces nothing: what guards the agent stays as it is, what cannot be read
 * is not let through, and a pause stops the agent, also if it cancels the run then.
 */
function isObservable({ state, stage }: RuleInput, { by }: RuleAnswer): boolean {
  if (by === 'protected' || by === 'input') return false
  return by !== 'run' || (state.pause === null && stage !== undefined)
}
