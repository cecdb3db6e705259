/** The commands of a run. They may change between releases: only events are stored. */

import type { WorkspaceState } from '../evidence/meets-requirement.ts'
import type { RecordedEvidence } from '../evidence/recorded-evidence.ts'
import type { EvidenceGrade } from '../evidence/requirement.ts'
import type { JsonObject } from '../json.ts'
import type { EndOutcome, Source } from '../machine/machine.ts'
import type { Call, Report, Spend } from './call.ts'
import type { CallIdentity } from './call-identity.ts'
import type { DecisionPeer } from './decision-peer.ts'
import type { PasskeyProof } from './decision-proof.ts'
import type { Actor } from './types.ts'

/** Values by who said them. */
export type WrittenValues = { readonly [source in Source]?: JsonObject }

export type Command =
  | StartRun
  | {
      readonly type: 'SendSignal'
      readonly name: string
      readonly data: JsonObject | null
      /** The stage the sender believes it is in; another one: refused. */
      readonly expectStage: string | null
      /** The stage the sender wants to go to, where the trigger lets it choose. */
      readonly goTo: string | null
    }
  | (CallIdentity & {
      readonly type: 'CheckCall'
      readonly call: Call
      /** What it may cost: held until it is reported. Nought: as its
       *  maker knows, nothing. Absent: nobody knows. */
      readonly estimateMicroUsd?: number
      /**
       * Which open call this one could be, asked about again. `key`: the one of the same key;
       * `contents`: also an approved one of the same contents. Absent: it is always a new call.
       */
      readonly sameAs?: 'key' | 'contents'
      /** The host asks its own user about each call, and equal ones are asked about apart. */
      readonly asksUser?: true
      /** How it waits for calls in flight that it has to come after; absent: not at all. */
      readonly waits?: CallPatience
      /** The id under which it has waited; absent: it has not. */
      readonly waitId?: string
    })
  | { readonly type: 'RecordSpend'; readonly spend: Spend }
  /** A call is named by its id, or by its caller and key, or is the newest of its holder. */
  | (CallIdentity & {
      readonly type: 'ReportCall'
      readonly callId: string | null
      readonly report: Report
      /**
       * The host asked its own user, who let the call happen: the question about it is granted,
       * used and reported in one. The name under which that is recorded; absent: not so.
       */
      readonly grantedAtPrompt?: string
      /** The agent itself tells what its call gave, and nobody else has seen it. */
      readonly isClaim?: true
      /** Who saw how it ended; absent: only the agent says so. */
      readonly grade?: EvidenceGrade
    })
  | {
      readonly type: 'ResolveApproval'
      /** See `approval.refused`. */
      readonly isTold?: true
      readonly approvalId: string | null
      readonly granted: boolean
      readonly note: string
      /** Hash of what the person saw; another one is pending: refused. Absent: not told. */
      readonly hash?: string | null
      /** Values of the parked signal that the person changes, where its gate lets them. */
      readonly edits?: JsonObject | null
      /** A signature that was checked; absent: there is none. */
      readonly proof?: PasskeyProof
      /** Which program sent it; absent: the system did not tell. */
      readonly peer?: DecisionPeer
    }
  | { readonly type: 'ExpireApproval'; readonly approvalId: string }
  | { readonly type: 'PauseRun'; readonly release: boolean; readonly reason?: string }
  | { readonly type: 'ResumeRun' }
  | { readonly type: 'CancelRun'; readonly reason: string }
  | { readonly type: 'ForceStage'; readonly stage: string; readonly vars: JsonObject }
  /** The agent says that a branch, standing on its terminal stage, is done. */
  | { readonly type: 'FinishBranch'; readonly branch: string }
  /** Something around the run that its record has to tell. */
  | { readonly type: 'RaiseWarning'; readonly message: string; readonly code?: RaisedCode }
  /** A session of a host that works on the run began or ended. */
  | { readonly type: 'NoteSession'; readonly session: string; readonly what: 'began' | 'ended' }
  | {
      readonly type: 'EndChild'
      readonly child: string
      readonly outcome: ChildOutcome
      /** What was written in it, and by whom; absent: nothing. */
      readonly written?: WrittenValues
    }

export type CallPatience = {
  readonly ms: number
  /** How long it waits for one of them to begin, sent in the same turn; absent: not at all. */
  readonly siblingMs?: number
  /**
   * Callers whose calls it may wait for; a `*` at the end matches any rest. None of them makes its
   * calls from inside of the calls of this one.
   */
  readonly behind: readonly string[]
}

/** What is warned of from around a run; absent: hooks were changed. */
export type RaisedCode = 'HOOKS_CHANGED' | 'DECISION_NOT_PROVEN'

export type StartRun = {
  readonly type: 'StartRun'
  /** Begin here instead of the machine's initial stage. */
  readonly stage: string | null
  /** Laid over the machine's own values. */
  readonly vars: JsonObject
  /** A branch begins with its parent's values instead of the machine's. */
  readonly branch: { readonly name: string; readonly terminal: string } | null
  /** Hashes of the machines that invokes will mean, by name. Absent: nothing is invoked. */
  readonly library?: { readonly [name: string]: string }
  /** Where the agent works: paths of its calls begin there. Absent: told with each call. */
  readonly workspace?: string
  /** The commit that is checked out there. Absent: none, or not known. */
  readonly commit?: string
  /** Judge and record calls, and enforce nothing. Absent: enforce. */
  readonly observe?: true
}

/** Who sends a command, when, and for which run: always beside the command. */
export type Envelope = {
  readonly runId: string
  readonly at: number
  readonly actor: Actor
  /** How long a question to a person stays open. Absent: for ever. */
  readonly approvalMs?: number
  /** Decisions must be signed with a passkey, whatever a gate or rule says; absent: need not. */
  readonly proof?: 'passkey'
  /** How the workspace is now, where a rule asks; absent: not known, so nothing is fresh. */
  readonly workspace?: WorkspaceState
  /** What was seen in other runs of the family; absent: nothing. */
  readonly evidence?: readonly RecordedEvidence[]
  /** When the newest open call of the family began that may change files; absent: none is open. */
  readonly changingSince?: number
  /** A rule of the family wants evidence of what the call runs; absent: none does. */
  readonly isEvidence?: true
  /** How often calls of the family that may change files began or ended; absent: nobody asks. */
  readonly changes?: number
}

export type ChildOutcome = EndOutcome | 'cancelled'
