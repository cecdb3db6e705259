/**
 * The limits of evaluation, and the meter that keeps one evaluation inside them.
 * Knows JSON values and numbers. Must not know languages or scopes.
 */
import { emptyRecord, type Json, type JsonObject, own } from '../json.ts'

/** The longest expression, in UTF-16 units. */
export const exprCharsMax = 4000
/** How deep brackets, prefix signs and the like may nest in an expression. */
export const nestingMax = 64
/** How deep the tree of a parsed expression may be: long chains of `||` or `+` are deep, too. */
export const treeDepthMax = 600
/** What one evaluation may cost; a unit is about one visited node or sixteen copied characters. */
export const workMax = 100_000
/** The longest text that an expression may build. */
export const textCharsMax = 100_000
/** The longest list that an expression may build. */
const listItemsMax = 20_000
/** The largest result: its JSON text, roughly. */
export const resultCharsMax = 400_000
/** How deep data may nest for an expression to look at it. */
export const exprDataDepthMax = 200
/** How many compiled expressions (and patterns) are kept, per language. */
export const compiledMax = 500

/** What an evaluation may still spend. The only thing in this room that is changed in place. */
export type WorkMeter = { left: number }

/** A full meter. */
export function newMeter(): WorkMeter {
  return { left: workMax }
}

/** Ends the evaluation with a reason; `evaluate` turns it into a value. */
export function fault(reason: string): never {
  throw new Error(reason)
}

/** Takes from the meter; the evaluation ends when nothing is left. */
export function charge(meter: WorkMeter, units: number): void {
  meter.left -= units
  if (meter.left < 0) fault('the expression does too much work')
}

/** Takes for text that is read or copied. */
export function chargeText(meter: WorkMeter, chars: number): void {
  charge(meter, 1 + chars / 16)
}

/** Refuses a text that is too long, before it is built. */
export function checkTextChars(chars: number): void {
  if (chars > textCharsMax)
    fault(`the expression builds a string of more than ${textCharsMax} characters`)
}

/** Refuses a list that is too long, before it is built. */
export function checkListItems(items: number): void {
  if (items > listItemsMax) fault(`the expression builds a list of more than ${listItemsMax} items`)
}

/** Takes for a look at every node of a value. Shared parts count each time they are met. */
function chargeValue(meter: WorkMeter, value: Json, depth = 0): void {
  if (typeof value === 'string') chargeText(meter, value.length)
  else charge(meter, 1)
  if (typeof value !== 'object' || value === null) return
  checkDepth(depth)
  if (Array.isArray(value)) {
    for (const item of value) chargeValue(meter, item, depth + 1)
    return
  }
  for (const [key, member] of Object.entries(value)) {
    chargeText(meter, key.length)
    chargeValue(meter, member, depth + 1)
  }
}

/** Refuses data that nests too deeply to be walked. */
export function checkDepth(depth: number): void {
  if (depth > exprDataDepthMax) fault(`a value is nested more than ${exprDataDepthMax} levels deep`)
}

/** Deep equality that pays for every pair it looks at: values may share parts many times over. */
export function equalMetered(left: Json, right: Json, meter: WorkMeter): boolean {
  return isEqual(left, right, { meter, depth: 0 })
}

function isEqual(left: Json, right: Json, at: { meter: WorkMeter; depth: number }): boolean {
  charge(at.meter, 1)
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null) return false
  checkDepth(at.depth)
  const below = { meter: at.meter, depth: at.depth + 1 }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, i) => isEqual(item, right[i] as Json, below))
  }
  const [a, b] = [left as JsonObject, right as JsonObject]
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => {
    const other = own(b, key)
    return other !== undefined && isEqual(a[key] as Json, other, below)
  })
}

/** Pays for writing a value as JSON, then writes it. */
export function jsonText(value: Json, meter: WorkMeter): string {
  chargeValue(meter, value)
  return JSON.stringify(value)
}

/**
 * The result as data of its own: without prototypes, without shared parts, without numbers that
 * JSON cannot write, and not too large.
 */
export function settleMeter(value: Json): Json {
  const size = { chars: 0 }
  return copy(value, size, 0)
}

function copy(value: Json, size: { chars: number }, depth: number): Json {
  size.chars += typeof value === 'string' ? value.length + 2 : 2
  if (size.chars > resultCharsMax) {
    fault(`the result is larger than ${resultCharsMax} characters of JSON`)
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) fault('the result is not a finite number')
    return value === 0 ? 0 : value
  }
  if (typeof value !== 'object' || value === null) return value
  checkDepth(depth)
  if (Array.isArray(value)) return value.map((item) => copy(item, size, depth + 1))
  const record = emptyRecord<Json>()
  for (const [key, member] of Object.entries(value)) {
    size.chars += key.length + 2
    record[key] = copy(member, size, depth + 1)
  }
  return record
}
