/**
 * What the runtime offers to every door: one way to move a run, and ways to read it.
 * Knows runs and people. Must not know transports.
 */

import type { View } from '../core/dialects/run-view.ts'
import type { AgentSignal } from '../core/dialects/to-command.ts'
import type { CallIdentity } from '../core/engine/call-identity.ts'
import type { CallPatience } from '../core/engine/command.ts'
import type { DecisionPeer } from '../core/engine/decision-peer.ts'
import type { Family } from '../core/engine/family.ts'
import type { Actor, Alternative, Reply, Report, Spend, Verdict } from '../core/engine/types.ts'
import type { DenialCode } from '../core/errors.ts'
import type { EvidenceLine } from '../core/evidence/describe-evidence.ts'
import type { EvidenceGrade } from '../core/evidence/requirement.ts'
import type { Finding } from '../core/finding.ts'
import type { HostId } from '../core/hosts/registry.ts'
import type { JsonObject } from '../core/json.ts'
import type { ExplainedAnswer } from '../core/judge/explain.ts'
import type { MinIsolation } from '../core/machine/isolation-levels.ts'
import type { Machine, MailRule, Policy, Source } from '../core/machine/machine.ts'
import type { McpName } from '../core/tools/mcp-name.ts'
import type { Calls } from './calls/calls.ts'
import type { CostQuery, CostReport } from './costs/cost-report.ts'
import type { Prices } from './costs/prices.ts'
import type { ProxyKeys } from './costs/proxy-keys.ts'
import type { Drafts } from './definitions/drafts.ts'
import type { Memories } from './documents/memories.ts'
import type { Tasks } from './documents/tasks.ts'
import type { Gateway } from './gateway/gateway-port.ts'
import type { Passkeys, Signature } from './passkeys/passkeys.ts'
import type { SignatureCount } from './passkeys/verify-signatures.ts'
import type { ApprovalQuestion } from './people/approval-question.ts'
import type {
  ApprovalQuery,
  ApprovalRow,
  Claim,
  ClaimStore,
  DefinitionRow,
  DefinitionVersion,
  EventRecord,
  Page,
  PageQuery,
  RunCopy,
  RunHead,
  RunQuery,
} from './ports.ts'
import type { RefusedAttempts } from './record/refused-attempts.ts'
import type { RunTitles } from './runs/run-titles.ts'
import type { CallSignatures } from './sessions/call-signature.ts'
import type { RunsHere } from './sessions/session-run.ts'

/** Who asks, and under which id: the same id again gets the same reply. */
export type By = {
  readonly actor: Actor
  /** Null: the caller does not retry. */
  readonly commandId: string | null
}

export type StartRequest = {
  /** Name or id of a stored definition, or a name in the workspace's `.pawl/definitions/`. */
  readonly definition: string
  /** One of several tasks of that definition; null: the first. */
  readonly task: string | null
  readonly stage: string | null
  readonly vars: JsonObject
  /** Where the agent works, as an absolute path. */
  readonly workspace: string | null
  /** The conversation of a host that will work on it; absent: the first to come. */
  readonly session?: string
  /** What people call it; absent: see `run-titles.ts`. */
  readonly title?: string
  /** Judge and record calls, and enforce nothing; absent: enforce. */
  readonly observe?: true
}

