/**
 * The hook client in Node. It is used where the compiled client is missing, and when no daemon is
 * running, because it can start one. It follows the rules of `pawl-hook.c` and imports nothing but
 * Node and the wire, because it starts on every tool call.
 */
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HookOutput } from '../../api/hook-exchange.ts'
import {
  answerBytesMax,
  blocked,
  clientMsMax,
  headerBytesMax,
  hookSilenceMsMax,
  isHostName,
  parseAnswer,
  payloadBytesMax,
  printHeader,
} from '../hook-wire.ts'

type HookMeans = {
  /** Where the daemon listens for hooks. */
  readonly socket: string
  /** Makes sure that a daemon listens. */
  readonly ensure: () => Promise<void>
  readonly token: () => string
  /** What the host gives to its hook. */
  readonly input: NodeJS.ReadableStream
  /** For the hook of a user: whether what is asked has to do with a guarded folder. */
  readonly isConcerned?: (payload: Buffer) => boolean
  readonly limits?: Partial<ClientLimits>
}

export type HookClientRequest = {
  readonly host: string
  readonly workspace: string | null
  readonly runId: string | null
  readonly scope?: 'user'
}

type ClientLimits = { readonly silenceMs: number; readonly totalMs: number }

/** Daemons that may end before they have answered. */
const daemonsMax = 3
/** How long a daemon that runs may take to listen for hooks, and how often that is tried. */
const listenMsMax = 10_000
const listenRetryMs = 50
/** Beats that come before an answer, and its line. */
const preambleBytesMax = 4 * 1024
const limitsDefault: ClientLimits = { silenceMs: hookSilenceMsMax, totalMs: clientMsMax }

/** Asks the daemon. Never rejects: whatever goes wrong is a refusal with words. */
export async function askDaemon(means: HookMeans, ask: HookClientRequest): Promise<HookOutput> {
  const limits = { ...limitsDefault, ...means.limits }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<HookOutput>((resolve) => {
    timer = setTimeout(() => resolve(cannot('it took too long')), limits.totalMs)
  })
  try {
    return await Promise.race([late, carry(means, ask, limits)])
  } catch (fault) {
    return cannot(faultText(fault))
  } finally {
    clearTimeout(timer)
  }
}

async function carry(
  means: HookMeans,
  ask: HookClientRequest,
  limits: ClientLimits,
): Promise<HookOutput> {
  if (!isHostName(ask.host)) return cannot(`\`${ask.host}\` is not a valid host name`)
  const payload = await readPayload(means.input, limits)
  if (means.isConcerned?.(Buffer.concat(payload)) === false) return silence
  for (let daemons = 1; daemons <= daemonsMax; daemons += 1) {
    const socket = await connect(means)
    const header = printHeader({ token: means.token(), ...ask })
    if (header.length > headerBytesMax) {
      socket.destroy()
      return cannot('the path of the workspace, or PAWL_RUN, is too long')
    }
    const heard = await speak(socket, [Buffer.from(header), ...payload], limits)
    // Nothing but beats: it has ended before it could answer, and the next one is asked.
    if (!beatsAlone.test(heard.toString('latin1', 0, preambleBytesMax))) {
      return parseAnswer(heard) ?? cannot("the daemon's answer is damaged")
    }
  }
  return cannot('the daemon closed the connection without an answer')
}

/** Neither an answer nor a refusal: the host goes on as if there were no hook. */
const silence: HookOutput = { exit: 0, stdout: '', stderr: '' }

const beatsAlone = /^(?:~\n)*~?$/

function readPayload(
  input: NodeJS.ReadableStream,
  { silenceMs }: ClientLimits,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytesCount = 0
    const fail = (why: string): void => reject(new Error(`the payload of the host ${why}`))
    const timer = setTimeout(() => fail('did not end in time'), silenceMs)
    input.on('data', (piece: Buffer | string) => {
      timer.refresh()
      const bytes = Buffer.from(piece)
      pieces.push(bytes)
      bytesCount += bytes.length
      if (bytesCount > payloadBytesMax) fail('is too long')
    })
    input.on('error', () => fail('could not be read'))
    input.on('end', () => resolve(pieces))
    input.on('close', () => clearTimeout(timer))
  })
}

/** WHY again and again: one that was just ending, or beginning, is taken for one that listens. */
async function connect({ socket: path, ensure }: HookMeans): Promise<Socket> {
  for (const end = performance.now() + listenMsMax; ; ) {
    await ensure()
    try {
      return await connectOnce(path)
    } catch (cause) {
      if (performance.now() < end) {
        await sleep(listenRetryMs)
        continue
      }
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(
        `the daemon does not accept hooks (${why}); if it is an old one, run \`pawl stop\``,
      )
    }
  }
}

function connectOnce(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

/** Says all of it and hears until the other side closes. */
function speak(
  socket: Socket,
  words: readonly Buffer[],
  { silenceMs }: ClientLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytesCount = 0
    const fail = (why: string): void => {
      socket.destroy()
      reject(new Error(`the daemon ${why}`))
    }
    socket.setTimeout(silenceMs, () => fail('does not answer'))
    socket.on('data', (bytes) => {
      pieces.push(bytes)
      bytesCount += bytes.length
      if (bytesCount > answerBytesMax + preambleBytesMax) fail('sent an answer that is too long')
    })
    // It has hung up on us, and may have said why: what was heard has to be whole.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(pieces)))
    socket.on('end', () => socket.destroy())
    for (const word of words) socket.write(word)
    socket.end()
  })
}

function cannot(why: string): HookOutput {
  return blocked(`${why}; run \`pawl doctor\``)
}

/** One line of whatever was thrown, with what to do about it. */
function faultText(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault)
  const hint = fault instanceof Error && 'hint' in fault ? String(fault.hint) : ''
  return `${message}${hint === '' ? '' : ` (${hint})`}`.replace(/\s+/g, ' ').trim()
}
