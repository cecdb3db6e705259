/**
 * The life of a tool call, for every door: which run judges it, whether it may be made, that it is
 * still being made, and how it ended. See docs/reference/calls.md.
 * Knows callers and calls. Must not know hosts, transports or texts.
 */
import type { View } from '../../core/dialects/run-view.ts'
import type { Actor, Alternative, CallRefusal, Report, Verdict } from '../../core/engine/types.ts'
import type { HostId } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import type { McpName } from '../../core/tools/mcp-name.ts'
import type { LocatedRun, LocateRequest, UnclearRun } from './locate-run.ts'

/** By which way a call comes in. */
type CallDoor = 'hook' | 'gateway' | 'job' | 'proxy' | 'routine' | 'api'

/** The run that judges a call, or the folder whose policies do. */
export type CallPlace =
  | { readonly kind: 'run'; readonly runId: string; readonly branch: string | null }
  | { readonly kind: 'none'; readonly workspace: string }
  /** It cannot be told, so nothing is let through. */
  | UnclearRun

/** A call, as its caller wants to make it. */
export type CallRequest = {
  readonly place: CallPlace
  readonly door: CallDoor
  /** Who asks at that door: a session, a role. What a person grants serves this caller alone. */
  readonly caller: string
  /** The caller's own name of this call; null: it has none. */
  readonly key: string | null
  /** The caller asks its own user about each call: what one person can decide is not waited for. */
  readonly asksUser?: true
  /** One try to begin it: the same one again means that the answer was lost. Absent: not said. */
  readonly attempt?: string
  /**
   * Which earlier call this one could be; see `CheckCall` in `core/engine/command.ts`. By
   * `contents`: approved calls have a lease, which their holder renews.
   */
  readonly sameAs?: 'key' | 'contents'
  readonly tool: string
  readonly input: JsonObject
  readonly host: HostId
  /** The MCP server it belongs to, where that is said. */
  readonly server: McpName | null
  /** Where the agent's shell stands; null: in the workspace of the run. */
  readonly cwd: string | null
  /** Where the session of a host was started, as its hook says; absent: not known. */
  readonly folder?: string
  /** What it may cost, held until its report; absent: nobody knows. */
  readonly estimateMicroUsd?: number
  /** The process that makes it, and alone may report it; absent: whoever works on the run. */
  readonly holder?: string
}

export type BeginOptions = {
  readonly actor: Actor
  /** How long the caller waits for a person, and for calls of the run that wait before it. */
  readonly waitMs: number
  /** How long it waits for calls in flight that it has to come after; absent: as long. */
  readonly orderMs?: number
  /** Raised when the caller is gone. */
  readonly signal?: AbortSignal | null
  /** The trace that the caller began, as W3C writes it; absent: none. */
  readonly traceparent?: string | null
}

/**
 * What a call is now. `allowed`: make it, once. `pending`: a person decides. `denied`: by a rule.
 * `refused`: by a person. `done`: it was made before. `unsure`: it was allowed before and its end
 * was never reported.
 */
export type CallState = 'allowed' | 'pending' | 'denied' | 'refused' | 'done' | 'unsure'

export type CallAnswer = Verdict & {
  readonly state: CallState
  readonly instead: readonly Alternative[]
  /** As it is to be made; null: it is not. */
  readonly input: JsonObject | null
  readonly callId: string | null
  /** The question that a person answers or has answered; null: none. */
  readonly approvalId: string | null
  /** More than one person has to agree to it, or not just anyone. */
  readonly needsQuorum: boolean
  /** Who refused it; null: nobody did. */
  readonly refusal: CallRefusal | null
  /** It waits for calls in flight, and is judged again when they have ended; null: it does not. */
  readonly waiting: CallWait | null
  /** How a call ended that is done; null: it is not, or nobody knows any more. */
  readonly report: CallReport | null
  /** The run that judged; null: policies alone did. */
  readonly runId: string | null
  readonly branch: string | null
  /** No run and no policy has a say in this folder. */
  readonly isUnguarded: boolean
  /** Records in the log of the run after this. */
  readonly seq: number
  readonly view: () => View | null
}

/** The id under which a call waits, and the calls it waits for. */
export type CallWait = { readonly waitId: string; readonly waitsFor: readonly string[] }

export type CallReport = Pick<Report, 'ok' | 'exitCode' | 'costMicroUsd'> & {
  readonly bytes: number
}

/** How a call ended. It is named by its id, or by the key under which its caller began it. */
export type EndRequest = {
  readonly runId: string
  readonly branch: string | null
  readonly callId: string | null
  readonly door?: CallDoor
  readonly caller?: string
  readonly key?: string
  readonly holder?: string
  /** It may have a lease. */
  readonly isLeased?: true
  readonly report: Report
  /** See `ReportCall` in `core/engine/command.ts`. */
  readonly grantedAtPrompt?: string
  /** It worked on a layer over the files, so that it shows nothing about the files themselves. */
  readonly isInLayer?: true
}

/** `unknown`: no such call is open. `foreign`: another process makes it. */
export type EndAnswer = 'ended' | 'unknown' | 'foreign'

/** The call of a holder that an approval let through. */
export type HeldCall = { readonly runId: string; readonly callId: string; readonly holder: string }

/** One call that was judged, for metrics and traces. */
export type CallObservation = {
  readonly door: CallDoor
  readonly host: HostId
  readonly decision: CallState
  readonly code: string | null
  readonly tool: string
  readonly runId: string | null
  /** In milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  /** How long judging took, without any waiting. */
  readonly judgedMs: number
  readonly traceparent: string | null
}

export type Calls = {
  /** Which run judges this caller. */
  readonly locate: (caller: LocateRequest) => Promise<LocatedRun>
  /** May this call happen? A fault is a denial. Fault `RUN_UNKNOWN`. */
  readonly begin: (request: CallRequest, options: BeginOptions) => Promise<CallAnswer>
  /** Says that an approved call is still being made; false: as far as is known it is not. */
  readonly renew: (call: HeldCall) => Promise<boolean>
  readonly end: (request: EndRequest, actor: Actor) => Promise<EndAnswer>
  /** Hears of every call that was judged. The listener returns at once and never throws. */
  readonly observe: (listener: (seen: CallObservation) => void) => () => void
}
