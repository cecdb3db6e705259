/**
 * The compiled form that every dialect becomes: one immutable, JSON-safe value.
 * Knows mechanisms (stage, signal, route, gate, move, op). Must not know any dialect's words.
 *
 * One signal runs a fixed pipeline; a dialect fills the slots it has:
 *   absorb → prepare → require → commit → choose → gate → move → merge → enter
 */

import type { EvidenceRequirement } from '../evidence/requirement.ts'
import type { Expr } from '../expr/expression-types.ts'
import type { Json, JsonObject } from '../json.ts'
import type { IsolationLevel } from './isolation-levels.ts'
import type { OrderDemands } from './order-rule.ts'
import type { ProofLevel } from './proof-levels.ts'
import type { Quorum } from './quorum.ts'
import type { RepeatLimits } from './repeat-limits.ts'

export type DialectName = 'process' | 'workflow' | 'steps'

/** JSON pointer into the author's definition. */
export type Origin = string

/** A rule, by the document it is written in and its place there. */
export type RuleRef = { readonly document: string; readonly pointer: Origin }

export type Machine = {
  /** Version of this shape. Stored machines are never rewritten. */
  readonly format: 1
  /** Content hash of everything else: `sha256:…`. A run is pinned to it. */
  readonly hash: string
  readonly name: string
  /** Whose words present it; the engine never reads this. */
  readonly dialect: DialectName
  readonly initial: string
  /** `auto`: the start slot runs with the run. `manual`: with the first signal. */
  readonly starts: 'auto' | 'manual'
  /** Values given by the author, there from the start. */
  readonly vars: JsonObject
  /** Runs once, before the first stage is entered. */
  readonly start: readonly Op[]
  /** By name; without a prototype, so that an inherited name is no stage. */
  readonly stages: Readonly<Record<string, Stage>>
  readonly detours: readonly Detour[]
  /** Told once, with the first brief. */
  readonly prompt: string
  readonly policy: Policy | null
  readonly paths: PathRule
  readonly mail: MailRule | null
  /** Jobs that cannot be held so strongly are refused, whatever a policy says. */
  readonly minIsolation?: IsolationLevel
  /** How decisions in its runs have to be proven at least; absent: as elsewhere. */
  readonly proof?: ProofLevel
  readonly limits: RunLimits
  /** Tools of Pawl's own server that this machine names; always available. */
  readonly ownTools: readonly string[]
  readonly hasDebug: boolean
  /** After the end, keep denying calls until a person releases the run. */
  readonly holdsAtEnd: boolean
  /** How gated this work is; only findings read it. */
  readonly danger: 'safe' | 'moderate' | 'dangerous'
  /** What the author noted that nothing enforces. */
  readonly meta: JsonObject
  /** Where the author wrote each rule; absent: compiled before rules had an origin. */
  readonly origins?: RuleOrigins
}

/** JSON pointers of the rules that the author wrote. INVARIANT: no part of the hash. */
export type RuleOrigins = {
  readonly run: RunOrigins
  /** By stage. */
  readonly stages: Readonly<Record<string, StageOrigins>>
}
export type RunOrigins = {
  readonly policy?: Origin
  readonly paths?: Origin
  readonly microUsdMax?: Origin
  readonly callsMax?: Origin
}
export type StageOrigins = {
  readonly allow?: Origin
  readonly deny?: Origin
  readonly commands?: Origin
  readonly envBlocked?: Origin
  readonly envSet?: Origin
  readonly callsMax?: Origin
  readonly editLinesMax?: Origin
  readonly filesMax?: Origin
  readonly bytesMax?: Origin
  readonly filesWritable?: Origin
  readonly programs?: Origin
}

export type Stage = {
  readonly name: string
  readonly origin: Origin
  readonly brief: readonly BriefPart[]
  /** Null while work goes on; how the run ends when this stage is entered. */
  readonly final: EndOutcome | null
  readonly rule: StageRule
  /** By name; without a prototype. */
  readonly signals: Readonly<Record<string, Trigger>>
  /** A signal may differ in case and outer space, if one name results. */
  readonly foldsSignals: boolean
  /** Where an unknown signal leads; null: it is refused. */
  readonly fallback: Fallback | null
  readonly enter: readonly Op[]
  /** The agent is made to call a tool: the queued call, else the signal. */
  readonly mustCall: boolean
  /** The host's model settings; told, not enforced. */
  readonly model: string | null
  readonly thinking: string | null
}

