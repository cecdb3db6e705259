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

/** What a proof is about: what hooks stop, or what only a box stops. */
export type ProofSubject = 'hooks' | 'below the hook'

export type ProveOptions = {
  readonly about: ProofSubject
  /** Empty: every host that is installed. */
  readonly hosts: readonly string[]
  /** Null: what `proofSeconds` gives for the hosts that are found. */
  readonly secondsMax: number | null
}

const hostsFew = 6

/** How long a proof of some hosts may take unless somebody says otherwise. */
export function proofSeconds(hosts: number): number {
  return hosts > hostsFew ? 90 : 60
}

export type DoctorDoor = {
  /** The hosts that can be started for a proof. */
  readonly provable: readonly string[]
  readonly prove: (wish: ProveOptions) => Promise<HostsProof>
}
