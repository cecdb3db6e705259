/**
 * Calls to judge, one JSON object per line. Knows lines. Must not know what is judged.
 */
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { closestName } from '../../../core/closest-name.ts'
import type { JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import { statOf } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'
import { parseJsonValue, type Trouble } from '../play/read-data.ts'
import { linesOf } from '../play/stream-lines.ts'

/** Lines of one file of calls, and characters of one line. */
const callLinesMax = 100_000
export const callCharsMax = 2_000_000

type SpokenCall = {
  readonly tool: string
  readonly input: JsonObject
  /** Null: the stage of the command line. */
  readonly stage: string | null
}

export type CallLine = {
  /** From 1. */
  readonly line: number
  readonly call: SpokenCall | Trouble
}

/** The calls of a file, or of the standard input for `-`; empty lines are passed over. */
export async function* readCalls(name: string, io: Io): AsyncGenerator<CallLine> {
  let line = 0
  for await (const text of linesOf(streamOf(name, io), callCharsMax)) {
    line += 1
    if (line > callLinesMax) {
      const hint = 'split the file'
      throw new PawlError('USAGE', `a file can have at most ${callLinesMax} calls`, { hint })
    }
    if (text.trim() !== '') yield { line, call: callIn(text) }
  }
}

function streamOf(name: string, io: Io): NodeJS.ReadableStream {
  if (name === '-') return io.input
  const path = resolve(io.cwd, name)
  if (!statOf(path, name).isFile()) {
    const hint = 'name a file with one call per line, or `-` for standard input'
    throw new PawlError('FILE_UNREADABLE', `\`${name}\` is not a regular file`, { hint })
  }
  return createReadStream(path)
}

const keys = ['tool', 'input', 'stage']
const form = 'write one object per line: {"tool": "Bash", "input": {"command": "npm test"}}'

function callIn(text: string): SpokenCall | Trouble {
  if (text.length > callCharsMax) {
    return {
      message: `the line has more than ${callCharsMax} characters`,
      hint: 'shorten the input',
    }
  }
  const fields = asObject(parseJsonValue(text))
  if (fields === null) return { message: 'the line is not a JSON object', hint: form }
  const unknown = Object.keys(fields).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    const near = closestName(unknown, keys)
    const hint = near === null ? `the fields are ${keys.join(', ')}` : `did you mean \`${near}\`?`
    return { message: `a call has no field \`${unknown}\``, hint }
  }
  const tool = own(fields, 'tool')
  const stage = own(fields, 'stage') ?? null
  if (typeof tool !== 'string') return { message: '`tool` is not a string', hint: form }
  if (stage !== null && typeof stage !== 'string') {
    return { message: '`stage` is not a string', hint: form }
  }
  // WHY the cast: an input of the wrong kind is for the guard to judge, not for the door to refuse.
  return { tool, input: (own(fields, 'input') ?? {}) as JsonObject, stage }
}
