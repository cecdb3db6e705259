/**
 * Whether a command needs to know how the workspace is now. Taking a fingerprint costs time, so it
 * is taken only where a rule asks for evidence.
 * Knows guards and calls. Must not take a fingerprint.
 */
import {
  type EvidenceRules,
  namesEvidence,
  policiesOver,
  reportsWanted,
  requirementsIn,
  requirementsInPolicy,
} from '../evidence/named-requirements.ts'
import { own } from '../json.ts'
import type { Policy } from '../machine/machine.ts'
import { evaluatePolicy, policyNamesOf } from '../policy/evaluate.ts'
import { isDemandedOf } from '../policy/order-marks.ts'
import { isEvidenceCall } from './call-evidence.ts'
import { addressedMember, type Family, openLeaf } from './family.ts'
import type { Call, Command, OpenCall, RunState } from './types.ts'

type Planned = { readonly command: Command; readonly branch: string | null }

/** Whether deciding this command takes a fingerprint of the workspace. */
export function needsWorkspace(
  family: Family,
  { command, branch }: Planned,
  policies: readonly Policy[],
): boolean {
  const machines = family.members.map(({ machine }) => machine)
  const rules = { machines, policies }
  if (!namesEvidence(rules)) return false
  switch (command.type) {
    case 'SendSignal': {
      const leaf = openLeaf(family, addressedMember(family, branch))
      return leavesByEvidence(leaf)
    }
    case 'CheckCall':
      return isEvidenceCall(command.call, rules) || followsFreshEvidence(command.call, rules)
    case 'ReportCall':
      return family.members.some(({ state }) =>
        state.openCalls.some((one) => isMeant(one, command)),
      )
    case 'ResolveApproval':
      return command.granted && family.members.some(({ state }) => restsOnEvidence(state))
    default:
      return false
  }
}

/** A report that a command may have written, and since when it has to be. */
export type WantedReport = {
  readonly path: string
  readonly since: number
  /** When the command ended; absent: just now. */
  readonly until?: number
}

/** The reports that have to be read because the end of a command is being reported. */
export function wantedReports(
  family: Family,
  { command }: Planned,
  policies: readonly Policy[],
): readonly WantedReport[] {
  if (command.type !== 'ReportCall') return []
  const machines = family.members.map(({ machine }) => machine)
  const { endedAt } = command.report
  const until = endedAt === undefined ? {} : { until: endedAt }
  const wanted = new Map<string, WantedReport>()
  for (const { state } of family.members) {
    for (const { evidence, ...one } of state.openCalls) {
      if (evidence === undefined || !isMeant({ ...one, evidence }, command)) continue
      for (const path of reportsWanted(evidence, { machines, policies })) {
        const since = Math.max(evidence.startedAt, wanted.get(path)?.since ?? 0)
        wanted.set(path, { path, since, ...until })
      }
    }
  }
  return [...wanted.values()]
}

/** Whether a policy lets this call through only after evidence that is fresh. */
function followsFreshEvidence(call: Call, rules: EvidenceRules): boolean {
  const policies = policiesOver(rules).filter((one) => requirementsInPolicy(one).length > 0)
  if (policies.length === 0) return false
  const names = policyNamesOf(call)
  return policies.some((policy) =>
    evaluatePolicy(policy, names).limited.some(
      ({ after = [], when }) =>
        after.some((one) => 'evidence' in one && one.evidence.isFresh) && isDemandedOf(call, when),
    ),
  )
}

/** Whether a way out of the stage depends on how the files are. */
function leavesByEvidence({ machine, state }: Family['members'][number]): boolean {
  if (!requirementsIn(machine).some(({ isFresh }) => isFresh)) return false
  const signals = Object.values(own(machine.stages, state.stage)?.signals ?? {})
  return signals.some(({ routes }) =>
    routes.some(({ guards }) =>
      guards.some((guard) => guard.kind === 'evidence' && guard.requirement.isFresh),
    ),
  )
}

/** Whether the report may be about this call, whose command a rule wants evidence of. */
function isMeant(open: OpenCall, report: Extract<Command, { type: 'ReportCall' }>): boolean {
  if (open.evidence === undefined) return false
  if (report.callId !== null) return report.callId === open.callId
  return report.key === undefined || report.key === open.key
}

function restsOnEvidence({ approval }: RunState): boolean {
  return (
    approval !== null && 'evidence' in approval.pending && approval.pending.evidence !== undefined
  )
}
