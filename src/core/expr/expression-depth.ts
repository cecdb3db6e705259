/**
 * How deeply an expression nests, computed from its characters alone.
 * WHY: the parsers recurse; this runs before them, in one pass, so that no text can exhaust the
 * stack.
 * Knows brackets, quotes and signs. Must not know a language's grammar.
 */
import { exprCharsMax, nestingMax } from './meter.ts'

export type Misfit = { readonly reason: string; readonly offset: number }

type Frame = {
  /** The depth outside of the bracket. */
  readonly outside: number
  /** Whether the bracket stands behind a value, so that what follows belongs to it. */
  readonly isPostfix: boolean
  /** `a ? b : c ? …` nests to the right until the bracket closes. */
  choices: number
}

/** Why a text is not even given to the parser, or null. */
export function depthProblem(text: string): Misfit | null {
  if (text.length > exprCharsMax) {
    return {
      reason: `the expression is longer than ${exprCharsMax} characters`,
      offset: exprCharsMax,
    }
  }
  const offset = tooDeepAt(text)
  return offset < 0
    ? null
    : { reason: `the expression is nested more than ${nestingMax} levels deep`, offset }
}

function tooDeepAt(text: string): number {
  const outermost: Frame = { outside: -1, isPostfix: false, choices: 0 }
  const frames: Frame[] = [outermost]
  let depth = 0
  let isAfterValue = false
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? ''
    const frame = frames.at(-1) ?? outermost
    if (isBlank(char)) continue
    if (isQuote(char)) {
      i = endOfQuoted(text, i)
      isAfterValue = true
    } else if ('([{'.includes(char)) {
      frames.push({ outside: depth, isPostfix: isAfterValue, choices: 0 })
      depth += 1
      isAfterValue = false
    } else if (')]}'.includes(char)) {
      if (frames.length > 1) frames.pop()
      depth = Math.max(0, frame.outside) + (frame.isPostfix && char === ']' ? 1 : 0)
      isAfterValue = true
    } else if (char === ',' || char === '|' || text.startsWith('&&', i)) {
      if (char === ',') frame.choices = 0
      if (char === '&') i += 1
      depth = frame.outside + 1 + frame.choices
      isAfterValue = false
    } else if (char === '?') {
      frame.choices += 1
      depth += 1
      isAfterValue = false
    } else {
      const isSign = '!&+-*<>=/%:'.includes(char)
      if (isSign && !isAfterValue && '!&+-*'.includes(char)) depth += 1
      // A wildcard is a value; every other sign waits for one. So does a dot before a wildcard.
      isAfterValue = isSign ? char === '*' && !isAfterValue : char !== '.'
    }
    if (depth > nestingMax) return i
  }
  return -1
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === '\r'
}

function isQuote(char: string): boolean {
  return char === "'" || char === '"' || char === '`'
}

function endOfQuoted(text: string, start: number): number {
  const quote = text[start] ?? ''
  const mark = text.startsWith(quote.repeat(3), start) && quote !== '`' ? quote.repeat(3) : quote
  const before = text[start - 1]
  const isRaw = before === 'r' || before === 'R'
  for (let i = start + mark.length; i < text.length; i += 1) {
    if (text[i] === '\\' && !isRaw) i += 1
    else if (text.startsWith(mark, i)) return i + mark.length - 1
  }
  return text.length
}
