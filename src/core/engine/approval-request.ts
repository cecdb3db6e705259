/** A question to a person, as a run keeps it until it is decided. Only the shapes. */
import type { EvidenceRequirement } from '../evidence/requirement.ts'
import type { JsonObject } from '../json.ts'
import type { Move } from '../machine/machine.ts'
import type { Quorum } from '../machine/quorum.ts'
import type { PendingCall } from './call.ts'
import type { Actor } from './types.ts'

/** A question to a person about one move or one call, bound to its hash. */
export type Approval = {
  readonly id: string
  readonly kind: 'move' | 'call'
  readonly message: string
  readonly hash: string
  readonly requestedAt: number
  /** After this moment nobody can grant it any more; absent: never. */
  readonly expiresAt?: number
  /** The move that waits, whole: a grant needs no code to be replayed. */
  readonly pending: PendingMove | PendingCall
  /** Who has to agree; absent: one person, whoever it is. */
  readonly quorum?: Quorum
  /** Who caused the question, where that matters: the asker is no approver. */
  readonly askedBy?: Actor
  /** Every decision on it must be signed with a passkey; absent: a person's token is enough. */
  readonly proof?: 'passkey'
  /** Who has agreed so far, while more people have to; absent: nobody. */
  readonly endorsements?: readonly Endorsement[]
}

/** One person's yes, of several that are needed. */
export type Endorsement = { readonly by: Actor; readonly note: string }

export type PendingMove = {
  readonly signal: string
  readonly move: Move
  readonly data: JsonObject | null
  readonly refusal: 'stay' | 'block'
  /** Values of the signal that the person may change; absent: none. */
  readonly editable?: readonly string[]
  /** Evidence that the move rests on; absent: none. */
  readonly evidence?: readonly EvidenceRequirement[]
}
