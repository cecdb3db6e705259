/**
 * One connection of the socket: many requests at once, answered in any order. A caller that sends
 * faster than it reads is slowed down by backpressure.
 */
import type { Socket } from 'node:net'
import type { AnyBeat, Api, ApiRequest } from '../api/api.ts'
import type { Caller } from '../api/caller.ts'
import type { HandlerAnswer } from '../api/handler-context.ts'
import { importBytesMax, isOperation, isStream, requestBytesMax } from '../api/operations-table.ts'
import { closeWithMessage } from '../api/private-socket.ts'
import { type ProblemDocument, problem, problemOfThrown } from '../api/problem.ts'
import { openLineSplitter } from '../api/split-lines.ts'
import { waitForDrain } from '../api/wait-for-drain.ts'
import { answerLine, eventLine, problemLine, readFrame, type SocketFrame } from './frame.ts'

export type ConnectionLimits = {
  /** Questions of one connection that are open at the same time. */
  readonly questionsMax: number
  /** Bytes of answers that a caller has not read. */
  readonly unreadBytesMax: number
  /** A connection without a question is closed after this time. */
  readonly idleMs: number
}

export type Connection = {
  readonly api: Api
  readonly socket: Socket
  readonly limits: ConnectionLimits
}

/** How long a caller that was hung up on may go on talking. */
const partingMs = 1_000

type State = {
  openCount: number
  lineBytesMax: number
  /** Nothing more will be asked: what is open is answered, then it is over. */
  isEnding: boolean
  /** Made when the first question needs it. */
  gone: AbortController | null
  /** The sessions of agents that this connection holds, and how to let go of them. */
  readonly holds: Map<string, () => void>
}

/** Answers everything that comes over a connection, until it ends. Returns how to end it. */
export function serveConnection(connection: Connection): () => void {
  const { socket, limits } = connection
  const cutter = openLineSplitter()
  const state: State = {
    openCount: 0,
    lineBytesMax: requestBytesMax,
    isEnding: false,
    gone: null,
    holds: new Map(),
  }
  const finish = (): void => {
    state.isEnding = true
    // WHY now: who has left waits for nothing any more, and a caller that only sends no more gets
    // its answers all the same.
    state.gone?.abort()
    pace(connection, state)
  }
  // WHY: a caller that breaks off is no event; what it asked for is finished and forgotten.
  socket.on('error', () => socket.destroy())
  socket.on('close', finish)
  // WHY not when it was idle for too long: then the program is still there.
  socket.on('end', () => letGo(state))
  socket.on('error', () => letGo(state))
  socket.on('end', finish)
  socket.on('drain', () => pace(connection, state))
  socket.setTimeout(limits.idleMs, () => {
    if (state.openCount === 0) socket.destroy()
  })
  socket.on('data', (bytes) => {
    const lines = cutter.push(bytes, state.lineBytesMax)
    if (lines === null) return hangUp(connection, tooLong(state))
    for (const line of lines) {
      // Nothing that comes after a line we do not understand is ours to guess.
      if (state.isEnding || socket.writableEnded) return
      take(connection, state, line)
    }
    pace(connection, state)
  })
  return finish
}

function letGo({ holds }: State): void {
  for (const release of holds.values()) release()
  holds.clear()
}

function tooLong({ lineBytesMax }: State): ProblemDocument {
  return problem('REQUEST_TOO_LARGE', { detail: `a line may have at most ${lineBytesMax} bytes` })
}

function hangUp({ socket, api }: Connection, why: ProblemDocument): void {
  api.metrics.countOperation({ operation: 'none', door: 'socket', outcome: why.code })
  closeWithMessage(socket, problemLine(null, why), partingMs)
}

function take(connection: Connection, state: State, line: Buffer): void {
  if (line.length === 0) return
  const reading = readFrame(line)
  if (!reading.ok) return hangUp(connection, reading.problem)
  state.openCount += 1
  answer(connection, state, reading.frame)
    .catch((thrown: unknown) =>
      say(connection, problemLine(reading.frame.id, problemOfThrown(thrown))),
    )
    .finally(() => {
      state.openCount -= 1
      pace(connection, state)
    })
}

/** Stops reading while there is too much to do or too much unread; goes on when there is not. */
function pace({ socket, limits }: Connection, state: State): void {
  if (state.isEnding) {
    if (state.openCount === 0) socket.end()
    return
  }
  const isFull =
    state.openCount >= limits.questionsMax || socket.writableLength > limits.unreadBytesMax
  if (isFull && !socket.isPaused()) socket.pause()
  else if (!isFull && socket.isPaused()) socket.resume()
}

function say({ socket }: Connection, line: string): void {
  if (socket.writable) socket.write(line)
}

async function answer(connection: Connection, state: State, frame: SocketFrame): Promise<void> {
  const { api, socket } = connection
  const { id, op, commandId, traceparent, input } = frame
  const caller: Caller | null = api.authenticate(frame.token)
  const session = caller?.session
  if (session !== undefined && api.agents !== null && !state.holds.has(session.name)) {
    state.holds.set(session.name, api.agents.hold(session))
  }
  // WHY: a whole run that is imported is longer than any question; strangers do not get so far.
  if (caller?.role === 'person') state.lineBytesMax = importBytesMax
  const signal = (): AbortSignal => {
    state.gone ??= new AbortController()
    if (state.isEnding) state.gone.abort()
    return state.gone.signal
  }
  const sent = { input, commandId, signal, traceparent }
  const request: ApiRequest = { door: 'socket', connection: socket, ...sent }
  if (isOperation(op)) {
    const answered: HandlerAnswer<unknown> = await api.perform(op, caller, request)
    say(
      connection,
      answered.ok ? answerLine(id, answered.output) : problemLine(id, answered.problem),
    )
  } else if (isStream(op)) {
    const opened = await api.stream(op, caller, request)
    if (!opened.ok) say(connection, problemLine(id, opened.problem))
    else await send(connection, { id, stream: opened.output, signal: signal() })
  } else {
    const detail = 'there is no such operation'
    say(connection, problemLine(id, problem('REQUEST_INVALID', { detail, status: 404 })))
  }
}

type Sending = {
  readonly id: string | number
  readonly stream: AsyncGenerator<AnyBeat>
  readonly signal: AbortSignal
}

async function send({ socket }: Connection, { id, stream, signal }: Sending): Promise<void> {
  for await (const beat of stream) {
    if (signal.aborted || !socket.writable) return
    if (socket.write(eventLine(id, beat)) || (await waitForDrain(socket, signal))) continue
    // Too slow: it can come back and resume.
    socket.destroy()
    return
  }
}
