/**
 * Evidence in the state of a run: the last end of each command that a rule asks about.
 * Knows what was recorded. Must not know who asks for it.
 */
import { canonicalJson } from '../json.ts'
import type { EvidenceGrade, EvidenceSubject } from './requirement.ts'

/** How many tests a runner said it ran. */
export type TestCounts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What is known before a command runs; goes with the call until its end. */
export type BegunEvidence = EvidenceSubject & {
  /** Of the workspace before the command began; null: it could not be taken. */
  readonly fingerprint: string | null
  /** Beginnings and ends of calls that may change files until then; absent: no report is wanted. */
  readonly changes?: number
}

/** How the command ended. */
export type EndedEvidence = {
  readonly grade: EvidenceGrade
  /** Who reported it: a job's id, or a host. */
  readonly source: string
  /** `nonzero`: it failed, with a code that nobody told; null: it did not come to an end. */
  readonly exit: number | 'nonzero' | null
  /** Null: no test runner was recognised in the output. */
  readonly tests: TestCounts | null
  /** What the reports say that rules name, by path; null: nothing that counts. Absent: no rule. */
  readonly reports?: Readonly<Record<string, TestCounts | null>>
  /** Of the workspace when the command had ended; null: it could not be taken. */
  readonly fingerprint: string | null
  /** Of the output that counted as its result; absent: not known. */
  readonly outputSha256?: string
  /** When it ended; absent: when it was reported. */
  readonly endedAt?: number
}

export type RecordedEvidence = Omit<EndedEvidence, 'fingerprint' | 'endedAt'> & {
  readonly subject: EvidenceSubject
  readonly callId: string
  readonly startedAt: number
  readonly endedAt: number
  /**
   * The state of the workspace that it is about; `changed`: files changed while it ran; null: it
   * could not be taken.
   */
  readonly fingerprint: string | 'changed' | null
}

/** Commands whose last end is kept in a run; beyond it the oldest is forgotten. */
export const evidenceKeptMax = 64

/**
 * The list with one more entry, in the place of an older one about the same and of its grade. What
 * ended earlier and is reported later changes nothing.
 */
export function addEvidence(
  kept: readonly RecordedEvidence[],
  one: RecordedEvidence,
): readonly RecordedEvidence[] {
  const isAlike = ({ subject, grade }: RecordedEvidence): boolean =>
    grade === one.grade && isSameSubject(subject, one.subject)
  if (kept.some((other) => isAlike(other) && other.endedAt > one.endedAt)) return kept
  const others = kept.filter((other) => !isAlike(other))
  return [...others.slice(-(evidenceKeptMax - 1)), one]
}

/** Whether two commands are the same, in the same folder, with the same variables. */
export function isSameSubject(a: EvidenceSubject, b: EvidenceSubject): boolean {
  return subjectKey(a) === subjectKey(b)
}

function subjectKey({ words, folder, environment }: EvidenceSubject): string {
  return canonicalJson([words, folder, environment])
}

/** The state of the workspace that a command which began and ended like this is about. */
export function fingerprintOver(
  before: string | null,
  after: string | null,
): RecordedEvidence['fingerprint'] {
  if (before === null || after === null) return null
  return before === after ? before : 'changed'
}
