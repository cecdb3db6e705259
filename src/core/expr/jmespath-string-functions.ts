/**
 * The functions of JMESPath on strings.
 * Knows calls and the meter. Must not know trees.
 */
import type { Json } from '../json.ts'
import {
  type FunctionCall,
  numberArgument,
  numberOfItems,
  textArgument,
  textListArgument,
} from './jmespath-call.ts'
import { charge, chargeText, checkListItems, checkTextChars, fault } from './meter.ts'

/** The order of texts: by code points. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i += 1) {
    const difference = rank(left.charCodeAt(i)) - rank(right.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Texts are ordered by code points, so the halves of large ones rank above all others. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** The order of two numbers or two texts. */
export function compareKeys(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return compareTexts(String(left), String(right))
}

/** A text made as wide as wanted. */
export function padText(call: FunctionCall, side: 'left' | 'right'): string {
  const subject = textArgument(call, 0)
  const missing = Math.max(0, (numberOfItems(call, 1) ?? 0) - [...subject].length)
  const filler = call.values.length > 2 ? textArgument(call, 2) : ' '
  if ([...filler].length !== 1) fault('the padding must be one character')
  checkTextChars(subject.length + missing * filler.length)
  chargeText(call.meter, missing)
  const padding = filler.repeat(missing)
  return side === 'left' ? padding + subject : subject + padding
}

/** A text with parts of it replaced. */
export function replaceText(call: FunctionCall): string {
  const parts = splitText(call, textArgument(call, 1), numberOfItems(call, 3))
  const by = textArgument(call, 2)
  checkTextChars(parts.reduce((sum, part) => sum + part.length + by.length, 0))
  return parts.join(by)
}

/** The parts of the first text around a separator, at most `most` cuts. */
export function splitText(
  call: FunctionCall,
  separator: string,
  most: number | undefined,
): string[] {
  chargeText(call.meter, textArgument(call, 0).length)
  const parts =
    separator === '' ? [...textArgument(call, 0)] : textArgument(call, 0).split(separator)
  checkListItems(parts.length)
  charge(call.meter, parts.length)
  if (most === undefined || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(separator)]
}

/** Texts joined by another. */
export function joinTexts(call: FunctionCall): string {
  const glue = textArgument(call, 0)
  let chars = 0
  for (const part of textListArgument(call, 1)) chars += part.length + glue.length
  checkTextChars(chars)
  chargeText(call.meter, chars)
  return textListArgument(call, 1).join(glue)
}

/** A text without what is dropped at its ends. */
export function trimText(call: FunctionCall, sides: 'left' | 'right' | 'both'): string {
  const chars = [...textArgument(call, 0)]
  const dropped =
    call.values.length > 1 && textArgument(call, 1) !== '' ? new Set(textArgument(call, 1)) : null
  const isDropped = (char: string | undefined): boolean =>
    char !== undefined && (dropped === null ? /[\s\u0085]/.test(char) : dropped.has(char))
  let start = 0
  let end = chars.length
  if (sides !== 'right') while (start < end && isDropped(chars[start])) start += 1
  if (sides !== 'left') while (end > start && isDropped(chars[end - 1])) end -= 1
  return chars.slice(start, end).join('')
}

/** Where a text stands in another, or null. */
export function findText(call: FunctionCall, way: 'first' | 'last'): Json {
  const subject = textArgument(call, 0)
  if (subject === '' || textArgument(call, 1) === '') return null
  const [from, to] = [bound(call, 2, 0), bound(call, 3, subject.length)]
  const part = subject.slice(from, to)
  const at =
    way === 'first' ? part.indexOf(textArgument(call, 1)) : part.lastIndexOf(textArgument(call, 1))
  return at < 0 ? null : at + from
}

function bound(call: FunctionCall, i: number, otherwise: number): number {
  if (call.values.length <= i) return otherwise
  const value = numberArgument(call, i)
  if (!Number.isInteger(value)) fault(`argument ${i + 1} must be a whole number`)
  return Math.min(Math.max(value, 0), textArgument(call, 0).length)
}

/** A text whose letters were changed: some grow when they are. */
export function changeCase(call: FunctionCall, changed: string): string {
  checkTextChars(changed.length)
  chargeText(call.meter, changed.length)
  return changed
}
