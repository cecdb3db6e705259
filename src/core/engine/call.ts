/**
 * A tool call and its states: judged, waiting for a person, ended.
 * Knows calls. Must not know hosts, stages or transports.
 */
import type { DenialCode } from '../errors.ts'
import type { BegunEvidence } from '../evidence/recorded-evidence.ts'
import type { JsonObject } from '../json.ts'
import type { Machine, Policy, ResultSave, RuleRef } from '../machine/machine.ts'
import type { FailureNote } from '../policy/failed-calls.ts'
import type { Meters } from '../policy/meters.ts'
import type { ShellReading } from '../shell/shell-reading.ts'
import type { CallIdentity } from './call-identity.ts'
import type { SessionPast } from './session-past.ts'
import type { RunState } from './types.ts'

/** One use of a tool, read once into what every rule needs to know of it. */
export type Call = {
  /** As the host spells it. */
  readonly tool: string
  readonly input: JsonObject
  readonly act: ToolAction
  /** The name that means this tool on every host (`Read`); null: only its own name does. */
  readonly commonName: string | null
  /** The name policies give it: `bash`, `edit`, `mcp:files:write_file`, else the tool's own. */
  readonly capability: string
  /** The command, read as bash reads it; null when the call runs no shell. */
  readonly shell: ShellReading | null
  /** Files the call names, to read and to change. */
  readonly reads: readonly CallPath[]
  readonly writes: readonly CallPath[]
  /** Files it would change, relative to the workspace, also those its shell command writes. */
  readonly edits: readonly string[]
  /** Lines of the edit; null: it changes no text, or a shell does. */
  readonly editLines: number | null
  /** Where relative paths begin. */
  readonly workspace: string
  /** The tool is one of Pawl's own, by its server and not by its name alone. */
  readonly isOwn: boolean
  /** Whether it changes something, as the server of its tool declares; absent: it says nothing. */
  readonly declaresChange?: boolean
  /** What of its command only looks, where the host has no tool for that; absent: nothing. */
  readonly looks?: ReadCommands
  /** It is bookkeeping of its host, free where nobody forbids it; absent: it is not. */
  readonly bookkeeping?: Bookkeeping
  /** Folders of Pawl itself, as absolute paths; absent: none is known. */
  readonly guarded?: readonly string[]
  /** Why its input cannot be judged; a call with a problem is denied. */
  readonly problem: string | null
}

/** Commands of a shell text that stand in for tools which the host does not have. */
export type ReadCommands = {
  readonly commands: readonly ReadCommand[]
  /** There is nothing else in the text but commands that need no permission. */
  readonly isAll: boolean
}
export type ReadCommand = {
  /** Its place among the commands of the text. */
  readonly at: number
  /** The tools any of which stands for it, as definitions name them. */
  readonly tools: readonly ('Read' | 'Grep' | 'Glob' | 'LS')[]
  readonly act: 'read' | 'search'
  readonly reads: readonly CallPath[]
}

/** A call for the host's own bookkeeping. */
export type Bookkeeping = {
  /** Where the descriptor of the host says so. */
  readonly rule: RuleRef
  /**
   * `own`: the agent gets at Pawl's tools by it. `host`: it stays inside the host. `servers`: it
   * reads what MCP servers offer, so that limits and the default of a policy hold as ever.
   */
  readonly kind: 'own' | 'host' | 'servers'
}

/** What kind of thing a call does. */
export type ToolAction =
  | 'shell'
  | 'read'
  | 'edit'
  | 'write'
  | 'search'
  | 'web'
  | 'agent'
  | 'mcp'
  | 'own'
  | 'other'

export type CallPath = {
  readonly written: string
  /** Relative to the workspace; null: outside of it, or not to be told. */
  readonly inside: string | null
}

/** Programs that were started in a box while a call was made. */
export type RanPrograms = {
  readonly programs: readonly {
    /** As it was named to the kernel. */
    readonly path: string
    readonly count: number
    /** The stage forbids it, so it did not start; absent: it did. */
    readonly isDenied?: true
  }[]
  /** Starts of others, of which only the number is known; absent: none. */
  readonly more?: number
  /** Other calls were made meanwhile, and some of it may be theirs; absent: there were none. */
  readonly isShared?: true
}

