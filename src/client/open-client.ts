/**
 * A client of the daemon: every operation is a method, and problems are thrown. A request that is
 * safe to repeat is sent again with the same command id if the connection breaks.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  OperationAnswer,
  OperationInput,
  StreamInput,
  StreamMessage,
} from '../doors/api/contract.ts'
import {
  isOperation,
  type OperationName,
  operationNames,
  operations,
  type StreamName,
} from '../doors/api/operations-table.ts'
import { PawlProblem } from '../doors/api/problem.ts'
import { type HttpAddress, openHttpTransport } from './http-transport.ts'
import { openSocketTransport, type SocketAddress } from './socket-transport.ts'
import type { Transport } from './transport.ts'
import { unreachable } from './transport.ts'

export type ClientOptions = (HttpAddress | SocketAddress) & {
  /** How often a broken wire is tried again; default 3. */
  readonly retriesMax?: number
  /** How long an answer may take beside what it waits for on purpose; default 30 s. */
  readonly timeoutMs?: number
}

export type CallOptions = {
  /** The same id again gets the same reply. Absent: a new one for this call and its retries. */
  readonly commandId?: string
  readonly signal?: AbortSignal
  /** Told that a sending was lost, before it is sent again: what is asked next may overtake it. */
  readonly onLost?: () => void
}

export type WatchOptions = {
  /** Messages after this id; absent: all of a run, or changes from now on. */
  readonly after?: number
  readonly signal?: AbortSignal
}

type Method<Name extends OperationName> =
  Record<never, never> extends OperationInput<Name>
    ? (input?: OperationInput<Name>, options?: CallOptions) => Promise<OperationAnswer<Name>>
    : (input: OperationInput<Name>, options?: CallOptions) => Promise<OperationAnswer<Name>>

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group : never
type VerbOf<Name, Group extends string> = Name extends `${Group}.${infer Verb}` ? Verb : never
type Grouped = {
  readonly [Group in GroupOf<OperationName>]: {
    readonly [Verb in VerbOf<OperationName, Group>]: `${Group}.${Verb}` extends infer Name
      ? Name extends OperationName
        ? Method<Name>
        : never
      : never
  }
}
type Plain = {
  readonly [Name in OperationName as Name extends `${string}.${string}`
    ? never
    : Name]: Method<Name>
}

export type Client = Grouped &
  Plain & {
    readonly call: <Name extends OperationName>(
      name: Name,
      input: OperationInput<Name>,
      options?: CallOptions,
    ) => Promise<OperationAnswer<Name>>
    /** The log of a run as it grows; goes on after a broken wire where it was. */
    readonly stream: (
      runId: string,
      options?: WatchOptions,
    ) => AsyncGenerator<StreamMessage<'runs.stream'>, void, void>
    /** Runs as they change; the same change may come twice. */
    readonly watch: (
      options?: WatchOptions,
    ) => AsyncGenerator<StreamMessage<'changes.stream'>, void, void>
    readonly close: () => void
  }

const timeoutMsDefault = 30_000
const retriesMaxDefault = 3
/** A stream that breaks so often without a message in between is given up. */
const reconnectsMax = 10
const delayMsMax = 2_000

/** Opens a client; nothing is sent yet. */
export function openClient(options: ClientOptions): Client {
  const transport = 'url' in options ? openHttpTransport(options) : openSocketTransport(options)
  const call = callerOf(transport, options)
  const client: Record<string, unknown> = {
    call,
    stream: (runId: string, { after, signal }: WatchOptions = {}) =>
      follow(transport, 'runs.stream', { input: { runId }, after, signal }),
    watch: ({ after, signal }: WatchOptions = {}) =>
      follow(transport, 'changes.stream', { input: {}, after, signal }),
    close: transport.close,
  }
  for (const name of operationNames) {
    const method = (input: OperationInput<typeof name> = {}, more?: CallOptions) =>
      call(name, input, more)
    const [group = '', verb] = name.split('.')
    if (verb === undefined) client[group] = method
    else client[group] = { ...(client[group] as object | undefined), [verb]: method }
  }
  // WHY the cast: the loop above gives every name of the table its method, as the type says.
  return client as Client
}

