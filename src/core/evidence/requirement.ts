/**
 * What a rule wants to have been seen: one command, in one folder and environment, and how it
 * ended. Only the shapes; `schema.ts` reads them, `meets-requirement.ts` judges by them.
 */

/** From the weakest to the strongest. */
export const evidenceGrades = ['claimed', 'host', 'job'] as const

/**
 * Who saw it. `job`: Pawl ran the command itself. `host`: the hook of a host reported a call that
 * Pawl had judged. `claimed`: the agent says so.
 */
export type EvidenceGrade = (typeof evidenceGrades)[number]

/** What evidence is about. Two are the same only when every part is equal. */
export type EvidenceSubject = {
  /** One simple command, after quote removal. */
  readonly words: readonly string[]
  /** Relative to the workspace; `.`: the workspace itself. */
  readonly folder: string
  /** Variables set for this command alone. */
  readonly environment: Readonly<Record<string, string>>
}

export type EvidenceRequirement = {
  /** As the author wrote it, for messages. */
  readonly command: string
  /** Null: the command is not one simple command, so nothing can meet this. */
  readonly subject: EvidenceSubject | null
  readonly exit: number | 'nonzero'
  /** How many tests must have run; null: any number. */
  readonly testsMin: number | null
  /**
   * A JUnit report that the command writes, or a folder of them, relative to the workspace: the
   * tests are counted there. Absent: in the output.
   */
  readonly report?: string
  /** No file of the workspace may have changed since. */
  readonly isFresh: boolean
  /** How old it may be, in milliseconds; null: any age. */
  readonly ageMsMax: number | null
  /** The weakest grade that counts. */
  readonly grade: EvidenceGrade
}
