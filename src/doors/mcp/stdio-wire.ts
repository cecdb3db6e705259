/**
 * The stdio transport of MCP: one JSON-RPC message per line. An invalid line is answered with a
 * JSON-RPC error, and the next line is read. Does not know what messages mean.
 */
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { openMessageLines } from '../api/message-lines.ts'
import { parseJson } from '../api/parse-json.ts'

/** Bytes of one message; what a daemon takes in one request is half of it. */
export const stdioMessageBytesMax = 2 * 1024 * 1024

export const notJson = -32_700
export const notRequest = -32_600

type Streams = { readonly input: Readable; readonly output: Writable }

/** A wire over two streams, and when it has ended. */
export function openStdioWire({ input, output }: Streams): {
  readonly wire: Transport
  readonly ended: Promise<void>
} {
  let isClosed = false
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const send = (message: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('the connection is closed'))
      output.write(`${JSON.stringify(message)}\n`, (fault) => (fault ? reject(fault) : resolve()))
    })
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    input.pause()
    wire.onclose?.()
    end()
  }
  const complain = ({ code, message, id }: Complaint): void => {
    // Nobody is left to be told when even this cannot be written.
    send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => close())
  }
  const take = (line: Buffer | 'too long'): void => {
    const read = line === 'too long' ? tooLong : readMessage(line)
    if (read === null) return
    if ('message' in read && 'code' in read) complain(read)
    else wire.onmessage?.(read)
  }
  const cut = openMessageLines(stdioMessageBytesMax, take)
  const wire: Transport = {
    start: async () => {
      input.on('data', cut)
      for (const name of ['end', 'close', 'error']) input.on(name, close)
      output.on('error', close)
      if (input.readableEnded || input.destroyed) setImmediate(close)
    },
    send,
    close,
  }
  return { wire, ended }
}

type Complaint = {
  readonly code: number
  readonly message: string
  readonly id: string | number | null
}

const tooLong: Complaint = {
  code: notRequest,
  message: `a message may have at most ${stdioMessageBytesMax} bytes`,
  id: null,
}

/** Null: an empty line, which says nothing. */
function readMessage(line: Buffer): JSONRPCMessage | Complaint | null {
  if (line.length === 0 || line.every((byte) => byte <= 32)) return null
  const parsed = parseJson(line)
  if (!parsed.ok) return { code: notJson, message: parsed.problem.detail, id: null }
  try {
    return parseJSONRPCMessage(parsed.value)
  } catch {
    // Whose answer it is can often still be told.
    const { value } = parsed
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
    const known = typeof id === 'string' || typeof id === 'number' ? id : null
    return { code: notRequest, message: 'this is not a JSON-RPC 2.0 message', id: known }
  }
}