/** Where unknown signals lead, except those whose name begins with a reserved word. */
type Fallback = {
  readonly stage: string
  readonly except: readonly string[]
  readonly origin: Origin
}

/** How a run can end by its own rules. */
export type EndOutcome = 'completed' | 'blocked' | 'failed'

/** One paragraph of what the agent is told; with a condition, only while it holds. */
export type BriefPart = {
  readonly text: string
  readonly if: Expr | null
  /** Placeholders are filled in. */
  readonly isTemplate: boolean
  readonly origin: Origin
}

/** What a stage permits. The guard reads all of it; the engine reads tools and counts. */
export type StageRule = {
  readonly tools: ToolRule
  readonly commands: readonly string[] | null
  /** The tool whose commands are meant. */
  readonly commandTool: string
  readonly envBlocked: readonly string[]
  readonly envSet: Readonly<Record<string, string>>
  readonly callsMax: number | null
  readonly editLinesMax: number | null
  readonly filesMax: number | null
  readonly bytesMax: number | null
  /** Patterns of the files that may be changed, `!` in front of those that may not; absent: any. */
  readonly filesWritable?: readonly string[]
  /** How files are open in a box; absent: as follows from the tools. */
  readonly files?: 'read' | 'scratch' | 'write'
  /** Folders of the workspace that can be written to in a box; absent: all of them. */
  readonly writeFolders?: readonly string[]
  /** Names of programs that may not be started, in a box by whatever runs there; absent: none. */
  readonly programsDenied?: readonly string[]
}

export type ToolRule = {
  readonly allow: 'all' | readonly string[]
  /** Wins over `allow`. */
  readonly deny: readonly string[]
  /** The rule speaks only of tools whose name begins so; null: of every tool. */
  readonly among: readonly string[] | null
}

export type Trigger = {
  readonly name: string
  readonly origin: Origin
  /** What the signal must carry. Null: it carries free data instead. */
  readonly fields: readonly Field[] | null
  /** Before the fields are required. */
  readonly prepare: readonly Op[]
  /** After they are, before a route is chosen. */
  readonly commit: readonly Op[]
  readonly routes: readonly Route[]
  /** When no route's guards hold. */
  readonly otherwise: 'reject' | 'complete'
  /** The signal may name the stage to go to; this replaces only the choice. */
  readonly canName: boolean
  /** A warning to record when the signal is taken. */
  readonly warning: string | null
}

export type Route = {
  readonly origin: Origin
  readonly guards: readonly Guard[]
  /** Fields that must be there when this route is the one. */
  readonly requires: readonly string[]
  readonly gate: Gate | null
  readonly move: Move
}

export type Guard =
  | {
      readonly kind: 'compare'
      /** The author's name for it, for messages. */
      readonly name: string
      readonly field: string
      readonly op: CompareOp
      readonly value: Json
      /** Only a value of this source counts; null: whoever said it. */
      readonly source: Source | null
      readonly origin: Origin
    }
  | { readonly kind: 'expr'; readonly expr: Expr; readonly origin: Origin }
  | {
      readonly kind: 'evidence'
      /** The author's name for it; where it has none, the command. */
      readonly name: string
      readonly requirement: EvidenceRequirement
      readonly origin: Origin
    }

export const compareOps = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'exists',
  'not_exists',
] as const
export type CompareOp = (typeof compareOps)[number]

/** Where a value came from: the agent's word, what Pawl saw, the author or a person. */
export type Source = 'claimed' | 'observed' | 'given'

export type Gate = {
  readonly message: string
  /** What a refusal does to the run. */
  readonly refusal: 'stay' | 'block'
  /** Values of the signal that the person may change; absent: none. */
  readonly editable?: readonly string[]
  /** Who has to agree; absent: one person, whoever it is. */
  readonly quorum?: Quorum
  /** How the decision has to be proven at least; absent: as elsewhere. */
  readonly proof?: ProofLevel
  readonly origin: Origin
}

