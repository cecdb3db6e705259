/**
 * The inputs and outputs of the engine: commands, events, run state, replies, effects.
 * Knows runs. Must not know transports.
 * Event shapes and `evolve` are frozen by release; commands and replies may change.
 */
import type { DenialCode, RefusalCode, WarningCode } from '../errors.ts'
import type { KeptOutput } from '../evidence/kept-output.ts'
import type {
  BegunEvidence,
  EndedEvidence,
  RecordedEvidence,
} from '../evidence/recorded-evidence.ts'
import type { JsonObject } from '../json.ts'
import type { ResultSave, Source } from '../machine/machine.ts'
import type { Approval } from './approval-request.ts'
import type {
  Costs,
  Grant,
  NamedRule,
  OpenCall,
  OrderMark,
  OrderResult,
  RanPrograms,
  RefusedCall,
  Reservation,
  Reserve,
  Spend,
  WaitingCall,
} from './call.ts'
import type { CallIdentity } from './call-identity.ts'
import type { Child, Fork } from './child-types.ts'
import type { ChildOutcome, RaisedCode } from './command.ts'
import type { DecisionPeer } from './decision-peer.ts'
import type { PasskeyProof } from './decision-proof.ts'

export type { Approval, Endorsement, PendingMove } from './approval-request.ts'
export type {
  Alternative,
  Bookkeeping,
  Call,
  CallPath,
  CostEstimate,
  Costs,
  Denial,
  FamilyContext,
  Grant,
  HeldAmounts,
  NamedRule,
  OpenCall,
  OrderMark,
  OrderResult,
  PendingCall,
  ReadCommand,
  ReadCommands,
  RefusedCall,
  Report,
  Reservation,
  Reserve,
  RunUsage,
  Spend,
  ToolAction,
  Verdict,
  WaitingCall,
} from './call.ts'
export type { Child, Fork, ForkedBranch } from './child-types.ts'
export type { ChildOutcome, Command, Envelope, StartRun } from './command.ts'
export type { CallRefusal, Decision, Effect, EngineContext, Reply } from './decision.ts'

export type Actor = {
  readonly kind: 'agent' | 'person' | 'system'
  readonly name: string
}

/** The verdict on a call that was let through because its rule is only observed. */
export type ObservedVerdict = {
  readonly verdict: 'deny' | 'ask'
  /** Null where a person would have been asked. */
  readonly code: DenialCode | null
  readonly reason: string
} & NamedRule

// ── events ──────────────────────────────────────────────────────────────────

