/**
 * The gateway for one client over two streams: one message per line. The daemon judges. It may be
 * killed at any time: its state is in the daemon.
 */
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client/open-client.ts'
import { asObject, type Json } from '../core/json.ts'
import { openMessageLines } from '../doors/api/message-lines.ts'
import { parseJson } from '../doors/api/parse-json.ts'
import { openReconnectingClient } from '../doors/mcp/reconnecting-client.ts'
import { openBatchedWriter } from './batched-writer.ts'
import type { GatewayContext } from './gateway-context.ts'
import type { GatewaySettings } from './gateway-file.ts'
import { codes, messageIdOf, readRpcMessage } from './json-rpc.ts'
import { openRelay, type Relay } from './relay.ts'

type GatewayOptions = {
  /** A client with the token of an agent; starts the daemon where there is none. */
  readonly connect: () => Promise<Client>
  readonly settings: GatewaySettings
  readonly workspace: string
  /** The run that the environment names; null: none. */
  readonly runId: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  /** Tells a person; never the client. */
  readonly log: (what: string) => void
}

/** Bytes of one message of the client. */
const messageBytesMax = 4 * 1024 * 1024
/** Bytes that wait for the client; then what is not an answer is left out. */
const waitingBytesMax = 8 * 1024 * 1024
/** Records of a run that come together are looked at once. */
const gatherMs = 40
/** A run whose stage is the same may still have a branch that moved. */
const quietMs = 500
/** How often it is looked whether a person has agreed to what waits. */
const lookMs = 2_000

/** Serves until the client goes away. */
export async function serveGateway(options: GatewayOptions): Promise<void> {
  const { connect, settings, workspace, runId, env, version, input, output, log } = options
  for (const why of settings.refused) log(why)
  const link = openReconnectingClient(connect)
  const { askWaitMs, servers: entries } = settings
  const [holder, held] = [randomUUID(), { runId: null }]
  const context: GatewayContext = {
    daemon: link.ask,
    workspace,
    runId,
    holder,
    askWaitMs,
    env,
    log,
    held,
  }
  const { write, flush } = openBatchedWriter(output)
  const send = (text: string, mode: 'surely' | 'maybe'): void => {
    if (mode === 'maybe' && output.writableLength > waitingBytesMax) return
    write(`${text}\n`)
  }
  const relay = openRelay({ context, entries, version, send })
  const over = new AbortController()
  const timer = setInterval(() => void relay.lookAgain(), lookMs)
  void watch({ connect, context, relay, signal: over.signal })
  await hear(input, output, (line) => take(line, relay, send))
  over.abort()
  clearInterval(timer)
  await relay.close()
  flush()
  link.close()
}

/** Hands over lines until one of the streams ends. */
function hear(
  input: Readable,
  output: Writable,
  onLine: (line: Buffer | 'too long') => void,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve()
    input.on('data', openMessageLines(messageBytesMax, onLine))
    for (const name of ['end', 'close', 'error']) input.on(name, end)
    output.on('error', end)
  })
}

type Send = (text: string, mode: 'surely' | 'maybe') => void

function take(line: Buffer | 'too long', relay: Relay, send: Send): void {
  const complain = (code: number, message: string, id: Json = null): void =>
    send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }), 'surely')
  if (line === 'too long') {
    return complain(codes.notRequest, `a message can have at most ${messageBytesMax} bytes`)
  }
  if (line.every((byte) => byte <= 32)) return
  const parsed = parseJson(line)
  if (!parsed.ok) return complain(codes.notJson, parsed.problem.detail)
  const message = readRpcMessage(parsed.value)
  if (message !== null) return relay.receive(message)
  const id = messageIdOf(asObject(parsed.value)?.id)
  complain(codes.notRequest, 'this is not a JSON-RPC 2.0 message', id)
}

type Watching = {
  readonly connect: () => Promise<Client>
  readonly context: GatewayContext
  readonly relay: Relay
  readonly signal: AbortSignal
}

/** Hears of runs as they change, so that what is shown is never what an older stage allowed. */
async function watch({ connect, context, relay, signal }: Watching): Promise<void> {
  let timer: NodeJS.Timeout | null = null
  let seen = ''
  const look = (): void => {
    timer = null
    if (!signal.aborted) void relay.look()
  }
  while (!signal.aborted) {
    try {
      const client = await connect()
      signal.addEventListener('abort', () => client.close(), { once: true })
      for await (const { id, workspace, stage, status } of client.watch({ signal })) {
        if (workspace !== context.workspace && id !== (context.runId ?? context.held.runId))
          continue
        const now = `${id} ${status} ${stage}`
        if (seen === now && timer !== null) continue
        clearTimeout(timer ?? undefined)
        timer = setTimeout(look, seen === now ? quietMs : gatherMs)
        seen = now
      }
    } catch {
      // The daemon went away: the next call finds or starts it, and this looks again.
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined)
  }
}
