/**
 * Transport over a unix socket: one JSON text per line, answers in any order. All requests share
 * one connection, opened with the first; every stream has its own.
 */
import { createConnection, type Socket } from 'node:net'
import type { OperationAnswer, OperationInput } from '../doors/api/contract.ts'
import {
  type OperationName,
  requestBytesMax,
  type StreamName,
} from '../doors/api/operations-table.ts'
import { PawlProblem, type ProblemDocument } from '../doors/api/problem.ts'
import { openLineSplitter } from '../doors/api/split-lines.ts'
import {
  type Transport,
  type TransportOptions,
  type TransportReply,
  transportSilenceMsMax,
  unreachable,
} from './transport.ts'

/** Where a daemon listens, and who asks. */
export type SocketAddress = { readonly socket: string; readonly token: string }

/** Bytes of one answer. */
const answerBytesMax = 256 * 1024 * 1024

type Frame = {
  readonly id: number | null
  readonly ok: boolean
  readonly output?: unknown
  readonly event?: { readonly id: number; readonly message: unknown } | null
  readonly problem?: ProblemDocument
}

type Pending = {
  readonly resolve: (output: unknown) => void
  readonly reject: (error: PawlProblem) => void
}

type Line = {
  readonly socket: Socket
  readonly pending: Map<number, Pending>
}

/** Opens the wire; nothing is sent yet. */
export function openSocketTransport(address: SocketAddress): Transport {
  let line: Line | null = null
  let lastId = 0
  const connected = (): Line => {
    if (line === null || line.socket.destroyed) line = openLine(address)
    return line
  }
  const put = (name: OperationName, input: object, options: TransportOptions): Promise<unknown> => {
    const { socket, pending } = connected()
    lastId += 1
    const id = lastId
    const { token } = address
    const { commandId, signal } = options
    const text = JSON.stringify({ id, op: name, token, commandId, input })
    const answer = new Promise<unknown>((resolve, reject) => {
      const settle = (): void => {
        pending.delete(id)
        signal.removeEventListener('abort', abort)
        // Only an open question keeps the program alive.
        if (pending.size === 0) socket.unref()
      }
      const abort = (): void => {
        settle()
        reject(unreachable(address.socket, signal.reason))
      }
      pending.set(id, {
        resolve: (output) => {
          settle()
          resolve(output)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      socket.ref()
      signal.addEventListener('abort', abort, { once: true })
    })
    // WHY: only a connection that has shown a person's token may send a line of that length.
    if (text.length > requestBytesMax / 3) {
      socket.write(`${JSON.stringify({ id: 0, op: 'status', token })}\n`)
    }
    socket.write(`${text}\n`)
    return answer
  }
  const ask = async <Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: TransportOptions,
  ): Promise<OperationAnswer<Name>> => (await put(name, input, options)) as OperationAnswer<Name>
  return {
    ask,
    stream: (name, input, signal) => read(address, { name, input, signal }),
    close: () => line?.socket.destroy(),
  }
}

function openLine(address: SocketAddress): Line {
  const socket = createConnection(address.socket)
  const pending = new Map<number, Pending>()
  const cutter = openLineSplitter()
  const lose = (cause?: unknown): void => {
    socket.destroy()
    for (const one of [...pending.values()]) one.reject(unreachable(address.socket, cause))
  }
  socket.on('data', (bytes) => {
    const lines = cutter.push(bytes, answerBytesMax)
    if (lines === null) return lose()
    for (const text of lines) {
      const frame = parseFrame(text)
      if (frame === null) return lose()
      deliver(frame, pending)
    }
  })
  socket.on('error', lose)
  socket.on('close', () => lose())
  return { socket, pending }
}

function parseFrame(line: Buffer): Frame | null {
  try {
    return JSON.parse(line.toString()) as Frame
  } catch {
    // Whoever speaks there is no daemon of ours.
    return null
  }
}

function deliver(frame: Frame, pending: Map<number, Pending>): void {
  if (frame.id === null) {
    // A complaint about the line itself: whatever was asked is not going to be answered.
    if (frame.problem === undefined) return
    for (const one of [...pending.values()]) one.reject(new PawlProblem(frame.problem))
    return
  }
  const asked = pending.get(frame.id)
  if (asked === undefined) return
  if (frame.ok) asked.resolve(frame.output)
  else if (frame.problem !== undefined) asked.reject(new PawlProblem(frame.problem))
}

type StreamRequest<Name extends StreamName> = {
  readonly name: Name
  readonly input: object
  readonly signal: AbortSignal
}

async function* read<Name extends StreamName>(
  address: SocketAddress,
  { name, input, signal }: StreamRequest<Name>,
): AsyncGenerator<TransportReply<Name> | null, void, void> {
  const socket = createConnection({ path: address.socket, signal })
  socket.setTimeout(transportSilenceMsMax, () => socket.destroy())
  socket.write(`${JSON.stringify({ id: 1, op: name, token: address.token, input })}\n`)
  const cutter = openLineSplitter()
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      for (const line of cutter.push(bytes, answerBytesMax) ?? []) {
        const frame = parseFrame(line)
        if (frame === null) throw unreachable(address.socket)
        if (frame.problem !== undefined) throw new PawlProblem(frame.problem)
        // WHY the cast: what a daemon of this version sends is what the contract says.
        yield (frame.event ?? null) as TransportReply<Name> | null
      }
    }
  } catch (error) {
    throw error instanceof PawlProblem ? error : unreachable(address.socket, error)
  } finally {
    socket.destroy()
  }
}
