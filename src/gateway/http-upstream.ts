/** A server with a URL: Streamable HTTP, through the client library of the protocol. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isRequest, isResponse, type RpcId, type RpcMessage, readRpcMessage } from './json-rpc.ts'
import type { Launch } from './launch-settings.ts'
import {
  gatewayMessageBytesMax,
  openRedactor,
  parseClean,
  type UpstreamWire,
  type WireEnd,
  type WireListeners,
} from './server-transport.ts'

type Address = Extract<Launch, { kind: 'http' }>

const closeMsMax = 2_000
const newline = 10

/** Connects when the first message is sent. */
export async function openHttpUpstream(
  address: Address,
  ears: WireListeners,
): Promise<UpstreamWire> {
  const { url, headers, secrets } = address
  const redact = openRedactor(secrets)
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: limitedFetch,
  })
  let isOver = false
  const end = (why: WireEnd): void => {
    if (isOver) return
    isOver = true
    ears.onEnd(why)
    void transport.close().catch(() => undefined)
  }
  const lost = (fault: unknown): void => {
    const text = fault instanceof Error ? fault.message : String(fault)
    const isFlood = text.includes(floodText)
    end({ code: isFlood ? 'UPSTREAM_FLOOD' : 'UPSTREAM_LOST', reason: redact(text).slice(0, 500) })
  }
  const waiting = new Set<RpcId>()
  transport.onmessage = (sent) => {
    if (isOver) return
    const message = clean(sent as RpcMessage, secrets.length > 0 ? redact : null)
    if (message !== null && isResponse(message)) waiting.delete(message.id)
    if (message !== null) ears.onMessage(message)
  }
  transport.onerror = (fault) => {
    // The stream for news may break: the library opens it again, and calls do not need it.
    const isIdle = waiting.size === 0 || fault.message.includes(idleText)
    if (!isIdle || fault.message.includes(floodText)) lost(fault)
  }
  transport.onclose = () => lost(new Error('the connection was closed'))
  await transport.start()
  return {
    send: (message) => {
      if (isOver) return
      if (isRequest(message)) waiting.add(message.id)
      // WHY the cast: the library's own types say the same with more words.
      transport.send(message as Parameters<typeof transport.send>[0]).catch((fault) => {
        // What nobody waits for may be refused.
        if (isRequest(message)) lost(fault)
      })
    },
    agree: (version) => transport.setProtocolVersion(version),
    close: async () => {
      isOver = true
      const ended = transport.terminateSession().catch(() => undefined)
      const late = new Promise((resolve) => setTimeout(resolve, closeMsMax).unref())
      await Promise.race([ended, late])
      await transport.close().catch(() => undefined)
    },
  }
}

function clean(message: RpcMessage, redact: ((text: string) => string) | null): RpcMessage | null {
  if (redact === null) return message
  return readRpcMessage(parseClean(JSON.stringify(message), redact))
}

const idleText = 'the event stream was interrupted'
const floodText = `a message of more than ${gatewayMessageBytesMax} bytes`

/** WHY: the library reads whatever comes, however much it is. */
const limitedFetch: typeof fetch = async (input, init) => {
  // A stream that is not for the answer to a request, nor goes on with one.
  const isIdle = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id')
  const response = await fetch(input, init).catch((fault: unknown) => {
    throw isIdle ? new Error(`${idleText}: ${fault}`) : fault
  })
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const last = isStream ? chunk.lastIndexOf(newline) : -1
      bytes = last < 0 ? bytes + chunk.length : chunk.length - last
      if (bytes > gatewayMessageBytesMax) controller.error(new Error(`it sent ${floodText}`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  const limited = response.body.pipeThrough(limit)
  const body = isIdle ? ReadableStream.from(idle(limited)) : limited
  return new Response(body, { status, statusText, headers })
}

/** The same, with its faults marked. */
async function* idle(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (fault) {
    throw new Error(`${idleText}: ${fault}`)
  }
}