/** Something that is wanted of a run. `branch` names an open branch; null: the main run. */
export type Intent =
  | { readonly kind: 'say'; readonly utterance: AgentSignal; readonly branch: string | null }
  | (CallIdentity & {
      readonly kind: 'check'
      readonly tool: string
      readonly input: JsonObject
      readonly host: HostId
      /** The MCP server it belongs to, where the host says so. */
      readonly server: McpName | null
      /** Where the agent's shell stands, as an absolute path; null: in the run's workspace. */
      readonly cwd: string | null
      /** Where the caller was started; it counts only in another work tree of the repository. */
      readonly folder?: string
      readonly branch: string | null
      /** What it may cost, reserved until its report; absent: see `budget-reservations.ts`. */
      readonly estimateMicroUsd?: number
      /** See `CheckCall` in `core/engine/command.ts`. */
      readonly sameAs?: 'key' | 'contents'
      readonly asksUser?: true
      readonly waits?: CallPatience
      readonly waitId?: string
    })
  | { readonly kind: 'spend'; readonly spend: Spend; readonly branch: string | null }
  | (CallIdentity & {
      readonly kind: 'report'
      readonly callId: string | null
      readonly report: Report
      readonly branch: string | null
      /** See `ReportCall` in `core/engine/command.ts`. */
      readonly grantedAtPrompt?: string
      /** See `ReportCall` in `core/engine/command.ts`. */
      readonly isClaim?: true
      /** See `ReportCall` in `core/engine/command.ts`. */
      readonly grade?: EvidenceGrade
    })
  | { readonly kind: 'pause'; readonly release: boolean; readonly reason?: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel'; readonly reason: string }
  | { readonly kind: 'force'; readonly stage: string; readonly vars: JsonObject }
  | { readonly kind: 'finish-branch'; readonly branch: string }
  /** For the system alone: something around the run that its record has to tell. */
  | { readonly kind: 'warn'; readonly message: string }
  | { readonly kind: 'session'; readonly session: string; readonly what: 'began' | 'ended' }

export type DecisionOnApproval = {
  readonly granted: boolean
  readonly note: string
  /** Hash of what the person saw; null: not told. */
  readonly hash: string | null
  readonly edits: JsonObject | null
  /** A refusal that whoever asked knows already, as at the prompt of a host; absent: not so. */
  readonly isTold?: true
  /** What the person has signed; absent: nothing. */
  readonly signature?: Signature
  /** Looks which program sent it; absent: nobody can tell. Takes a short time, and never fails. */
  readonly peer?: () => Promise<DecisionPeer | null>
}

export type CommandOutcome = {
  readonly runId: string
  /** Records in the log when this was said. */
  readonly seq: number
  readonly reply: Reply
  /**
   * The run after it; a repeated command shows the run as it is now. Null: it cannot be read.
   * WHY a function: most calls need no more than the verdict.
   */
  readonly view: () => View | null
  readonly isRepeated: boolean
  /** What the caller should hear beside it; absent: nothing. */
  readonly notes?: readonly string[]
}

export type RunReading = {
  readonly head: RunHead
  readonly view: View
  /** What the agent must be told beside the brief. */
  readonly notice: string
  readonly standing: RunStanding
}

/** Where the run of the family stands that the view shows: what a person wants to see besides. */
export type RunStanding = {
  readonly member: string
  readonly machine: string
  /** Who said the values in `vars` that the agent or Pawl wrote. */
  readonly sources: { readonly [name: string]: Source }
  readonly callsCount: number
  readonly filesCount: number
  readonly bytes: number
}

export type JudgeRequest = {
  /** A run as it stands now, or a definition in a stage. */
  readonly runId: string | null
  readonly definition: string | null
  readonly stage: string | null
  readonly tool: string
  readonly input: JsonObject
  readonly host: HostId
  readonly workspace: string | null
}

/** A dry run: what would be said to a call. Nothing is kept. */
export type Judgement = {
  readonly stage: string
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code: DenialCode | null
  readonly reason: string
  readonly rule: string | null
  readonly document?: string
  readonly hint: string
  readonly instead: readonly Alternative[]
  readonly input: JsonObject | null
  readonly chain: readonly ExplainedAnswer[]
}

/** A definition that was offered, with every remark about it. */
export type DefinitionOfferItem<T> =
  | { readonly ok: true; readonly value: T; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] }

