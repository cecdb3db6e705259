/**
 * What a call proves: the one command it runs, before it begins and after its end.
 * Knows calls and reports. Must not know who asks for evidence.
 */
import type { EvidenceMoment } from '../evidence/meets-requirement.ts'
import { type EvidenceRules, isWanted, reportsWanted } from '../evidence/named-requirements.ts'
import { readTestCounts } from '../evidence/read-test-counts.ts'
import type {
  BegunEvidence,
  EndedEvidence,
  RecordedEvidence,
  TestCounts,
} from '../evidence/recorded-evidence.ts'
import type { EvidenceGrade, EvidenceSubject } from '../evidence/requirement.ts'
import { mayChange } from '../policy/order-meters.ts'
import type { Call, OpenCall, Report } from './call.ts'
import type { Envelope } from './command.ts'
import type { RunState } from './types.ts'

/** What was seen in the run and in the others of its family. */
export function evidenceFor(
  { evidence = [] }: RunState,
  envelope: Envelope,
): readonly RecordedEvidence[] {
  return [...(envelope.evidence ?? []), ...evidence]
}

/** The workspace at the moment of a command; where nobody looked at it, nothing is fresh. */
export function evidenceMoment({ at, workspace, changingSince }: Envelope): EvidenceMoment {
  const changing = changingSince === undefined ? {} : { changingSince }
  return { ...(workspace ?? { fingerprint: null }), at, ...changing }
}

/** Whether a rule wants evidence of the one command that a call runs. */
export function isEvidenceCall(call: Call, rules: EvidenceRules): boolean {
  const subject = subjectOfCall(call)
  return subject !== null && isWanted(subject, rules)
}

/** Whether a rule wants a report read that the one command of a call writes. */
export function writesReport(call: Call, rules: EvidenceRules): boolean {
  const subject = subjectOfCall(call)
  return subject !== null && reportsWanted(subject, rules).length > 0
}

/** The one simple command that a call runs, and where; null: it is not just one. */
export function subjectOfCall({ shell, act }: Call): EvidenceSubject | null {
  if (act !== 'shell' || shell === null || !shell.ok) return null
  const { single, commands, hidden } = shell
  const dirs = commands[0]?.dirs ?? []
  const [folder = null] = dirs
  if (single === null || hidden.length > 0 || dirs.length !== 1 || folder === null) return null
  return {
    words: single.words,
    folder: folder === '' ? '.' : folder,
    environment: single.environment,
  }
}

/** What is recorded when a call begins whose end may become evidence; null: it proves nothing. */
export function beginEvidence(
  call: Call,
  { workspace, isEvidence, changes }: Envelope,
): BegunEvidence | null {
  if (isEvidence === undefined || workspace?.folder !== call.workspace) return null
  const subject = subjectOfCall(call)
  if (subject === null) return null
  const counted = changes === undefined ? {} : { changes }
  return { ...subject, fingerprint: workspace.fingerprint, ...counted }
}

function testsIn({ printed, output }: Report): TestCounts | null {
  const counts = readTestCounts(printed ?? output ?? '')
  if (counts === null) return null
  const { passed, failed, skipped } = counts
  return { passed, failed, skipped }
}

type EvidenceEnd = {
  readonly grade: EvidenceGrade
  readonly source: string
  readonly open: OpenCall & { readonly evidence: BegunCommand }
}

type BegunCommand = NonNullable<OpenCall['evidence']>

/** How a call ended that may become evidence. */
export function endEvidence(
  report: Report,
  envelope: Envelope,
  { grade: said, source, open }: EvidenceEnd,
): EndedEvidence {
  const { actor, workspace, at } = envelope
  const { startedAt } = open.evidence
  // INVARIANT: only Pawl itself has run a job, whatever a report says.
  const isOwn = actor.kind === 'system'
  const grade = said === 'job' && !isOwn ? 'claimed' : said
  const endedAt = isOwn ? report.endedAt : undefined
  return {
    grade,
    source,
    exit: report.exitCode,
    tests: testsIn(report),
    ...reportsOf(envelope, open),
    fingerprint: workspace?.fingerprint ?? null,
    ...(report.outputSha256 === undefined ? {} : { outputSha256: report.outputSha256 }),
    ...(endedAt === undefined || endedAt >= at ? {} : { endedAt: Math.max(endedAt, startedAt) }),
  }
}

/** WHY only of a command that ran alone: another call may have written them in its place. */
function reportsOf(
  { workspace, changes }: Envelope,
  open: EvidenceEnd['open'],
): Pick<EndedEvidence, 'reports'> {
  if (workspace?.reports === undefined) return {}
  const before = open.evidence.changes
  const isAlone = before !== undefined && changes === before + (mayChange(open) ? 1 : 0)
  const entries = Object.entries(workspace.reports)
  return { reports: Object.fromEntries(entries.map(([path, one]) => [path, isAlone ? one : null])) }
}