export type Move =
  | { readonly kind: 'goto'; readonly stage: string; readonly origin: Origin }
  /** Back to where the detour began. */
  | { readonly kind: 'return'; readonly origin: Origin }
  /** Ends the run where it stands. */
  | { readonly kind: 'end'; readonly outcome: EndOutcome; readonly origin: Origin }
  | {
      readonly kind: 'invoke'
      readonly machine: string
      readonly input: JsonObject
      readonly onComplete: string
      readonly onFail: string | null
      readonly origin: Origin
    }
  | {
      readonly kind: 'fork'
      /** In the order in which they are worked when nobody names one. */
      readonly branches: readonly ForkBranch[]
      readonly join: 'all' | 'any'
      readonly onComplete: string
      readonly onFail: string | null
      readonly origin: Origin
    }

export type ForkBranch = {
  readonly name: string
  readonly initial: string
  readonly terminal: string
  readonly origin: Origin
}

export type Field = {
  readonly name: string
  readonly type: FieldType
  readonly title: string
  readonly description: string
  readonly isRequired: boolean
  readonly enum: readonly string[] | null
  readonly pattern: string | null
  readonly format: string | null
  readonly examples: readonly Json[]
  readonly origin: Origin
}

export const fieldTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** A small write or word. Each may have a condition. Paths begin with a scope. */
export type Op = {
  readonly if: Expr | null
  readonly origin: Origin
} & (
  | { readonly kind: 'set'; readonly path: ScopePath; readonly value: OpValue }
  | { readonly kind: 'inc'; readonly path: ScopePath; readonly by: number }
  /** Copies variables of the same name into fields. */
  | {
      readonly kind: 'get'
      readonly fields: readonly string[]
      readonly overwrites: boolean
      /** Instead of the variable of the same name. */
      readonly value: OpValue | null
    }
  /** Copies collected fields into variables, under `as` when there is one. */
  | { readonly kind: 'save'; readonly fields: readonly string[]; readonly as: string | null }
  | { readonly kind: 'say'; readonly text: string; readonly role: 'user' | 'assistant' }
  /** Queues a tool call; results named in `saves` are kept when it is reported. */
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly arguments: JsonObject
      readonly saves: readonly ResultSave[]
    }
)

export type OpValue =
  /** A text in it is a template. */
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'expr'; readonly expr: Expr }

export type ResultSave = { readonly from: Expr; readonly to: ScopePath }

/** `['local', 'address', 'city']`: a scope, then keys inside it. */
export type ScopePath = readonly [ScopeName, ...string[]]
type ScopeName = 'vars' | 'local' | 'inputs'

/** A forced visit to a stage when a matching file was changed. */
export type Detour = {
  readonly name: string
  readonly pattern: string
  readonly target: string
  /** Stages from which a return can still be reached: entering any other ends the detour. */
  readonly handler: readonly string[]
  readonly origin: Origin
}

export type Policy = {
  readonly role: string
  readonly allow: readonly PolicyRule[]
  readonly ask: readonly PolicyRule[]
  readonly deny: readonly PolicyRule[]
  readonly otherwise: 'allow' | 'deny'
  /** Recorded, not enforced: its own document, or everything below it as well; absent: enforced. */
  readonly observe?: 'own' | 'below'
  /** Jobs that cannot be held so strongly are refused; absent: none is. */
  readonly minIsolation?: IsolationLevel
  /** How decisions in the runs below it have to be proven at least; absent: as elsewhere. */
  readonly proof?: ProofLevel
  /** How often the same call may fail; absent: as elsewhere, or as by default. */
  readonly repeats?: Partial<RepeatLimits>
  /** Where it is written; absent: in a definition, or nobody said. */
  readonly source?: RuleRef
}

export type PolicyRule = OrderDemands & {
  readonly capability: string
  readonly rate: { readonly callsMax: number; readonly windowMs: number } | null
  readonly budget: {
    readonly microUsdMax: number
    readonly period: 'hourly' | 'daily' | 'monthly'
  } | null
  /** Who has to agree where this rule asks; absent: one person, whoever it is. */
  readonly quorum?: Quorum
  /** How the decision has to be proven at least; absent: as elsewhere. */
  readonly proof?: ProofLevel
  readonly origin: Origin
}

/** Files beyond the workspace that file tools may reach. */
export type PathRule = { readonly read: readonly string[]; readonly write: readonly string[] }

export type MailRule = {
  readonly mailsMax: number | null
  readonly from: readonly string[] | null
  readonly to: readonly string[] | null
}

type RunLimits = {
  readonly microUsdMax: number | null
  /** Tool calls in the whole run, whatever the stages allow. */
  readonly callsMax: number | null
}