export type Definitions = {
  /** Checks a text and keeps it if it has no errors. Fault `DEFINITION_EXISTS`. */
  readonly create: (offer: DefinitionOffer) => Promise<DefinitionOfferItem<DefinitionRow>>
  /** A new version; its name must be the same. Fault `DEFINITION_UNKNOWN`, `STORE_CONFLICT`. */
  readonly update: (
    idOrName: string,
    offer: DefinitionOffer,
  ) => Promise<DefinitionOfferItem<DefinitionRow>>
  readonly read: (idOrName: string) => Promise<DefinitionRow>
  readonly versions: (idOrName: string) => Promise<readonly DefinitionVersion[]>
  readonly list: (query: PageQuery) => Promise<Page<DefinitionRow>>
  readonly remove: (idOrName: string) => Promise<void>
  /** A person accepts a file of a workspace, by how the hash of its text begins. */
  readonly accept: (wish: AcceptedFile) => Promise<string>
  /** Every remark about a text; keeps nothing. */
  readonly check: (offer: DefinitionOffer) => readonly Finding[]
}

/** Of which file a person has seen which text. */
export type AcceptedFile = {
  readonly name: string
  readonly workspace: string
  readonly hash: string
}

/** A definition as its author wrote it; `format` null: as the text looks. */
export type DefinitionOffer = { readonly source: string; readonly format: 'json' | 'yaml' | null }

/** What verifying a log found: the first record that does not fit, and why. */
export type Verified =
  | {
      readonly ok: true
      readonly runId: string
      readonly count: number
      readonly hash: string
      /** Of the decisions in it; absent: nobody looked. */
      readonly signatures?: SignatureCount & { readonly foreignKeys: boolean }
    }
  | {
      readonly ok: false
      readonly runId: string
      readonly seq: number
      readonly problem: string
    }

/** What proves later that a log was this long and had this hash. */
export type Anchor = { readonly runId: string; readonly seq: number; readonly hash: string }

export type RuntimeUsage = {
  readonly store: string
  readonly runsCached: number
  readonly waitersCount: number
  /** Why LISTEN/NOTIFY is not working, so that waiters poll; null otherwise. */
  readonly listenError: string | null
  readonly startedAt: number
}

/** A call of an agent that works on no run. */
export type FreeCall = {
  readonly tool: string
  readonly input: JsonObject
  readonly host: HostId
  readonly server: McpName | null
  readonly cwd: string | null
  readonly workspace: string
}
export type FreeVerdict = Verdict & {
  /** Nothing is laid over this workspace: everything but Pawl itself is free. */
  readonly isFree: boolean
}

/** Which conversation of a host works on which run. */
export type Sessions = Omit<ClaimStore, 'claim' | 'claimsOf'> & {
  readonly claim: (claim: Omit<Claim, 'at'>) => Promise<string>
  /**
   * A session takes a run that it asks for. Faults `RUN_UNKNOWN`, and `NOT_PERMITTED`: another
   * session has it, it has ended, or an agent would leave a run for it that is not completed.
   */
  readonly claimRun: (
    wish: Pick<Claim, 'runId' | 'session'>,
    by: Pick<By, 'actor'>,
  ) => Promise<void>
  /** Open runs of a folder and the folders above it, and which of them no session has. */
  readonly listRunsHere: (workspace: string) => Promise<RunsHere>
  /** The run that a session works on, or has worked on last; null: it has had none. */
  readonly runOf: (session: string) => Promise<RunHead | null>
  /** Whether a run has left its folder locked, even one that was removed. */
  readonly isLock: (runId: string) => Promise<boolean>
}

