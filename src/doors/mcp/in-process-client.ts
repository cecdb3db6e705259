/**
 * A client of the daemon inside its own process: the same operations and checks, without a
 * connection.
 */
import { randomUUID } from 'node:crypto'
import type { Api, ApiRequest } from '../api/api.ts'
import type { Caller } from '../api/caller.ts'
import type { OperationAnswer, StreamMessage } from '../api/contract.ts'
import { operations } from '../api/operations-table.ts'
import { PawlProblem } from '../api/problem.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'

export function openInProcessClient(api: Api, caller: Caller): ReconnectingClient {
  const never = new AbortController().signal
  const requestOf = (
    input: unknown,
    commandId: string | null,
    signal: AbortSignal,
  ): ApiRequest => ({
    door: 'mcp',
    input,
    commandId,
    signal: () => signal,
    traceparent: null,
  })
  return {
    ask: async (name, input, { commandId = randomUUID(), signal = never } = {}) => {
      const id = operations[name].repeats === 'same' ? null : commandId
      const answered = await api.perform(name, caller, requestOf(input, id, signal))
      if (!answered.ok) throw new PawlProblem(answered.problem)
      // WHY the cast: the handler of this name is held to this answer by the contract.
      return answered.output as OperationAnswer<typeof name>
    },
    stream: async function* (runId, after, signal) {
      const request = requestOf({ runId, after }, null, signal)
      const opened = await api.stream('runs.stream', caller, request)
      if (!opened.ok) throw new PawlProblem(opened.problem)
      for await (const beat of opened.output) {
        if (beat !== null) yield beat.message as StreamMessage<'runs.stream'>
      }
    },
    close: () => undefined,
  }
}