export type Report = {
  readonly ok: boolean
  readonly output: string | null
  readonly exitCode: number | null
  readonly bytes: number | null
  readonly costMicroUsd: number
  /** What made the report, such as the id of a job; absent: whoever made the call. */
  readonly source?: string
  /** Of the whole output; absent: not known. */
  readonly outputSha256?: string
  /** When it ended, where that is before the report; only Pawl itself is believed. */
  readonly endedAt?: number
  /** The end of what a command printed, where that is not its result; absent: `output`. */
  readonly printed?: string
  /** What Pawl saw of it itself: written into the values of the run, as observed. */
  readonly facts?: JsonObject
  /** Pawl itself did not make it in the end; absent: it may have had its effect. */
  readonly wasNotMade?: true
  /** Nobody will say how it ended: its host declined it, or went on without a word of it. */
  readonly isUnreported?: true
  /** What started in the box of its session; absent: it is in none. */
  readonly ran?: RanPrograms
}

/** Money held for a call whose cost is not known yet. */
export type Reserve = {
  /** Or as much as a call of its tool has cost at most, if that is more; null: nobody said. */
  readonly microUsd: number | null
  /** A call that was never reported holds it no longer than this. */
  readonly until: number
}

/** What one call of each tool has cost at most. */
export type Costs = { readonly [tool: string]: number }

/** What open calls hold of a budget. */
export type HeldAmounts = {
  readonly microUsd: number
  /** Calls of which nobody knows what they may cost. */
  readonly unknown: number
}

/** What a call wants of a budget. */
export type CostEstimate = {
  /** What is held for it; null: nobody knows. */
  readonly microUsd: number | null
  /** What has to fit, as its maker says; zero: anything left is enough. */
  readonly saidMicroUsd: number
}

/** What the model has cost, or anything else that is no call. */
export type Spend = {
  /** Who says so: `claude transcript`, `api`. */
  readonly source: string
  readonly model: string | null
  readonly tokens: TokenCounts | null
  readonly costMicroUsd: number
}

