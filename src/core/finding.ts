/** A finding about a definition, with its position in the author's file. */
import type { ErrorCode, FindingCode, WarningCode } from './errors.ts'
import { errorCodes } from './errors.ts'

export type Finding = {
  readonly code: FindingCode
  readonly severity: 'error' | 'warning'
  /** JSON pointer to the element meant, e.g. `/states/testing/on/GO`. */
  readonly pointer: string
  /** Mark the key of the member instead of its value (a misspelt field, say). */
  readonly atKey?: boolean
  /** Mark the text that says this, somewhere inside the element: the target of a move, say. */
  readonly saying?: string
  /** Where it is in the text, when the text could not be read as a tree. */
  readonly offset?: number
  readonly message: string
  /** What to do about it, one line; empty when the message says it. */
  readonly hint: string
}

/** Where a remark is about: the element, the key that names it, or a text inside it. */
export type FindingPlace =
  | string
  | { readonly pointer: string; readonly atKey: true }
  | { readonly pointer: string; readonly saying: string }

const errors: ReadonlySet<string> = new Set(errorCodes)

/** A finding; its severity follows from its code. */
export function finding(
  code: ErrorCode | WarningCode,
  place: FindingPlace,
  words: FindingWords,
): Finding {
  const where = typeof place === 'string' ? { pointer: place } : place
  const severity = errors.has(code) ? 'error' : 'warning'
  return { code, severity, ...where, message: words.message, hint: words.hint ?? '' }
}

export type FindingWords = { readonly message: string; readonly hint?: string }

/** Whether a definition with these findings may start. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((one) => one.severity === 'error')
}

/** A JSON pointer with one more step. */
export function joinPointer(pointer: string, ...steps: readonly (string | number)[]): string {
  let path = pointer
  for (const step of steps) path += `/${typeof step === 'string' ? escaped(step) : step}`
  return path
}

/** The steps of a JSON pointer, as they are written where it points. */
export function stepsOf(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function escaped(step: string): string {
  if (!step.includes('~') && !step.includes('/')) return step
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
