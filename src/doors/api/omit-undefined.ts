/** Removes fields that are `undefined`. */

/** The input without what was left out. */
export function omitUndefined<T extends object>(
  input: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  // WHY the cast: only what was undefined is gone.
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}
