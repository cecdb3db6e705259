/**
 * What a host's hook asks and what it is answered, whichever wire carries it. The payload is the
 * host's own text, and the answer is in the host's own dialect: a client only carries both.
 */

export type HookQuestion = {
  /** As the installed hook names its host; anything else is refused. */
  readonly host: string
  /** The text that the host gave to its hook. */
  readonly payload: string
  /** The folder in which the hook was installed; null: the payload has to tell. */
  readonly workspace: string | null
  /** The run that the host's environment names (`PAWL_RUN`); null: none. */
  readonly runId: string | null
}

/** What the client prints and ends with. Exit 2 with words on `stderr` blocks on every host. */
export type HookOutput = {
  readonly exit: 0 | 2
  readonly stdout: string
  readonly stderr: string
}

/** Never rejects: whatever goes wrong is a refusal in the dialect of the host. */
export type AnswerHook = (question: HookQuestion) => Promise<HookOutput>