export type Event =
  | {
      readonly type: 'run.started'
      /** Hash of the machine the run is pinned to. */
      readonly machine: string
      readonly stage: string
      readonly vars: JsonObject
      readonly branch: { readonly name: string; readonly terminal: string } | null
      /** Hashes of the machines that invokes mean, by name; absent: nothing is invoked. */
      readonly library?: { readonly [name: string]: string }
      /** Where the agent works, and the commit there; absent: told with each call, or none. */
      readonly workspace?: string
      readonly commit?: string
      /** Calls are judged and recorded, and nothing is enforced; absent: it is. */
      readonly observe?: true
    }
  | {
      readonly type: 'run.paused'
      readonly by: Actor
      readonly release: boolean
      /** Absent: none was given. */
      readonly reason?: string
    }
  | { readonly type: 'run.resumed'; readonly by: Actor; readonly refills: boolean }
  | { readonly type: 'run.completed' }
  | { readonly type: 'run.blocked'; readonly reason: string }
  | { readonly type: 'run.failed'; readonly reason: string }
  | { readonly type: 'run.cancelled'; readonly reason: string }
  | { readonly type: 'stage.entered'; readonly stage: string; readonly by: EntryCause }
  | { readonly type: 'stage.forced'; readonly stage: string; readonly by: Actor }
  /** The signal was accepted; `route` is the origin of the route it takes, if it takes one. */
  | {
      readonly type: 'signal.taken'
      readonly name: string
      readonly route: string | null
    }
  | {
      readonly type: 'signal.rejected'
      readonly name: string
      readonly code: RefusalCode
      readonly reason: string
    }
  | {
      readonly type: 'signal.held'
      readonly name: string
      readonly missing: readonly string[]
      readonly invalid: readonly FieldIssue[]
    }
  | { readonly type: 'inputs.collected'; readonly inputs: JsonObject }
  | { readonly type: 'inputs.cleared' }
  | {
      readonly type: 'vars.written'
      readonly vars: JsonObject
      readonly local: JsonObject
      readonly source: Source
    }
  /** A session of a host that works on the run began, was resumed, or ended. */
  | { readonly type: 'session.began' | 'session.ended'; readonly session: string }
  | { readonly type: 'text.said'; readonly text: string; readonly role: 'user' | 'assistant' }
  | {
      readonly type: 'warning.raised'
      readonly code:
        | WarningCode
        | 'ANSWER_WARNED'
        | 'BYTES_NEARLY_EXHAUSTED'
        | 'PROGRAM_DENIED'
        | 'RESULT_NOT_KEPT'
        | 'CALL_NOT_MADE'
        | RaisedCode
        | 'BUDGET_NEARLY_EXHAUSTED'
      readonly message: string
    }
  | {
      readonly type: 'call.queued'
      readonly tool: string
      readonly arguments: JsonObject
      readonly saves: readonly ResultSave[]
      readonly lasts: CallLifetime
    }
  | (CallIdentity & {
      readonly type: 'call.allowed'
      readonly callId: string
      readonly tool: string
      readonly input: JsonObject
      readonly edits: readonly string[]
      /** Counts against the limits of the stage; Pawl's own tools cost nothing. */
      readonly counts: boolean
      /** When it was let through, and on which meters; absent before policies were counted. */
      readonly at?: number
      readonly meters?: readonly Reservation[]
      /** What it leaves for rules on what happened before; absent: nothing. */
      readonly order?: readonly OrderMark[]
      /** It waited under this id until an earlier call had ended; absent: it did not. */
      readonly waitId?: string
      /** The approval that this call uses up; absent: nobody had to be asked. */
      readonly grant?: string
      /** Of tool and input, where its caller may ask about it again; absent: it may not. */
      readonly hash?: string
      /** Its contents in short, see `contentKey`; absent: it is none of the work that counts. */
      readonly same?: string
      /** How often it had failed in a row by then; absent: not at all. */
      readonly failures?: number
      /** Money that is held for it until its report; absent: none. */
      readonly reserve?: Reserve
      /** JSON pointer of the rule that let it through; absent: none had to. */
      readonly rule?: string
      /** The document of the rule; absent: the definition of the run. */
      readonly document?: string
      /** What an enforced run would have answered; absent: the same. */
      readonly observed?: ObservedVerdict
      /** The command that a rule wants evidence of, as this call runs it; absent: it runs none. */
      readonly evidence?: BegunEvidence
    })
  | ({
      readonly type: 'call.asked'
      readonly callId: string
      readonly tool: string
      readonly input: JsonObject
      readonly waitId?: string
    } & NamedRule)
  | ({
      readonly type: 'call.denied'
      readonly tool: string
      readonly input: JsonObject
      readonly code: DenialCode
      readonly reason: string
      /** The approval by whose refusal it is denied; absent: none. */
      readonly refusedBy?: string
      /** It waited under this id; absent: it did not. */
      readonly waitId?: string
      /** When, and what it means to rules on what happened before; absent: nothing. */
      readonly at?: number
      readonly order?: readonly OrderResult[]
    } & NamedRule)
  | {
      readonly type: 'call.reported'
      readonly callId: string
      readonly ok: boolean
      readonly bytes: number
      readonly costMicroUsd: number
      readonly exitCode: number | null
      readonly edited: readonly string[]
      /** Nobody knows how it ended, or whether it was made; absent: somebody has said so. */
      readonly isUnreported?: true
      /** When, and on which meters its cost counts; absent before policies were counted. */
      readonly at?: number
      readonly meters?: readonly string[]
      /** What its end means to rules on what happened before; absent: nothing. */
      readonly order?: readonly OrderResult[]
      /** How the command ended that a rule wants evidence of; absent: it was none. */
      readonly evidence?: EndedEvidence
      /** The end of what it printed, where the definition wants it kept; absent: not kept. */
      readonly output?: KeptOutput
      /** Programs that started in the box of its session meanwhile; absent: it was in none. */
      readonly ran?: RanPrograms
    }
  /** The call waits until earlier ones have ended. */
  | (WaitingCall & {
      readonly type: 'call.waiting'
      readonly input: JsonObject
      readonly reason: string
    } & NamedRule)
  /** Money that went elsewhere than into a call: what the model itself has cost. */
  | ({
      readonly type: 'money.spent'
      readonly at: number
      /** Meters on which it counts. */
      readonly meters: readonly string[]
    } & Spend)
  | { readonly type: 'limit.reached'; readonly code: DenialCode; readonly stage: string }
  | { readonly type: 'approval.requested'; readonly approval: Approval }
  | {
      readonly type: 'approval.granted'
      readonly approvalId: string
      readonly by: Actor
      readonly note: string
      /** When a call was granted, and on which meters it counts from now on; absent for moves. */
      readonly at?: number
      readonly meters?: readonly Reservation[]
      /** What the person changed of the parked signal's values; absent: nothing. */
      readonly edits?: JsonObject
      /** Absent: nothing but the person's token, link or prompt proves it. */
      readonly proof?: PasskeyProof
      /** Which program sent it; absent: the system did not tell. */
      readonly peer?: DecisionPeer
    }
  /** One of several people who have to agree has done so. */
  | {
      readonly type: 'approval.endorsed'
      readonly approvalId: string
      readonly by: Actor
      readonly note: string
      readonly proof?: PasskeyProof
      readonly peer?: DecisionPeer
    }
  | {
      readonly type: 'approval.refused'
      readonly approvalId: string
      readonly by: Actor
      readonly note: string
      /** Whoever asked knows it already; absent: they are to be told. */
      readonly isTold?: true
      readonly proof?: PasskeyProof
      readonly peer?: DecisionPeer
    }
  | { readonly type: 'approval.expired'; readonly approvalId: string }
  | {
      readonly type: 'detour.begun'
      readonly name: string
      readonly file: string
      readonly from: string
      readonly to: string
    }
  | { readonly type: 'detour.ended'; readonly name: string; readonly returned: boolean }
  | { readonly type: 'fork.opened'; readonly fork: Fork }
  | { readonly type: 'fork.closed'; readonly joined: boolean }
  | { readonly type: 'child.requested'; readonly child: Child }
  | { readonly type: 'child.ended'; readonly child: string; readonly outcome: ChildOutcome }

