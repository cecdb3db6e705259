/**
 * Whether the evidence of a run meets a requirement, with a plain reason where it does not.
 * Knows requirements and records. Must not take fingerprints or read the time.
 */
import { own } from '../json.ts'
import { isSameSubject, type RecordedEvidence, type TestCounts } from './recorded-evidence.ts'
import { type EvidenceGrade, type EvidenceRequirement, evidenceGrades } from './requirement.ts'

/** How the files of a workspace are at one moment. */
export type WorkspaceState = {
  /** The workspace itself, as an absolute path. */
  readonly folder: string
  /** Of the workspace now; null: it could not be taken, so nothing is fresh. */
  readonly fingerprint: string | null
  /** Files that changed lately, newest first, for the reason; absent: not known. */
  readonly changes?: readonly FileChange[]
  /** What the reports say that rules want read, by path; absent: none was wanted. */
  readonly reports?: Readonly<Record<string, TestCounts | null>>
}

/** What is known at the moment of the question. */
export type EvidenceMoment = Omit<WorkspaceState, 'folder' | 'reports'> & {
  readonly at: number
  /** When the newest open call began that may change files; absent: none is open. */
  readonly changingSince?: number
}

export type FileChange = { readonly path: string; readonly at: number }

export type EvidenceAnswer =
  | { readonly met: true; readonly evidence: RecordedEvidence }
  | {
      readonly met: false
      /** What Pawl saw of this command; null: nothing that counts. */
      readonly evidence: RecordedEvidence | null
      /** What is wrong, without a full stop. */
      readonly reason: string
      /** How to get what is needed. */
      readonly hint: string
    }

/** The last end of the required command among those of a grade that counts; null: there is none. */
export function findEvidence(
  recorded: readonly RecordedEvidence[],
  { subject, grade }: EvidenceRequirement,
): RecordedEvidence | null {
  if (subject === null) return null
  let last: RecordedEvidence | null = null
  for (const one of recorded) {
    if (!isGradeEnough(one.grade, grade) || !isSameSubject(one.subject, subject)) continue
    if (last === null || one.endedAt >= last.endedAt) last = one
  }
  return last
}

/** Whether what was recorded meets the requirement at this moment. */
export function meetsRequirement(
  requirement: EvidenceRequirement,
  recorded: readonly RecordedEvidence[],
  moment: EvidenceMoment,
): EvidenceAnswer {
  const evidence = findEvidence(recorded, requirement)
  const reason =
    evidence === null
      ? missingReason(requirement, recorded)
      : (wrongEnd(requirement, evidence) ??
        wrongTests(requirement, evidence) ??
        tooOld(requirement, evidence, moment.at) ??
        notFresh(requirement, evidence, moment))
  if (evidence !== null && reason === null) return { met: true, evidence }
  const hint = reason === stillChanging ? waitHint : hintFor(requirement)
  return { met: false, evidence, reason: reason ?? '', hint }
}

const stillChanging = 'a call that may change files is still running'
const waitHint = 'wait for its result, then try again'

function isGradeEnough(grade: EvidenceGrade, least: EvidenceGrade): boolean {
  return evidenceGrades.indexOf(grade) >= evidenceGrades.indexOf(least)
}

function missingReason(
  { command, subject, grade }: EvidenceRequirement,
  recorded: readonly RecordedEvidence[],
): string {
  if (subject === null) return `\`${command}\` is not one simple command, so nothing can prove it`
  const isSame = (one: RecordedEvidence): boolean =>
    one.subject.words.join('\0') === subject.words.join('\0')
  const elsewhere = recorded.findLast(
    (one) => isSame(one) && isGradeEnough(one.grade, grade) && !isSameSubject(one.subject, subject),
  )
  if (elsewhere !== undefined) {
    return elsewhere.subject.folder === subject.folder
      ? `Pawl saw \`${command}\` only with other environment variables`
      : `Pawl saw \`${command}\` only in \`${elsewhere.subject.folder}\``
  }
  const weaker = recorded.findLast((one) => isSameSubject(one.subject, subject))
  if (weaker !== undefined) return `only the ${weakerSource(weaker.grade)} says that it ran`
  return `Pawl has not seen \`${command}\` run alone and to its end`
}

function weakerSource(grade: EvidenceGrade): string {
  return grade === 'claimed' ? 'agent' : 'host'
}

function wrongEnd({ command, exit }: EvidenceRequirement, seen: RecordedEvidence): string | null {
  if (seen.exit === null) return `the last \`${command}\` did not come to its end`
  const isMet =
    exit === 'nonzero' ? seen.exit !== 0 : seen.exit === exit && typeof seen.exit === 'number'
  return isMet ? null : `the last \`${command}\` ${exitText(seen.exit)}`
}

