/**
 * The protocol between hook client and daemon. The client sends one header line and the host's
 * payload. The daemon sends beats while it decides, then one line and the output to print. Imports
 * nothing but Node, because a client starts on every tool call. `client/pawl-hook.c` implements
 * the same protocol: change both together.
 */
import type { HookOutput } from '../api/hook-exchange.ts'

export const headerBytesMax = 8 * 1024
export const payloadBytesMax = 16 * 1024 * 1024
/** Of both outputs together. */
export const answerBytesMax = 1024 * 1024
/** A client that hears nothing for so long takes the daemon for hung. */
export const hookSilenceMsMax = 5_000
/** The whole life of a client: less than the limit that is set in the host, which lets pass. */
export const clientMsMax = 55_000
/** Says that an answer is still to come. */
export const beat = '~\n'

/** What stands in front of a payload. */
export type HookHeader = {
  readonly token: string
  readonly host: string
  readonly workspace: string | null
  readonly runId: string | null
  /** The hook of a user, which is started in every folder; `workspace` is where the host is. */
  readonly scope?: 'user'
}

/** Stands in front of the folder of a user's hook. */
const userMark = 'user:'
const headerForm = /^PAWL-HOOK 1 ([!-~]+) ([a-z][a-z0-9-]{0,31}) ([!-~]+) ([!-~]+)$/
const hostForm = /^[a-z][a-z0-9-]{0,31}$/
const answerForm = /^PAWL 1 ([02]) (0|[1-9]\d{0,6}) (0|[1-9]\d{0,6})\n/
/** The longest line that an answer can begin with. */
const answerLineBytesMax = 32

/** Whether a name can be one of a host; whether there is such a host is not known here. */
export function isHostName(name: string): boolean {
  return hostForm.test(name)
}

/** The line in front of a payload, with its end. */
export function printHeader({ token, host, workspace, runId, scope }: HookHeader): string {
  const folder = `${scope === 'user' ? userMark : ''}${printField(workspace)}`
  return `PAWL-HOOK 1 ${token} ${host} ${folder} ${printField(runId)}\n`
}

/** Reads such a line, without its end; null: it is none. */
export function parseHeader(line: string): HookHeader | null {
  const [, token, host, workspace, runId] = headerForm.exec(line) ?? []
  if (token === undefined || host === undefined) return null
  try {
    const isUser = workspace?.startsWith(userMark) === true
    const folder = parseField(isUser ? workspace?.slice(userMark.length) : workspace)
    const whose = { token, host, workspace: folder, runId: parseField(runId) }
    return isUser ? { ...whose, scope: 'user' } : whose
  } catch {
    // Bytes that are no text.
    return null
  }
}

function printField(value: string | null): string {
  return value === null ? '-' : encodeURIComponent(value)
}

function parseField(text: string | undefined): string | null {
  return text === undefined || text === '-' ? null : decodeURIComponent(text)
}

/** A refusal by Pawl itself: every host takes it for one. */
export function blocked(why: string): HookOutput {
  return { exit: 2, stdout: '', stderr: `Pawl: blocked: ${why}\n` }
}

/**
 * An answer as bytes.
 * INVARIANT: what blocks has words on stderr and nothing on stdout: else some hosts run the call.
 */
export function printAnswer(output: HookOutput): Buffer {
  const { exit, stdout, stderr } = sound(output)
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)]
  if (out.length + err.length > answerBytesMax) {
    return printAnswer(blocked(`the answer has more than ${answerBytesMax} bytes`))
  }
  const line = `PAWL 1 ${exit} ${out.length} ${err.length}\n`
  return Buffer.concat([Buffer.from(line), out, err])
}

function sound(output: HookOutput): HookOutput {
  if (output.exit === 0) return output
  return output.stderr.trim() === ''
    ? blocked('no reason was given')
    : { exit: 2, stdout: '', stderr: output.stderr }
}

/** Reads all that a daemon has said, beats and answer; null: it is not of that form. */
export function parseAnswer(bytes: Buffer): HookOutput | null {
  let begin = 0
  while (bytes[begin] === 0x7e && bytes[begin + 1] === 0x0a) begin += beat.length
  const line = bytes.subarray(begin, begin + answerLineBytesMax).toString('latin1')
  const found = answerForm.exec(line)
  if (found === null) return null
  const [out, err] = [Number(found[2]), Number(found[3])]
  const body = bytes.subarray(begin + found[0].length)
  if (out + err > answerBytesMax || body.length !== out + err) return null
  const exit = found[1] === '0' ? 0 : 2
  if (exit === 2 && (out > 0 || err === 0)) return null
  try {
    return {
      exit,
      stdout: payloadTextOf(body.subarray(0, out)),
      stderr: payloadTextOf(body.subarray(out)),
    }
  } catch {
    // Bytes that are no text.
    return null
  }
}

/** The text that bytes are; throws where they are none. */
export function payloadTextOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
