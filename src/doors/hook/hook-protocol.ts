/**
 * Requests and answers of hooks, independent of the host. Each host has a protocol that parses its
 * payload and formats its answer.
 */
import type { Report } from '../../core/engine/types.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import type { McpName } from '../../core/tools/mcp-name.ts'
import type { HookOutput, HookReply } from '../api/hook-exchange.ts'
import type { ModelUse, TranscriptReader } from './spending/model-use.ts'

/** One use of a tool, as the host tells it. */
export type HostCall = {
  readonly tool: string
  readonly input: JsonObject
  readonly server: McpName | null
  /** The host's own name of this use; null: it gives none. */
  readonly key: string | null
}

export type HookEvent =
  /** Before a call: the one moment at which it can be stopped. */
  | { readonly kind: 'call'; readonly call: HostCall }
  /** The host is about to ask its user about a call that we let through. */
  | { readonly kind: 'permission'; readonly call: HostCall }
  | { readonly kind: 'report'; readonly call: HostCall; readonly report: Report }
  /** The host does not make a call that we let through. */
  | { readonly kind: 'declined'; readonly call: HostCall }
  | { readonly kind: 'prompt'; readonly by: 'person' | 'host'; readonly text: string }
  | { readonly kind: 'begin' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'agent-begin' }
  | { readonly kind: 'agent-stop' }
  | { readonly kind: 'config'; readonly file: string | null }
  | { readonly kind: 'end' }
  /** An event that we know and have nothing to say to. */
  | { readonly kind: 'nothing' }

export type HookInput = {
  readonly host: AgentHostId
  /** The host's name of the event, which some answers repeat. */
  readonly name: string
  readonly session: string
  /** The sub-agent that speaks; null: the main one. */
  readonly agent: string | null
  /** Where the agent's shell stands; null: not told. */
  readonly cwd: string | null
  readonly event: HookEvent
  /** Files in which the host writes down what its models have used; empty: it says of none. */
  readonly transcripts: readonly string[]
  /** What the host itself tells of its models. */
  readonly uses: readonly ModelUse[]
}

/** What we want of the host. */
export type HookAnswer =
  /** Nothing stands in the way. */
  | {
      readonly kind: 'pass'
      /** Call with this instead; null: as it is. */
      readonly input: JsonObject | null
      /** What the model should hear; empty: nothing. */
      readonly context: string
      /** The host's own question to its user is not needed. */
      readonly isOwn: boolean
    }
  /** Not now: a call does not happen, a stop goes on, a change of settings does not count. */
  | { readonly kind: 'refuse'; readonly reason: string }
  /** The host's user decides. */
  | { readonly kind: 'ask'; readonly reason: string }

/** Nothing stands in the way, and there is nothing to say. */
export const passAnswer: Extract<HookAnswer, { kind: 'pass' }> = {
  kind: 'pass',
  input: null,
  context: '',
  isOwn: false,
}

/** How an answer is sent: over HTTP there is no exit code. */
export type HookWire = 'command' | 'http'

export type HookProtocol = {
  readonly host: AgentHostId
  /** Null: this is no payload of that host. */
  readonly read: (payload: JsonObject) => HookInput | null
  readonly answer: (heard: HookInput, word: HookAnswer, wire: HookWire) => HookReply
  /** Whether what is said at an event, beside a pass, reaches the model. */
  readonly tells: (heard: HookInput) => boolean
  /** Whether its own question to its user holds the call back until it is answered. */
  readonly asks: boolean
  /** Null: it writes no transcript that could be read. */
  readonly transcript: TranscriptReader | null
  /** Absent: what a sub-agent does is told with its name, and not as done by its session. */
  readonly namesAgents?: false
  /** For a host that also runs the hooks of another one, in its own format; absent: it does not. */
  readonly borrows?: {
    readonly from: AgentHostId
    /** Whether a payload that came to the other one's hook is its own. */
    readonly isOwn: (payload: JsonObject) => boolean
  }
}

/** The answer that blocks on every host. */
export function blockAnswer(reason: string): HookReply {
  return { kind: 'block', reason: reason.trim() || 'denied by Pawl' }
}

/** An answer in JSON; an empty one says nothing at all. */
export function jsonAnswer(answer: JsonObject): HookReply {
  return { kind: 'json', json: answer }
}

/** An answer as a program prints it and ends. */
export function printReply(reply: HookReply): HookOutput {
  if (reply.kind === 'block') return { exit: 2, stdout: '', stderr: `${reply.reason}\n` }
  const isEmpty = Object.keys(reply.json).length === 0
  return { exit: 0, stdout: isEmpty ? '' : `${JSON.stringify(reply.json)}\n`, stderr: '' }
}
