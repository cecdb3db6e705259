/**
 * A server that is a program of its own: one message per line over its standard streams.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../core/json.ts'
import { openMessageLines } from '../doors/api/message-lines.ts'
import { codeOf } from '../runtime/code-of.ts'
import { gathered } from './gathered.ts'
import { readMessage } from './json-rpc.ts'
import type { Launch } from './launch.ts'
import {
  type Ears,
  type Ending,
  messageBytesMax,
  openRedactor,
  parseClean,
  type Wire,
} from './wire.ts'

type Program = Extract<Launch, { kind: 'stdio' }>

/** How long a program may take to end once its input is closed, and once it is told to. */
const endMsMax = 1_000
/** What is kept of what it says beside the protocol. */
const lastWordsChars = 600
/** Bytes that wait to be read by the program; a server that does not read is hanging. */
const waitingBytesMax = 64 * 1024 * 1024

/** WHY a group of its own: a starter such as `npx` has children, which end with it. */
const isGrouped = process.platform !== 'win32'

/** Starts the program. */
export function openStdioUpstream(program: Program, ears: Ears): Wire {
  const { command, args, cwd, env, secrets } = program
  const redact = openRedactor(secrets)
  const child = spawn(command, [...args], { cwd, env, stdio: 'pipe', detached: isGrouped })
  const { write, flush } = gathered(child.stdin)
  let words = ''
  let isOver = false
  const end = (why: Ending): void => {
    if (isOver) return
    isOver = true
    ears.onEnd(why)
  }
  const lost = (reason: string): void => {
    const said = words.trim() === '' ? '' : `; it said: ${redact(words.trim())}`
    end({ code: 'UPSTREAM_LOST', reason: `${reason}${said}` })
  }
  const cut = openMessageLines(messageBytesMax, (line) => {
    if (isOver) return
    if (line !== 'too long')
      return hear(valueIn(line.toString(), secrets.length > 0 ? redact : null), ears)
    end({ code: 'UPSTREAM_FLOOD', reason: `it sent a message of over ${messageBytesMax} bytes` })
    void stop(child)
  })
  child.stdout.on('data', cut)
  child.stderr.on('data', (text: Buffer) => {
    words = `${words}${text.toString()}`.slice(-lastWordsChars)
  })
  child.stdin.on('error', () => undefined)
  child.on('error', (fault) => lost(`it cannot be started: ${codeOf(fault)}`))
  child.on('close', (code, signal) => lost(`it has ended (${signal ?? `exit code ${code}`})`))
  return {
    send: (message) => {
      if (isOver) return
      write(`${JSON.stringify(message)}\n`)
      if (child.stdin.writableLength <= waitingBytesMax) return
      end({ code: 'UPSTREAM_TIMEOUT', reason: 'it does not read what it is sent' })
      void stop(child)
    },
    agree: () => undefined,
    close: () => {
      isOver = true
      flush()
      return stop(child)
    },
  }
}

/** Null: WHY no end: programs print greetings; nobody waits for what is no message. */
function valueIn(text: string, redact: ((text: string) => string) | null): Json {
  try {
    return redact === null ? (JSON.parse(text) as Json) : parseClean(text, redact)
  } catch {
    return null
  }
}

function hear(value: Json, ears: Ears): void {
  const message = readMessage(value)
  if (message !== null) ears.onMessage(message)
}

/** Closes its input, then tells it to end, then ends it. */
async function stop(child: ChildProcess): Promise<void> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  if (child.pid === undefined) return
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (isGrouped) process.kill(-(child.pid as number), signal)
      else child.kill(signal)
    } catch {
      // It was faster.
    }
  }
  child.stdin?.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const over = performance.now() + endMsMax; performance.now() < over; ) {
      if (hasEnded()) break
      await sleep(20)
    }
    if (hasEnded() && signal === 'SIGTERM') return
    kill(signal)
  }
}
