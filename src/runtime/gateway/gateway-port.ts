/**
 * What a gateway in front of MCP servers asks: may this call be made, has it ended, which tools
 * may be shown, and are they still what a person has accepted.
 * Knows calls and pins. Must not know how a server is reached.
 */
import type { Alternative } from '../../core/engine/types.ts'
import type { DenialCode, GatewayCode } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { LaunchEntry } from '../../core/tools/launch-pin.ts'
import type { McpName } from '../../core/tools/mcp-name.ts'
import type { By } from '../runtime.ts'
import type { PresentedSignature } from '../sessions/call-signature.ts'
import type { BypassToken } from './bypass-tokens.ts'

/** Whose call it is. */
export type GatewayIdentity = {
  readonly workspace: string
  /** The run that the environment of the gateway names (`PAWL_RUN`); null: none. */
  readonly runId: string | null
  /** As it stands in the arguments of the call: it counts only if it is proven. Null: none. */
  readonly mark: PresentedSignature | null
  /** The run that the caller was held by last; null: none. */
  readonly last: string | null
}

export type GatewayCall = GatewayIdentity & {
  readonly server: McpName
  readonly input: JsonObject
  /** The process that would make the call. */
  readonly holder: string
  /** What it will cost; absent: nobody knows. */
  readonly estimateMicroUsd?: number
  /** How long its maker waits for a person; absent: not at all. */
  readonly waitMs?: number
  readonly signal?: AbortSignal | null
}

export type GatewayVerdict = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code: DenialCode | GatewayCode | null
  readonly reason: string
  readonly rule: string | null
  /** The document of the rule; absent: the definition of the run. */
  readonly document?: string
  readonly hint: string
  readonly instead: readonly Alternative[]
  /** As it is to be made; null: it is not. */
  readonly input: JsonObject | null
  /** The run that judged; null: policies alone did. */
  readonly runId: string | null
  readonly branch: string | null
  readonly callId: string | null
  /** The question that a person has to answer first. */
  readonly approvalId: string | null
  /** Bytes that its result may have; null: as many as it likes. */
  readonly bytesLeft: number | null
  /** No run and no policy has a say: calls that no rule speaks of need not be asked about. */
  readonly pass: BypassToken | null
}

export type GatewayReport = {
  /** The process that made the call. */
  readonly holder: string
  readonly runId: string
  readonly branch: string | null
  readonly callId: string
  readonly ok: boolean
  readonly output: string | null
  readonly bytes: number
  readonly costMicroUsd: number
  readonly wasNotMade?: true | undefined
}

/** `same`: nothing can be said now, so what was shown before stays. */
export type ToolVisibility = 'listed' | 'hidden' | 'same'

export type ToolOffer = {
  readonly runId: string | null
  readonly offered: readonly ToolVisibility[]
}

/** What a gateway has seen of a server. */
export type ServerSight = {
  /** The folder whose file names the server; null: the file beside Pawl's data. */
  readonly scope: string | null
  readonly server: string
  /** Its entry as it is written. WHY: what a person is shown of it is made here, not there. */
  readonly launch: LaunchEntry
  /** As the server says it; null: it was not asked yet. */
  readonly tools: readonly { readonly tool: string; readonly definition: JsonObject }[] | null
  readonly whose: GatewayIdentity
  /** The run that it would be recorded in is not the caller's; absent: it may be. */
  readonly isSilent?: boolean
}

export type PinStatus = {
  readonly isLaunchAccepted: boolean
  /** Tools that may be shown and called. */
  readonly accepted: readonly string[]
}

/** One server, and what is agreed about it. */
export type Pinned = {
  readonly scope: string | null
  readonly server: string
  /** Changes with every change of it. */
  readonly version: number
  readonly launch: Pin
  readonly tools: readonly (Pin & { readonly tool: string })[]
}
export type Pin = {
  readonly isAccepted: boolean
  /** It was agreed to before, when it was something else. */
  readonly hasChanged: boolean
  readonly about: string
  readonly doubts: readonly string[]
  /** What is not as it was agreed to, value by value; empty: it is. */
  readonly changes: readonly string[]
}

export type Acceptance = {
  readonly scope: string | null
  readonly server: string
  /** Null: the server with all its tools. */
  readonly tool: string | null
  /** The version that the person has seen. */
  readonly version: number
}

export type Gateway = {
  readonly check: (call: GatewayCall, by: By) => Promise<GatewayVerdict>
  /** Of a call that was let through. Faults `NOT_PERMITTED`: another process makes it. */
  readonly report: (report: GatewayReport, by: By) => Promise<void>
  /** Says that an approved call is still being made; false: it is not, as far as is known. */
  readonly renew: (call: Pick<GatewayReport, 'holder' | 'runId' | 'callId'>) => Promise<boolean>
  /** Which tools may be shown; in the order of the names. */
  readonly offer: (whose: GatewayIdentity, names: readonly McpName[]) => Promise<ToolOffer>
  readonly see: (sight: ServerSight) => Promise<PinStatus>
  readonly listPins: (workspace: string) => Promise<readonly Pinned[]>
  /** Faults `REQUEST_INVALID`: nothing of that name was seen; `STORE_CONFLICT`. */
  readonly accept: (acceptance: Acceptance) => Promise<Pinned>
}

/** The collection of the store in which pins are kept. */
export const gatewayCollection = 'gateway'