/** What led into a stage. */
export type EntryCause =
  | 'start'
  | 'signal'
  | 'grant'
  | 'fallback'
  | 'detour'
  | 'return'
  | 'join'
  | 'child'
  | 'force'

export type FieldIssue = { readonly field: string; readonly rule: string; readonly message: string }

// ── state ───────────────────────────────────────────────────────────────────

export type Status =
  | 'running'
  | 'waiting'
  | 'paused'
  | 'completed'
  | 'blocked'
  | 'failed'
  | 'cancelled'

/** The fold of a run's events. Plain data: no Map, no Date, nothing shared that changes. */
export type RunState = {
  readonly status: Status
  /** Why it ended, when it did not simply complete. */
  readonly reason: string
  readonly stage: string
  /** Stages entered so far; makes ids that no earlier visit had. */
  readonly visits: number
  /** Which of them this is; back from a detour it is the old one again. */
  readonly visit: number
  /** Events folded so far. */
  readonly seq: number
  readonly hasStarted: boolean
  readonly vars: JsonObject
  readonly local: JsonObject
  readonly inputs: JsonObject
  /** Who said the values in `vars` that the agent or Pawl wrote. Absent: given. */
  readonly sources: { readonly [key: string]: Source }
  readonly counts: Counts
  readonly callsCount: number
  readonly costMicroUsd: number
  /** Of calls that were made under a budget, or have cost something; absent: of none. */
  readonly dearest?: Costs
  readonly queuedCalls: readonly QueuedCall[]
  readonly openCalls: readonly OpenCall[]
  /** How many of the open calls hold money; absent: none. */
  readonly holdsCount?: number
  /** Calls that wait until earlier ones have ended, oldest first; absent: none. */
  readonly waitingCalls?: readonly WaitingCall[]
  readonly detour: OpenDetour | null
  readonly fork: Fork | null
  readonly child: Child | null
  readonly approval: Approval | null
  /** Approved calls that have not been made yet, oldest first; absent: there is none. */
  readonly grants: readonly Grant[]
  /** Refused calls whose callers have not been told yet, oldest first; absent: there is none. */
  readonly refusedCalls?: readonly RefusedCall[]
  readonly branch: { readonly name: string; readonly terminal: string } | null
  /** The last end of each command that a rule wants evidence of; absent: none has ended. */
  readonly evidence?: readonly RecordedEvidence[]
  /** Calls are judged and recorded, and nothing is enforced; absent: it is. */
  readonly observe?: true
  readonly pause: {
    readonly by: Actor
    readonly release: boolean
    readonly reason?: string
  } | null
  /** What the agent must be told beside the brief: a refusal's reason, a detour begun. */
  readonly notice: string
}

/** Usage of the stage as long as it is not left. */
export type Counts = {
  readonly calls: number
  readonly bytes: number
  readonly files: readonly string[]
}
type QueuedCall = {
  readonly tool: string
  readonly arguments: JsonObject
  readonly saves: readonly ResultSave[]
  readonly lasts: CallLifetime
}
/** A call queued on entering is over when its stage is left; one queued on leaving goes along. */
export type CallLifetime = 'stage' | 'move'

type OpenDetour = {
  readonly name: string
  readonly returnTo: string
  readonly visit: number
  /** Kept, so that a detour cannot refill them. */
  readonly counts: Counts
}