/** How a command ended, in words. */
export function exitText(exit: RecordedEvidence['exit']): string {
  if (exit === null) return 'did not come to its end'
  return exit === 'nonzero' ? 'failed' : `exited ${exit}`
}

function wrongTests(requirement: EvidenceRequirement, seen: RecordedEvidence): string | null {
  const { command, exit, testsMin, report } = requirement
  const tests = testsFor(requirement, seen)
  if (tests === null) {
    if (testsMin === null && report === undefined) return null
    return report === undefined
      ? `no test results were recognised in the output of the last \`${command}\``
      : `the last \`${command}\` wrote no JUnit report that can be read to \`${report}\``
  }
  const ran = tests.passed + tests.failed
  // WHY also where no number is asked for: a test run without a test is no success of anything.
  const least = testsMin ?? (exit === 0 ? 1 : 0)
  if (ran < least) {
    return `the last \`${command}\` ran ${ran} ${ran === 1 ? 'test' : 'tests'}, not ${least}`
  }
  // WHY: a script that ends in `|| true` exits 0 whatever its tests say.
  if (exit === 0 && tests.failed > 0) {
    return `the last \`${command}\` exited 0, but ${tests.failed} of its tests failed`
  }
  // WHY: a test file can set the exit code, and no test has failed.
  if (testsMin !== null && exit !== 0 && tests.failed === 0) {
    return `the last \`${command}\` failed, but none of its tests did`
  }
  return null
}

/** WHY the output counts too: a failure that it tells of is not undone by a report. */
function testsFor(
  { report }: EvidenceRequirement,
  { tests, reports = {} }: RecordedEvidence,
): TestCounts | null {
  if (report === undefined) return tests
  const counts = own(reports, report) ?? null
  if (counts === null || tests === null) return counts
  return { ...counts, failed: Math.max(counts.failed, tests.failed) }
}

function tooOld(
  { command, ageMsMax }: EvidenceRequirement,
  { endedAt }: RecordedEvidence,
  at: number,
): string | null {
  const age = at - endedAt
  if (ageMsMax === null || (age >= 0 && age <= ageMsMax)) return null
  return `the last \`${command}\` was ${ageText(age)}, and it may be ${ageText(ageMsMax, 'long')}`
}

function notFresh(
  { command, isFresh }: EvidenceRequirement,
  seen: RecordedEvidence,
  { at, fingerprint, changes = [], changingSince = 0 }: EvidenceMoment,
): string | null {
  if (!isFresh) return null
  if (seen.fingerprint !== null && seen.fingerprint === fingerprint) {
    // WHY not what began before: a call that its host did not make in the end is never reported.
    return changingSince >= seen.startedAt ? stillChanging : null
  }
  if (fingerprint === null || seen.fingerprint === null) {
    return 'the files of the workspace could not be compared, so nothing counts as fresh'
  }
  const ago = `the last \`${command}\` was ${ageText(at - seen.endedAt)}`
  if (seen.fingerprint === 'changed') {
    const during = changes.filter((one) => one.at >= seen.startedAt && one.at <= seen.endedAt)
    return `${ago}, and ${changedText(during)} changed while it ran`
  }
  const since = changes.filter((one) => one.at >= seen.startedAt)
  return `${ago}, and ${changedText(since)} changed since`
}

const changesNamedMax = 3

function changedText(changes: readonly FileChange[]): string {
  if (changes.length === 0) return 'files'
  const named = changes.slice(0, changesNamedMax).map(({ path }) => `\`${path}\``)
  const more = changes.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

/** `40 s ago`; as a length, `40 s old at most`. */
export function ageText(ms: number, as: 'ago' | 'long' = 'ago'): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const text =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3600)} h`
  return as === 'ago' ? `${text} ago` : `${text} old at most`
}

function hintFor({ command, subject, exit, testsMin, grade }: EvidenceRequirement): string {
  const folder = subject === null || subject.folder === '.' ? '' : ` in \`${subject.folder}\``
  const tool = grade === 'job' ? ' as a job (`process_run`)' : ''
  const end = exit === 'nonzero' ? 'fail (exit other than 0)' : `exit ${exit}`
  const noun = testsMin === 1 ? 'test' : 'tests'
  const tests = testsMin === null ? '' : ` with at least ${testsMin} ${noun}`
  return `run \`${command}\`${folder}${tool}, alone; it must ${end}${tests}; then send this again`
}
