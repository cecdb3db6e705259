/**
 * Evidence in words, for people who decide: what was seen, when, and whether files changed since.
 */
import { ageText, type EvidenceMoment, exitText } from './meets-requirement.ts'
import type { RecordedEvidence, TestCounts } from './recorded-evidence.ts'

/** What people and programs are shown of one piece of evidence. */
export type EvidenceLine = {
  readonly command: string
  readonly folder: string
  readonly grade: RecordedEvidence['grade']
  readonly source: string
  readonly exit: RecordedEvidence['exit']
  readonly tests: TestCounts | null
  readonly endedAt: number
  /** Nothing has changed since; null: nobody looked. */
  readonly isFresh: boolean | null
  /** `Pawl saw …`, as one sentence. */
  readonly text: string
}

/** One piece of evidence; `moment` without a fingerprint: nobody has looked at the files. */
export function describeEvidence(
  one: RecordedEvidence,
  moment: Pick<EvidenceMoment, 'at'> & Partial<EvidenceMoment>,
): EvidenceLine {
  const { subject, grade, source, exit, reports = {}, endedAt, fingerprint } = one
  const tests = one.tests ?? Object.values(reports).find((counts) => counts !== null) ?? null
  const variables = Object.entries(subject.environment).map(([name, value]) => `${name}=${value}`)
  const command = [...variables, ...subject.words].join(' ')
  const isComparable = fingerprint !== null && typeof moment.fingerprint === 'string'
  const isFresh = isComparable ? fingerprint === moment.fingerprint : null
  const parts = [
    `${sawText(grade)} \`${command}\`${subject.folder === '.' ? '' : ` in \`${subject.folder}\``}`,
    ...[exitText(exit), ...(tests === null ? [] : [testsText(tests)])],
    ageText(moment.at - endedAt),
    ...(moment.fingerprint === undefined ? [] : [freshnessText(isFresh)]),
  ]
  const [first = '', ...rest] = parts
  return {
    ...{ command, folder: subject.folder, grade, source, exit, tests, endedAt, isFresh },
    text: `${first}: ${rest.join(', ')}`,
  }
}

function freshnessText(isFresh: boolean | null): string {
  if (isFresh === null) return 'files could not be compared'
  return isFresh ? 'nothing changed since' : 'files changed since'
}

/** How the sentence about evidence begins. */
export function sawText(grade: RecordedEvidence['grade']): string {
  if (grade === 'job') return 'Pawl ran'
  return grade === 'host' ? 'Pawl saw' : 'the agent says it ran'
}

function testsText({ passed, failed, skipped }: TestCounts): string {
  const counts = [
    ...(passed > 0 || failed === 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return counts.join(', ')
}
