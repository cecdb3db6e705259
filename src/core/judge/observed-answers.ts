/**
 * Observing: which answers to a call are recorded and not enforced. A person starts a run that only
 * observes, or a policy says so for itself and for everything below it: no document can loosen what
 * stands above it.
 */
import type { Call, FamilyContext } from '../engine/types.ts'
import type { Machine } from '../machine/machine.ts'
import { policySource } from './policy-layers.ts'
import type { RuleAnswer } from './rule-answer.ts'
import type { RuleInput } from './rule-input.ts'

export type IsObserved = (answer: RuleAnswer) => boolean

const enforced: IsObserved = () => false

/** Which answers of the rules to this call are only observed. */
export function observedAnswers(question: RuleInput): IsObserved {
  const { state, machine, call } = question
  if (usesCredentials(call)) return enforced
  if (state.observe === true) return (answer) => isObservable(question, answer)
  if (!isObservedByPolicy(machine, question.context.around)) return enforced
  const documents = observedDocuments(question)
  const isOwn = documents.has(machine.name)
  return (answer) =>
    isObservable(question, answer) &&
    (answer.rule === null ? isOwn : documents.has(answer.rule.document))
}

/** Calls that Pawl makes with the credentials of a person: nobody could make them without it. */
function usesCredentials({ capability }: Call): boolean {
  return capability.startsWith('mail:') || capability.startsWith('http:')
}

/** Whether a policy that applies to a run observes, so that not everything is enforced. */
export function isObservedByPolicy(machine: Machine, around: FamilyContext): boolean {
  return (
    machine.policy?.observe === true ||
    around.policies.some(({ observe }) => observe === true) ||
    around.above.some((run) => run.machine.policy?.observe === true)
  )
}

/** The document of the first policy that observes, and those of everything below it. */
function observedDocuments({ context: { around }, machine }: RuleInput): ReadonlySet<string> {
  const levels = around.policies.map((policy) => {
    const { document } = policySource(policy)
    return { document, policy }
  })
  const machines = [...around.above.map((run) => run.machine).toReversed(), machine]
  const definitions = machines.map(({ name, policy }) => ({ document: name, policy }))
  const all = [...levels, ...definitions]
  const first = all.findIndex(({ policy }) => policy?.observe === true)
  const above = new Set(all.slice(0, first).map(({ document }) => document))
  const below = all.slice(first).map(({ document }) => document)
  // A name that stands above as well may mean that document.
  return new Set(below.filter((document) => !above.has(document)))
}

/**
 * What holds a run that enforces nothing: Pawl's own files stay as they are, what cannot be read is
 * not let through, and a pause stops the agent.
 */
function isObservable({ state, stage }: RuleInput, { by }: RuleAnswer): boolean {
  if (by === 'protected' || by === 'input') return false
  return by !== 'run' || (state.status !== 'paused' && stage !== undefined)
}
