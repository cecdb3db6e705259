/**
 * The daemon's end of the hook protocol, on a unix socket that only this user can reach. An
 * invalid request is answered with a refusal and a reason, so that the client blocks the call.
 * Does not know the formats of hosts.
 */
import type { Socket } from 'node:net'
import type { AnswerHook, HookOutput } from '../api/hook-exchange.ts'
import { closeWithMessage, openPrivateSocket } from '../api/private-socket.ts'
import {
  beat,
  blocked,
  type HookHeader,
  headerBytesMax,
  parseHeader,
  payloadBytesMax,
  payloadTextOf,
  printAnswer,
} from './hook-wire.ts'

type HookDoorOptions = {
  readonly answer: AnswerHook
  /** Whether the secret in the header is the one for hooks of the folder in it. */
  readonly authenticate: (header: HookHeader) => boolean
  readonly path: string
  readonly limits?: Partial<HookLimits>
  /** Hears of bugs; whoever asked was refused. */
  readonly onFault?: (fault: unknown) => void
}

export type HookLimits = {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  readonly payloadBytesMax: number
  /** How long a question may take to arrive. */
  readonly askMs: number
  /** How long an answer may take: less than what a client waits for, so that it gets words. */
  readonly answerMs: number
  /** How often a client is told that the answer is still to come. */
  readonly beatMs: number
  /** How long what was begun may take when the door closes. */
  readonly closeMs: number
}

export type HookDoor = {
  readonly path: string
  readonly connectionsCount: () => number
  /** Finishes what was begun, for a while; what is not finished then is refused. */
  readonly close: () => Promise<void>
}

const limitsDefault: HookLimits = {
  connectionsMax: 512,
  headerBytesMax,
  payloadBytesMax,
  askMs: 60_000,
  answerMs: 53_000,
  beatMs: 1_000,
  closeMs: 2_000,
}

/** How long a client may take to read its answer. */
const partingMs = 5_000
const newline = 0x0a

/** Opens the door. Faults: `CONFIG_INVALID`, `DAEMON_RUNNING`. */
export function openHookDoor(options: HookDoorOptions): Promise<HookDoor> {
  const limits = { ...limitsDefault, ...options.limits }
  const door: Door = { ...options, limits }
  return openPrivateSocket({
    path: options.path,
    connectionsMax: limits.connectionsMax,
    closeMs: limits.closeMs + partingMs,
    serve: (socket) => serveHook(door, socket),
    refuse: (socket) => {
      socket.on('error', () => socket.destroy())
      closeWithMessage(socket, printAnswer(blocked('too many hooks at once')), partingMs)
    },
  })
}

type Door = Omit<HookDoorOptions, 'limits'> & { readonly limits: HookLimits }

/** Serves one question; gives how to end it when the door closes. */
function serveHook(door: Door, socket: Socket): () => void {
  const { limits } = door
  let phase: 'asked' | 'answering' | 'answered' = 'asked'
  let timer = setTimeout(() => finish(blocked('the request did not arrive in time')), limits.askMs)
  let beats: NodeJS.Timeout | undefined
  const finish = (output: HookOutput): void => {
    if (phase === 'answered') return
    forget()
    closeWithMessage(socket, printAnswer(output), partingMs)
  }
  const gone = new AbortController()
  const forget = (): void => {
    phase = 'answered'
    gone.abort()
    clearTimeout(timer)
    clearInterval(beats)
  }
  const begin = (ask: HookMessage): void => {
    phase = 'answering'
    clearTimeout(timer)
    timer = setTimeout(() => finish(blocked('there was no decision in time')), limits.answerMs)
    beats = setInterval(() => socket.write(beat), limits.beatMs)
    answerAsk(door, ask, gone.signal).then(finish)
  }
  // A client that breaks off is no event: a call that waits is given up, the rest is finished.
  socket.on('error', () => socket.destroy())
  socket.on('close', forget)
  hear(door, socket, (heard) => {
    if (phase !== 'asked') return
    if ('exit' in heard) finish(heard)
    else begin(heard)
  })
  return () => {
    if (phase === 'asked') return finish(blocked('the daemon is stopping; try again'))
    if (phase !== 'answering') return
    clearTimeout(timer)
    timer = setTimeout(() => finish(blocked('the daemon is stopping; try again')), limits.closeMs)
  }
}

type HookMessage = { readonly header: HookHeader; readonly payload: readonly Buffer[] }

/** Gathers a question, or finds out as early as can be why there is none. */
function hear(door: Door, socket: Socket, done: (heard: HookMessage | HookOutput) => void): void {
  const { limits } = door
  let header: HookHeader | null = null
  let bytesCount = 0
  let pieces: Buffer[] = []
  socket.on('data', (bytes) => {
    pieces.push(bytes)
    bytesCount += bytes.length
    if (header === null) {
      const end = bytes.indexOf(newline)
      const lineBytes = end < 0 ? bytesCount : bytesCount - bytes.length + end
      if (lineBytes > limits.headerBytesMax) return done(unknownForm)
      if (end < 0) return
      const whole = Buffer.concat(pieces)
      header = parseHeader(whole.toString('latin1', 0, lineBytes))
      if (header === null) return done(unknownForm)
      // WHY here: strangers do not get so far as to send a payload.
      if (!door.authenticate(header)) return done(wrongSecret)
      const rest = whole.subarray(lineBytes + 1)
      pieces = [rest]
      bytesCount = rest.length
    }
    if (bytesCount > limits.payloadBytesMax) {
      done(blocked(`the hook's payload has more than ${limits.payloadBytesMax} bytes`))
    }
  })
  socket.on('end', () => done(header === null ? unknownForm : { header, payload: pieces }))
}

const seeDoctor = 'run `pawl doctor`'
const unknownForm = blocked(`the hook client and the daemon are not compatible; ${seeDoctor}`)
const wrongSecret = blocked(
  'this hook has no valid secret for its folder; run `pawl init` there to renew the hooks',
)

async function answerAsk(
  { answer, onFault }: Door,
  ask: HookMessage,
  signal: AbortSignal,
): Promise<HookOutput> {
  const { token: _, ...asked } = ask.header
  let payload: string
  try {
    payload = payloadTextOf(Buffer.concat(ask.payload))
  } catch {
    return blocked("the hook's payload is not valid UTF-8")
  }
  try {
    return await answer({ ...asked, payload }, signal)
  } catch (fault) {
    onFault?.(fault)
    return blocked(`an internal error; ${seeDoctor}`)
  }
}