function callerOf(transport: Transport, options: ClientOptions): Client['call'] {
  const { retriesMax = retriesMaxDefault, timeoutMs = timeoutMsDefault } = options
  const address = 'url' in options ? options.url : options.socket
  return async (name, input, more = {}) => {
    const repeats = isOperation(name) ? operations[name].repeats : 'again'
    const commandId = repeats === 'same' ? null : (more.commandId ?? randomUUID())
    const triesMax = repeats === 'again' ? 0 : retriesMax
    // WHY: a call that was let through is let through again only where its answer was lost.
    const sent = name === 'runs.check' ? { attempt: randomUUID(), ...input } : input
    for (let tries = 0; ; tries += 1) {
      const timeout = AbortSignal.timeout(timeoutMs + waitMsOf(name, input))
      const signal = more.signal === undefined ? timeout : AbortSignal.any([timeout, more.signal])
      if (more.signal?.aborted) throw more.signal.reason
      if (signal.aborted) throw unreachable(address, signal.reason)
      try {
        return await transport.ask(name, sent, { commandId, signal })
      } catch (error) {
        // WHY not as a daemon that is away: the caller broke off, and expects to see that.
        if (more.signal?.aborted) throw more.signal.reason
        if (!isLost(error) || signal.aborted || tries >= triesMax) throw error
        more.onLost?.()
        await sleep(delayMsOf(tries))
      }
    }
  }
}

const waitMsDefault = 30_000

/** What the other side waits for on purpose. */
function waitMsOf(name: OperationName, input: object): number {
  if (name.startsWith('jobs.')) return jobWaitMs(input)
  if (name === 'runs.check' || name === 'gateway.check') {
    return 'waitMs' in input ? Number(input.waitMs) : 0
  }
  if (name !== 'runs.wait') return 0
  return 'timeoutMs' in input ? Number(input.timeoutMs) : waitMsDefault
}

/** A job takes its time: what is named, or as long as it may run. */
function jobWaitMs(input: object): number {
  const { wait_ms, timeout = 300, force_after = 10 } = input as Readonly<Record<string, number>>
  return wait_ms ?? (timeout + force_after) * 1_000
}

function isLost(error: unknown): boolean {
  return error instanceof PawlProblem && error.code === 'DAEMON_UNREACHABLE'
}

/** A wire or a store that is away may come back. */
function mayPass(error: unknown): boolean {
  return isLost(error) || (error instanceof PawlProblem && error.status === 503)
}

function delayMsOf(tries: number): number {
  return Math.min(delayMsMax, 50 * 4 ** tries)
}

type Following<Name extends StreamName> = {
  readonly input: Omit<StreamInput<Name>, 'after'>
  readonly after: number | undefined
  readonly signal: AbortSignal | undefined
}

async function* follow<Name extends StreamName>(
  transport: Transport,
  name: Name,
  { input, after, signal: given }: Following<Name>,
): AsyncGenerator<StreamMessage<Name>, void, void> {
  const signal = given ?? new AbortController().signal
  let seen = after
  for (let breaks = 0; !signal.aborted; breaks += 1) {
    // WHY the cast: the input was taken apart above, and is whole again here.
    const whole = (seen === undefined ? input : { ...input, after: seen }) as StreamInput<Name>
    let heardCount = 0
    try {
      for await (const sent of transport.stream(name, whole, signal)) {
        heardCount += 1
        // The first is a greeting: what breaks right after it was never there.
        if (heardCount > 1) breaks = 0
        if (sent === null) continue
        seen = sent.id
        yield sent.message
      }
    } catch (error) {
      if (signal.aborted) return
      if (!mayPass(error) || breaks >= reconnectsMax) throw error
    }
    if (!signal.aborted)
      await sleep(delayMsOf(breaks), undefined, { signal }).catch(() => undefined)
  }
}
