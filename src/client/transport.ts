/**
 * What a client needs from a transport: requests and streams. Problems are thrown as
 * `PawlProblem`; a broken connection is `DAEMON_UNREACHABLE`.
 */
import type {
  OperationAnswer,
  OperationInput,
  StreamInput,
  StreamMessage,
} from '../doors/api/contract.ts'
import type { OperationName, StreamName } from '../doors/api/operations-table.ts'
import { PawlProblem, problem } from '../doors/api/problem.ts'

export type TransportOptions = {
  /** The same id again gets the same reply. */
  readonly commandId: string | null
  readonly signal: AbortSignal
}

export type TransportReply<Name extends StreamName> = {
  /** What to resume after. */
  readonly id: number
  readonly message: StreamMessage<Name>
}

export type Transport = {
  readonly ask: <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: TransportOptions,
  ) => Promise<OperationAnswer<Name>>
  /** Null: still there, and nothing new. Ends when the other side does. */
  readonly stream: <Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    signal: AbortSignal,
  ) => AsyncGenerator<TransportReply<Name> | null, void, void>
  readonly close: () => void
}

/** A stream that says nothing for so long is dead; the daemon beats three times as often. */
export const transportSilenceMsMax = 45_000

/** A wire that is not there, or broke. */
export function unreachable(where: string, cause?: unknown): PawlProblem {
  const why = cause instanceof Error ? `: ${reasonOf(cause)}` : ''
  const detail = `the daemon at \`${where}\` does not answer${why}`
  return new PawlProblem(
    problem('DAEMON_UNREACHABLE', { detail, hint: 'start it with `pawl serve`' }),
    cause,
  )
}

function reasonOf(error: Error): string {
  // `fetch` hides what happened behind the cause.
  return error.cause instanceof Error ? error.cause.message : error.message
}
