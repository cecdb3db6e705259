/** A client of the daemon that finds or starts it on first use, and again after it has stopped. */
import { randomUUID } from 'node:crypto'
import type { CallOptions, Client } from '../../client/open-client.ts'
import type { OperationAnswer, OperationInput } from '../api/contract.ts'
import type { OperationName } from '../api/operations-table.ts'
import { PawlProblem } from '../api/problem.ts'

export type ClientRequest = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  options?: CallOptions,
) => Promise<OperationAnswer<Name>>

export type ReconnectingClient = {
  /** Under one command id, however often it has to be sent. */
  readonly ask: ClientRequest
  readonly stream: (
    runId: string,
    after: number,
    signal: AbortSignal,
  ) => ReturnType<Client['stream']>
  readonly close: () => void
}

/** Nothing is connected yet. */
export function openReconnectingClient(connect: () => Promise<Client>): ReconnectingClient {
  let client: Promise<Client> | null = null
  const connected = (): Promise<Client> => {
    client ??= connect().catch((fault: unknown) => {
      // The next one to ask tries again.
      client = null
      throw fault
    })
    return client
  }
  const ask: ClientRequest = async (name, input, options = {}) => {
    const same = { commandId: randomUUID(), ...options }
    const line = connected()
    const first = await line
    try {
      return await first.call(name, input, same)
    } catch (fault) {
      if (!isLost(fault) || options.signal?.aborted) throw fault
      options.onLost?.()
      first.close()
      // Somebody else may have found that out before, and connected anew.
      if (client === line) client = null
      return (await connected()).call(name, input, same)
    }
  }
  return {
    ask,
    stream: async function* (runId, after, signal) {
      yield* (await connected()).stream(runId, { after, signal })
    },
    close: () => {
      client?.then((one) => one.close()).catch(() => undefined)
    },
  }
}

/** A daemon that went away, or another one in its place, which has made itself new tokens. */
function isLost(fault: unknown): boolean {
  if (!(fault instanceof PawlProblem)) return false
  return fault.code === 'DAEMON_UNREACHABLE' || fault.code === 'TOKEN_INVALID'
}
