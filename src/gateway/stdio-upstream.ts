/** A server that is a child process: one message per line over its standard streams. */
import { spawn } from 'node:child_process'
import type { Json } from '../core/json.ts'
import { openMessageLines } from '../doors/api/message-lines.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { openBatchedWriter } from './batched-writer.ts'
import { readRpcMessage } from './json-rpc.ts'
import { killProcessTree, watchProcesses } from './kill-process-tree.ts'
import type { Launch } from './launch-settings.ts'
import {
  gatewayMessageBytesMax,
  openRedactor,
  parseClean,
  type UpstreamWire,
  type WireEnd,
  type WireListeners,
} from './server-transport.ts'

type Program = Extract<Launch, { kind: 'stdio' }>

/** What is kept of what it says beside the protocol. */
const lastWordsChars = 600
/** Bytes that wait to be read by the program; a server that does not read is hanging. */
const waitingBytesMax = 64 * 1024 * 1024

/** Starts the program. */
export function openStdioUpstream(program: Program, ears: WireListeners): UpstreamWire {
  const { command, args, cwd, secrets } = program
  const redact = openRedactor(secrets)
  const leash = watchProcesses()
  const env = { ...program.env, ...leash.env }
  const child = spawn(command, [...args], { cwd, env, stdio: 'pipe', detached: leash.detached })
  const stop = (): Promise<void> => killProcessTree(child, leash)
  const { write, flush } = openBatchedWriter(child.stdin)
  let words = ''
  let isOver = false
  const end = (why: WireEnd): void => {
    if (isOver) return
    isOver = true
    ears.onEnd(why)
  }
  const lost = (reason: string): void => {
    const said = words.trim() === '' ? '' : `; its output: ${redact(words.trim())}`
    end({ code: 'UPSTREAM_LOST', reason: `${reason}${said}` })
  }
  const cut = openMessageLines(gatewayMessageBytesMax, (line) => {
    if (isOver) return
    if (line !== 'too long')
      return hear(valueIn(line.toString(), secrets.length > 0 ? redact : null), ears)
    end({
      code: 'UPSTREAM_FLOOD',
      reason: `it sent a message of more than ${gatewayMessageBytesMax} bytes`,
    })
    void stop()
  })
  child.stdout.on('data', cut)
  child.stderr.on('data', (text: Buffer) => {
    words = `${words}${text.toString()}`.slice(-lastWordsChars)
  })
  child.stdin.on('error', () => undefined)
  child.on('error', (fault) => lost(`it failed to start: ${errorCodeOf(fault)}`))
  child.on('close', (code, signal) => lost(`it exited (${signal ?? `exit code ${code}`})`))
  return {
    send: (message) => {
      if (isOver) return
      write(`${JSON.stringify(message)}\n`)
      if (child.stdin.writableLength <= waitingBytesMax) return
      end({ code: 'UPSTREAM_TIMEOUT', reason: 'it does not read its input' })
      void stop()
    },
    agree: () => undefined,
    close: () => {
      isOver = true
      flush()
      return stop()
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

function hear(value: Json, ears: WireListeners): void {
  const message = readRpcMessage(value)
  if (message !== null) ears.onMessage(message)
}
