/**
 * What `pawl doctor --prove` needs of the program, and what a proof looks like.
 * Given by whoever wires the program together.
 */

export type CheckOutcome = 'stopped' | 'EXECUTED' | 'not offered' | 'not enforceable' | 'not tried'

export type ProofCell = {
  readonly outcome: CheckOutcome
  /** Why, and what covers it; empty where there is nothing to say. */
  readonly note: string
}

/** What came of every path on one host. */
export type ProofColumn = {
  readonly host: string
  readonly version: string | null
  readonly ms: number
  readonly cells: Readonly<Record<string, ProofCell>>
  /** Why nothing could be tried; null: it was. */
  readonly fault: string | null
}

export type HostsProof = {
  /** The paths that were tried, by id, as they are called. */
  readonly paths: Readonly<Record<string, string>>
  readonly hosts: readonly ProofColumn[]
}

export type ProveOptions = {
  /** Empty: every host that is installed. */
  readonly hosts: readonly string[]
  readonly secondsMax: number
}

export type DoctorDoor = {
  /** The hosts that can be started for a proof. */
  readonly provable: readonly string[]
  readonly prove: (wish: ProveOptions) => Promise<HostsProof>
}
