/**
 * Which call of which caller a record is about.
 * Knows callers and keys. Must not know doors or hosts.
 */

/** Absent parts: nobody said. */
export type CallIdentity = {
  /** Who asks, as its door names it (`hook:claude:abc`). A grant serves its own caller alone. */
  readonly caller?: string
  /** The caller's own name of this call. */
  readonly key?: string
  /** One try of the caller to begin it, which may be sent again when its answer was lost. */
  readonly attempt?: string
  /** Who makes the call and alone may report it; absent: whoever works on the run. */
  readonly holder?: string
}

/** The parts that are there, so that a record names no others. */
export function identityOf({ caller, key, attempt, holder }: CallIdentity): CallIdentity {
  return {
    ...(caller === undefined ? {} : { caller }),
    ...(key === undefined ? {} : { key }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(holder === undefined ? {} : { holder }),
  }
}