export type Runtime = {
  readonly start: (request: StartRequest, by: By) => Promise<CommandOutcome>
  /** Fault `RUN_UNKNOWN`. A call that cannot be decided for any reason is denied, never thrown. */
  readonly send: (runId: string, intent: Intent, by: By) => Promise<CommandOutcome>
  /** Faults `APPROVAL_UNKNOWN`, `APPROVAL_DECIDED` (somebody was first), `PASSKEY_INVALID`. */
  readonly resolve: (id: string, decision: DecisionOnApproval, by: By) => Promise<CommandOutcome>
  /** The passkeys of people, and what they sign. */
  readonly passkeys: Passkeys
  /** What was refused because a credential was not good for it. */
  readonly attempts: RefusedAttempts
  readonly judge: (request: JudgeRequest) => Promise<Judgement>
  /** A call that belongs to no run. Nothing is kept of it; a fault is a denial. */
  readonly checkFree: (call: FreeCall) => FreeVerdict
  /** What definitions and policies over a run, or a workspace, ask jobs to be held by at least. */
  readonly minIsolations: (where: {
    readonly runId: string | null
    readonly branch: string | null
    readonly workspace: string
  }) => Promise<readonly MinIsolation[]>
  /** The life of a tool call, for every door. */
  readonly calls: Calls
  readonly sessions: Sessions
  readonly titles: RunTitles
  /** For a gateway in front of MCP servers. */
  readonly gateway: Gateway
  /** Whose calls are, where a hook says so. */
  readonly marks: CallSignatures
  /** The head of a run as it is kept; null: there is none. */
  readonly readHead: (runId: string) => Promise<RunHead | null>
  readonly readRun: (runId: string, branch: string | null) => Promise<RunReading>
  /** What was seen of commands that rules want evidence of; `look`: and whether files changed. */
  readonly readEvidence: (runId: string, how: 'look' | 'as kept') => Promise<EvidenceLine[]>
  /** A run with its children, as the engine sees them. Fault `RUN_UNKNOWN`. */
  readonly readFamily: (runId: string) => Promise<Family>
  /** What the definitions of a run say of mail, from the one at work up to the main one. */
  readonly mailRules: (runId: string) => Promise<readonly MailRule[]>
  /** What models cost in a workspace. */
  readonly pricesIn: Prices
  /** What runs have cost, and for what. */
  readonly readCosts: (query: CostQuery) => Promise<CostReport>
  readonly listRuns: (query: RunQuery) => Promise<Page<RunHead>>
  readonly readEvents: (
    runId: string,
    query: { readonly after: number; readonly limit: number },
  ) => Promise<readonly EventRecord[]>
  readonly listApprovals: (query: ApprovalQuery) => Promise<Page<ApprovalRow>>
  readonly readApproval: (id: string) => Promise<ApprovalRow>
  /** An approval with all that a person has to see before deciding. Fault `APPROVAL_UNKNOWN`. */
  readonly readQuestion: (id: string) => Promise<ApprovalQuestion>
  /** How far the log is, as soon as that is more than `after`, or when the time is over. */
  readonly waitFor: (wish: {
    readonly runId: string
    readonly after: number
    readonly timeoutMs: number
    readonly signal: AbortSignal | null
  }) => Promise<number>
  /** Hears of every change of every run, on this node and others; a hint, never lost for long. */
  readonly onChange: (listener: (runId: string, seq: number) => void) => () => void
  readonly definitions: Definitions
  /** Null: there is none of that hash. */
  readonly readMachine: (hash: string) => Promise<Machine | null>
  /** Those laid over runs of a workspace, the highest authority first. Fault `CONFIG_INVALID`. */
  readonly readPolicies: (workspace: string | null) => readonly Policy[]
  readonly drafts: Drafts
  readonly memories: Memories
  readonly tasks: Tasks
  readonly proxyKeys: ProxyKeys
  readonly verify: (runId: string, anchor: Anchor | null) => Promise<Verified>
  readonly exportRun: (runId: string) => Promise<RunCopy>
  /** Verifies first. Faults `LOG_BROKEN`, `RUN_EXISTS`. */
  readonly importRun: (copy: RunCopy) => Promise<Anchor>
  readonly usage: () => RuntimeUsage
  /** What is wrong; null: decisions can be made and kept. */
  readonly findTrouble: () => Promise<string | null>
  /** Finishes what was begun, then lets go of the store. */
  readonly close: () => Promise<void>
}
