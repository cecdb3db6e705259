/**
 * The inputs and outputs of the engine: commands, events, run state, replies, effects.
 * Knows runs. Must not know transports.
 * Event shapes and `evolve` are frozen by release; commands and replies may change.
 */
import type { DenialCode, RefusalCode, WarningCode } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { Move, ResultSave, Source } from '../machine/machine.ts'
import type { Quorum } from '../machine/quorum.ts'
import type {
  Costs,
  Grant,
  NamedRule,
  OpenCall,
  PendingCall,
  RefusedCall,
  Reservation,
  Reserve,
  Spend,
} from './call.ts'
import type { CallIdentity } from './call-identity.ts'
import type { ChildOutcome, RaisedCode } from './command.ts'
import type { PasskeyProof } from './decision-proof.ts'

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
} from './call.ts'
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
      /** Where the agent works; absent: told with each call. */
      readonly workspace?: string
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
      /** The approval that this call uses up; absent: nobody had to be asked. */
      readonly grant?: string
      /** Of tool and input, where its caller may ask about it again; absent: it may not. */
      readonly hash?: string
      /** Money that is held for it until its report; absent: none. */
      readonly reserve?: Reserve
      /** JSON pointer of the rule that let it through; absent: none had to. */
      readonly rule?: string
      /** The document of the rule; absent: the definition of the run. */
      readonly document?: string
      /** What an enforced run would have answered; absent: the same. */
      readonly observed?: ObservedVerdict
    })
  | ({
      readonly type: 'call.asked'
      readonly callId: string
      readonly tool: string
      readonly input: JsonObject
    } & NamedRule)
  | ({
      readonly type: 'call.denied'
      readonly tool: string
      readonly input: JsonObject
      readonly code: DenialCode
      readonly reason: string
      /** The approval by whose refusal it is denied; absent: none. */
      readonly refusedBy?: string
    } & NamedRule)
  | {
      readonly type: 'call.reported'
      readonly callId: string
      readonly ok: boolean
      readonly bytes: number
      readonly costMicroUsd: number
      readonly exitCode: number | null
      readonly edited: readonly string[]
      /** When, and on which meters its cost counts; absent before policies were counted. */
      readonly at?: number
      readonly meters?: readonly string[]
    }
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
    }
  /** One of several people who have to agree has done so. */
  | {
      readonly type: 'approval.endorsed'
      readonly approvalId: string
      readonly by: Actor
      readonly note: string
      readonly proof?: PasskeyProof
    }
  | {
      readonly type: 'approval.refused'
      readonly approvalId: string
      readonly by: Actor
      readonly note: string
      /** Whoever asked knows it already; absent: they are to be told. */
      readonly isTold?: true
      readonly proof?: PasskeyProof
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
}
export type Fork = {
  readonly branches: readonly ForkedBranch[]
  readonly join: 'all' | 'any'
  readonly onComplete: string
  readonly onFail: string | null
  /** Data of the forking signal: merged once the run has moved on. */
  readonly data: JsonObject | null
}
export type ForkedBranch = {
  readonly name: string
  readonly runId: string
  readonly initial: string
  readonly terminal: string
  readonly status: 'pending' | 'running' | ChildOutcome
}

export type Child = {
  readonly runId: string
  readonly machine: string
  readonly input: JsonObject
  readonly onComplete: string
  readonly onFail: string | null
  readonly data: JsonObject | null
}

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
  readonly detour: OpenDetour | null
  readonly fork: Fork | null
  readonly child: Child | null
  readonly approval: Approval | null
  /** Approved calls that have not been made yet, oldest first; absent: there is none. */
  readonly grants: readonly Grant[]
  /** Refused calls whose callers have not been told yet, oldest first; absent: there is none. */
  readonly refusedCalls?: readonly RefusedCall[]
  readonly branch: { readonly name: string; readonly terminal: string } | null
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