export type TokenCounts = {
  /** Read anew, beside those that came from a cache or went into one. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** The call that a person is asked about, with all that a grant needs to let it through. */
export type PendingCall = CallIdentity & {
  readonly callId: string
  readonly tool: string
  readonly input: JsonObject
  readonly edits: readonly string[]
  readonly meters: readonly Reservation[]
  readonly order?: readonly OrderMark[]
  /** The rule that asks, as events name it; absent in approvals of before. */
  readonly rule?: string
  readonly document?: string
}

/** A person's no to a call, or that nobody decided in time, until its caller is told. */
export type RefusedCall = {
  readonly approvalId: string
  readonly hash: string
  readonly caller: string
  /** Absent: nobody decided in time. */
  readonly by?: string
  readonly note?: string
}

/** A call that was let through and is not reported yet. */
export type OpenCall = CallIdentity & {
  readonly callId: string
  /** The visit it was made in: what it used counts there and nowhere else. */
  readonly visit: number
  readonly tool: string
  readonly edits: readonly string[]
  readonly saves: readonly ResultSave[]
  /** Meters on which its cost will count; absent: none. */
  readonly meters?: readonly string[]
  readonly reserve?: Reserve
  /** The approval that let it through, and the hash of what was approved; absent: none. */
  readonly grant?: string
  readonly hash?: string
  /** An enforced run would have denied it, so it uses up nothing; absent: it counts. */
  readonly isUncounted?: true
  /** What it left for rules on what happened before, and when; absent: nothing. */
  readonly order?: readonly OrderMark[]
  readonly at?: number
  /** Its contents in short, see `contentKey`; absent: it is none of the work that counts. */
  readonly same?: string
  /** How often it had failed in a row when it was let through; absent: not at all. */
  readonly failures?: number
  /** The command that a rule wants evidence of, and when it began; absent: it runs none. */
  readonly evidence?: BegunEvidence & { readonly startedAt: number }
}

/** A meter that a call counts on. */
export type Reservation = {
  readonly meter: string
  /** How long it counts; null: only its cost does. */
  readonly windowMs: number | null
  /** It was counted at this moment already, when it was granted, and now moves. */
  readonly since?: number
}

/** What a call leaves for rules on what happened before. */
export type OrderMark =
  /** It counts, and may add a number, from the moment it is let through. */
  | {
      readonly kind: 'tally'
      readonly meter: string
      /** How long it counts; null: for ever. */
      readonly windowMs: number | null
      /** In millionths; for a number that the result names, the most until then. */
      readonly amount: number
      /** Where the result names the number; absent: the input did. */
      readonly output?: readonly string[]
      /** What counts where the result does not name it. */
      readonly amountMax?: number
    }
  /** Once it has ended well, later calls may rest on it. */
  | {
      readonly kind: 'seen'
      readonly meter: string
      /** Values that later calls are compared with: their hashes, or where the result has them. */
      readonly values?: readonly ({ readonly hash: string } | { readonly output: CallKeys })[]
      /** The word of the agent that it ended well is enough; absent: it is not. */
      readonly isClaimEnough?: true
      /** A command: only exit 0 means that it ended well; absent: its report says so. */
      readonly needsExit?: true
      /** It makes other calls, so that none of them may wait for it; absent: it does not. */
      readonly isNesting?: true
    }
  /** It may change files. */
  | { readonly kind: 'change'; readonly meter: string }
  /** Once it has ended well, other calls that have failed may work. */
  | { readonly kind: 'restart'; readonly meter: string }

type CallKeys = readonly string[]

/** What the end of a call means to the rules that it left marks for. */
export type OrderResult =
  /** It was not made after all. */
  | {
      readonly kind: 'release'
      readonly meter: string
      readonly at: number
      readonly amount: number
    }
  | {
      readonly kind: 'amount'
      readonly meter: string
      readonly at: number
      /** What its number is more than what counted until now; negative: less. */
      readonly amount: number
    }
  /** With when it began; absent in old records. */
  | {
      readonly kind: 'seen'
      readonly meter: string
      readonly value?: string
      readonly since?: number
    }
  | { readonly kind: 'change'; readonly meter: string }
  | FailureNote

/** A call that waits until an earlier one has ended. */
export type WaitingCall = {
  readonly waitId: string
  readonly caller: string
  readonly tool: string
  /** Calls that are open or wait themselves; none: one that has yet to begin. */
  readonly waitsFor: readonly string[]
  /** What it would leave once it is let through. */
  readonly order: readonly OrderMark[]
  /** After this moment it does not wait any more. */
  readonly until: number
}

/** A person's yes to one call, until that call is made or the stage is left. */
export type Grant = {
  readonly approvalId: string
  readonly hash: string
  readonly at: number
  readonly call: PendingCall
  /** After this moment it has to be asked again; absent: never. */
  readonly expiresAt?: number
}

/** How events and replies name the rule that decides. */
export type NamedRule = {
  /** JSON pointer; null: no author wrote it. */
  readonly rule: string | null
  /** The document of the rule; absent: the definition of the run. */
  readonly document?: string
}

/** May a call happen? The worst of all answers: deny > ask > allow. */
export type Verdict = NamedRule & {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code: DenialCode | null
  readonly reason: string
  /** How to go on, one line; empty when nothing stands in the way. */
  readonly hint: string
}

/** Something that is possible now, instead of a call that was denied. */
export type Alternative =
  | { readonly kind: 'tool'; readonly name: string; readonly asks: boolean }
  | { readonly kind: 'command'; readonly entry: string; readonly asks: boolean }
  | {
      readonly kind: 'signal'
      readonly name: string
      /** A person is asked before the run moves. */
      readonly asks: boolean
      /** Fields that have to come with it. */
      readonly needs: readonly string[]
    }
  /** A file that can be changed again. */
  | { readonly kind: 'file'; readonly path: string }
  /** The same call may pass later: a person decides, or a limit gets room again. */
  | { readonly kind: 'wait' }

/** Why one rule denies a call. */
export type Denial = { readonly code: DenialCode; readonly reason: string; readonly hint: string }

/** What a call is judged by beside its own run. */
export type FamilyContext = {
  /** Laid over every run of the family, the highest authority first. */
  readonly policies: readonly Policy[]
  /** The runs above this one, the nearest first. */
  readonly above: readonly (RunUsage & { readonly machine: Machine })[]
  /** What the runs below this one have used, open or ended. */
  readonly below: RunUsage
  /** What the family has used of policies' limits; null: not known, so no limit has room. */
  readonly meters: Meters | null
  /** What open calls of the family hold, by meter; absent: nothing. */
  readonly held?: { readonly [meter: string]: HeldAmounts }
  /** What calls of the family have cost; absent: as the run itself knows. */
  readonly dearest?: Costs
  /** The states of all runs of the family; absent: of this one alone. */
  readonly states?: readonly RunState[]
  /** The session that makes the call; absent: not known, or no rule asks. */
  readonly session?: SessionPast
}
/** Calls let through and money spent, with those of the runs below. */
export type RunUsage = {
  readonly callsCount: number
  readonly costMicroUsd: number
  /** What open calls hold; absent: nothing. */
  readonly held?: HeldAmounts
}
