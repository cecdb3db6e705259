/**
 * Which evidence the rules of a run name: only that is taken, and only for that is the workspace
 * looked at. Knows machines and policies. Must not know calls.
 */
import type { Machine, Policy } from '../machine/machine.ts'
import { isSameSubject } from './recorded-evidence.ts'
import type { EvidenceRequirement, EvidenceSubject } from './requirement.ts'

/** What decides about a run: the machines of its family, and the policies over them. */
export type EvidenceRules = {
  readonly machines: readonly Machine[]
  readonly policies: readonly Policy[]
}

const noRequirements: readonly EvidenceRequirement[] = []
// WHY: asked at every command, and the answer of one machine never changes.
const known = new WeakMap<Machine, readonly EvidenceRequirement[]>()

/** Every requirement in the guards of a machine. */
export function requirementsIn(machine: Machine): readonly EvidenceRequirement[] {
  const found = known.get(machine)
  if (found !== undefined) return found
  const requirements: EvidenceRequirement[] = []
  for (const stage of Object.values(machine.stages)) {
    for (const { routes } of Object.values(stage.signals)) {
      for (const guard of routes.flatMap((route) => route.guards)) {
        if (guard.kind === 'evidence') requirements.push(guard.requirement)
      }
    }
  }
  const kept = requirements.length === 0 ? noRequirements : requirements
  known.set(machine, kept)
  return kept
}

const knownOfPolicies = new WeakMap<Policy, readonly EvidenceRequirement[]>()

/** Every requirement that a rule of a policy has in its `after`. */
export function requirementsInPolicy(policy: Policy): readonly EvidenceRequirement[] {
  const found = knownOfPolicies.get(policy)
  if (found !== undefined) return found
  const requirements: EvidenceRequirement[] = []
  for (const { after = [] } of [...policy.ask, ...policy.allow]) {
    for (const one of after) if ('evidence' in one) requirements.push(one.evidence)
  }
  const kept = requirements.length === 0 ? noRequirements : requirements
  knownOfPolicies.set(policy, kept)
  return kept
}

/** The policies over a run: those above it, and those of its own definitions. */
export function policiesOver({ machines, policies }: EvidenceRules): readonly Policy[] {
  return [...policies, ...machines.flatMap(({ policy }) => (policy === null ? [] : [policy]))]
}

function isAnyRequirement(
  rules: EvidenceRules,
  isMeant: (requirement: EvidenceRequirement) => boolean,
): boolean {
  return (
    rules.machines.some((machine) => requirementsIn(machine).some(isMeant)) ||
    policiesOver(rules).some((policy) => requirementsInPolicy(policy).some(isMeant))
  )
}

/** Whether any rule wants evidence of this command. */
export function isWanted(subject: EvidenceSubject, rules: EvidenceRules): boolean {
  return isAnyRequirement(
    rules,
    (one) => one.subject !== null && isSameSubject(one.subject, subject),
  )
}

/** The reports of this command that rules want to be read. */
export function reportsWanted(subject: EvidenceSubject, rules: EvidenceRules): readonly string[] {
  const paths = new Set<string>()
  isAnyRequirement(rules, (one) => {
    const isMeant = one.subject !== null && isSameSubject(one.subject, subject)
    if (isMeant && one.report !== undefined) paths.add(one.report)
    return false
  })
  return [...paths]
}

/** Whether any rule names evidence at all. */
export function namesEvidence(rules: EvidenceRules): boolean {
  return isAnyRequirement(rules, () => true)
}
