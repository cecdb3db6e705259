/**
 * The request and answer of a host's hook, independent of the transport. The payload is the host's
 * own text, and the answer is in the host's format; a client passes both on unchanged.
 */

import type { JsonObject } from '../../core/json.ts'
import type { BoxHints } from '../../runtime/boxes/boxes-port.ts'

export type HookRequestBody<Payload = string> = {
  /** As the installed hook names its host; anything else is refused. */
  readonly host: string
  /** What the host gave to its hook: a text, or what it parsed to. */
  readonly payload: Payload
  /** The folder in which the hook was installed; null: the payload has to tell. */
  readonly workspace: string | null
  /** The run that the host's environment names (`PAWL_RUN`); null: none. */
  readonly runId: string | null
  /** The hook of a user, which is started in every folder; `workspace` is where the host is. */
  readonly scope?: 'user'
  /** The box that it comes from; absent: from none. */
  readonly box?: BoxHints
}

/** What the client prints and ends with. Exit 2 with words on `stderr` blocks on every host. */
export type HookOutput = {
  readonly exit: 0 | 2
  readonly stdout: string
  readonly stderr: string
}

/** The answer in the host's own words: JSON, or that its step is blocked and why. */
export type HookReply =
  | { readonly kind: 'json'; readonly json: JsonObject }
  | { readonly kind: 'block'; readonly reason: string }

/**
 * Never rejects: whatever goes wrong is a refusal in the dialect of the host. The signal is raised
 * when whoever asks is gone; absent: it waits.
 */
export type AnswerHook = (question: HookRequestBody, signal?: AbortSignal) => Promise<HookOutput>

/** The same over HTTP, where the payload is parsed and the answer is JSON. */
export type AnswerHttpHook = (
  question: HookRequestBody<JsonObject>,
  signal?: AbortSignal,
) => Promise<HookReply>

/** Whether a secret is the one for hooks of a folder; a hook that names none speaks for none. */
export type CheckHook = (
  presented: string,
  place: Pick<HookRequestBody, 'workspace' | 'scope'>,
) => boolean
