/**
 * Values that options carry: `--var key=value`, `--data JSON`, numbers of seconds.
 */
import type { JsonObject } from '../../../core/json.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { usage } from '../options.ts'
import { parseJsonValue, readData } from '../play/read-data.ts'

/** One object of `key=value` texts, each a value of its own; a value is JSON where it can be. */
export function readPairs(option: string, texts: readonly string[]): JsonObject {
  let values: JsonObject = {}
  for (const text of texts) values = { ...values, ...pairOf(option, text) }
  return values
}

/** WHY not by spaces: the shell has put the words together that belong together. */
function pairOf(option: string, text: string): JsonObject {
  const at = text.indexOf('=')
  if (at < 1) {
    throw new PawlError('USAGE', `\`${option} ${text}\` is not KEY=VALUE`, {
      hint: `write it like \`${option} name=value\``,
    })
  }
  const value = text.slice(at + 1)
  const parsed = parseJsonValue(value)
  return { [text.slice(0, at)]: parsed === undefined ? value : parsed }
}

/** The object in `--data`; null when there is none. */
export function readObject(option: string, text: string | null): JsonObject | null {
  if (text === null) return null
  const read = readData(text)
  if (read.ok) return read.data
  const { message, hint } = read.trouble
  throw new PawlError('USAGE', `\`${option}\`: ${message}`, { hint })
}

/** The values of `--data` and of each `--var`; the latter win. */
export function readVars(values: {
  readonly data: string | null
  readonly var: readonly string[]
}): JsonObject {
  return { ...readObject('--data', values.data), ...readPairs('--var', values.var) }
}

/** Seconds as milliseconds; null when there are none. */
export function readSeconds(verb: string, text: string | null): number | null {
  if (text === null) return null
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds >= 0) return Math.round(seconds * 1_000)
  throw usage(verb, `\`--timeout\` must be a number of seconds, not \`${text}\``)
}

type Bounded = { readonly name: string; readonly value: string | null; readonly max: number }

/** A whole number from 0; null when there is none. */
export function readCount(verb: string, { name, value, max }: Bounded): number | null {
  if (value === null) return null
  const count = Number(value)
  if (/^\d+$/.test(value) && count <= max) return count
  throw usage(verb, `\`--${name}\` must be a whole number up to ${max}, not \`${value}\``)
}
