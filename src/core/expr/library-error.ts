/**
 * Turns what the expression libraries throw into the reason of a fault.
 * Knows errors. Must not know any language.
 */

/** The message of whatever was thrown. */
export function libraryErrorReason(problem: unknown): string {
  if (problem instanceof RangeError)
    return 'the expression or its data is nested too deep or too large'
  return problem instanceof Error ? problem.message : String(problem)
}
