/** Parses lines of the socket as requests, and prints answers as lines. */
import { parseJson } from '../api/parse-json.ts'
import { type ProblemDocument, problem } from '../api/problem.ts'

export type SocketFrame = {
  /** Comes back with the answer. */
  readonly id: string | number
  readonly op: string
  readonly token: string
  readonly commandId: string | null
  readonly traceparent: string | null
  readonly input: unknown
}

type FrameReading =
  | { readonly ok: true; readonly frame: SocketFrame }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** The question on a line; whoever sends something else does not speak our language. */
export function readFrame(line: Buffer): FrameReading {
  const parsed = parseJson(line)
  if (!parsed.ok) return parsed
  const { value } = parsed
  if (typeof value !== 'object' || value === null || !('id' in value) || !('op' in value)) {
    return odd('a line must be an object with `id` and `op`')
  }
  const { id, op, token = '', commandId = null, traceparent = null, input = {} } = value
  if (typeof id !== 'string' && typeof id !== 'number')
    return odd('`id` must be a string or a number')
  if (typeof op !== 'string' || typeof token !== 'string')
    return odd('`op` and `token` must be strings')
  if (commandId !== null && typeof commandId !== 'string')
    return odd('`commandId` must be a string')
  if (traceparent !== null && typeof traceparent !== 'string')
    return odd('`traceparent` must be a string')
  return { ok: true, frame: { id, op, token, commandId, traceparent, input } }
}

function odd(detail: string): FrameReading {
  return { ok: false, problem: problem('REQUEST_INVALID', { detail, status: 400 }) }
}

/** The line of an answer. */
export function answerLine(id: string | number, output: unknown): string {
  return `${JSON.stringify({ id, ok: true, output })}\n`
}

/** The line of one message of a stream; null: nothing new, and still here. */
export function eventLine(id: string | number, event: unknown): string {
  return `${JSON.stringify({ id, ok: true, event })}\n`
}

/** The line of a problem; an id of null means the whole connection. */
export function problemLine(id: string | number | null, why: ProblemDocument): string {
  return `${JSON.stringify({ id, ok: false, problem: why })}\n`
}
