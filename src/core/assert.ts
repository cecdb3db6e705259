/** Assertions: what must hold if the code is right. A failed one is a bug, not a rejection. */

/** Stops the command when something that must hold does not. */
export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`bug: ${why}`)
}

/** Ends every `switch` over a tag, so that a new member cannot be forgotten. */
export function assertNever(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`)
}
