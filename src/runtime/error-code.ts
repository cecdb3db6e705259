/** The code and message of whatever was thrown. */

/** `ENOENT`, say; where there is no code, the message. */
export function errorCodeOf(cause: unknown): string {
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code)
  return errorMessageOf(cause)
}

/** What was thrown, in its own words. */
export function errorMessageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
