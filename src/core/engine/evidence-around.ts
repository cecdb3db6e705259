/**
 * What evidence is judged by beside a run itself: what was seen in the others of its family, and
 * whether a call is under way that may change files. Of the whole family, because its runs work on
 * one workspace, and evidence is about that.
 */
import { lastOpenChange } from '../judge/calls-in-flight.ts'
import { changesIn } from '../policy/meters.ts'
import { isEvidenceCall, writesReport } from './call-evidence.ts'
import type { Context, Family, FamilyMember } from './family.ts'
import type { Command, Envelope } from './types.ts'

type FamilyWork = { readonly family: Family; readonly context: Context }

/** What a command of one member is decided with, beside its state. */
export function evidenceAround(
  { family, context }: FamilyWork,
  { runId }: FamilyMember,
  command: Command,
): Pick<Envelope, 'workspace' | 'evidence' | 'changingSince' | 'isEvidence' | 'changes'> {
  const { workspace, at, policies = [] } = context
  const others = family.members.filter((one) => one.runId !== runId)
  const evidence = others.flatMap(({ state }) => state.evidence ?? [])
  const states = family.members.map(({ state }) => state)
  const changingSince = lastOpenChange(states, at)
  const machines = family.members.map(({ machine }) => machine)
  const rules = { machines, policies }
  const isEvidence =
    workspace !== undefined && command.type === 'CheckCall' && isEvidenceCall(command.call, rules)
  // WHY not beside a call that is open already: it may write the report in place of the command.
  const isAloneSoFar = command.type !== 'CheckCall' || changingSince === null
  const isReported =
    workspace?.reports !== undefined ||
    (isEvidence && command.type === 'CheckCall' && writesReport(command.call, rules))
  return {
    ...(workspace === undefined ? {} : { workspace }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(workspace === undefined || changingSince === null ? {} : { changingSince }),
    ...(isEvidence ? { isEvidence } : {}),
    ...(isReported && isAloneSoFar ? { changes: changesIn(family.meters) } : {}),
  }
}
