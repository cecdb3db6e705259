/**
 * Patterns from definitions: regular expressions in linear time.
 * Knows re2js. Must not know fields or findings.
 */
import { RE2JS } from 're2js'
import { newCache } from './bounded-cache.ts'
import { compiledMax } from './meter.ts'
import { patternWeight } from './pattern-weight.ts'

/** The longest pattern. */
export const patternCharsMax = 1000
/** The largest program that a pattern may become: `(a{100}){100}` is short but large. */
const patternWeightMax = 5000
/** Pattern size times text length that a match may cost; beyond it nothing matches. */
const matchWorkMax = 20_000_000

type Compiled =
  | { readonly ok: true; readonly program: RE2JS; readonly weight: number }
  | { readonly ok: false; readonly reason: string }

const compiled = newCache<Compiled>(compiledMax, compileText)

/** Whether a pattern can be used, or why not. */
export function compilePattern(text: string): { ok: true } | { ok: false; reason: string } {
  const known = compiled.get(text)
  return known.ok ? { ok: true } : { ok: false, reason: known.reason }
}

/** Whether a pattern is found anywhere in a text. A pattern that cannot be used matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const known = compiled.get(pattern)
  if (!known.ok || known.weight * text.length > matchWorkMax) return false
  return known.program.test(text)
}

/** What a match of this pattern costs per character of the text; 0 when it cannot be used. */
export function patternCost(pattern: string): number {
  const known = compiled.get(pattern)
  return known.ok ? known.weight : 0
}

function compileText(text: string): Compiled {
  if (text.length > patternCharsMax) {
    return { ok: false, reason: `the pattern is longer than ${patternCharsMax} characters` }
  }
  const weight = patternWeight(text)
  if (weight > patternWeightMax) {
    return { ok: false, reason: 'the pattern repeats too much' }
  }
  const missing = unsupported(text)
  if (missing !== null) return { ok: false, reason: missing }
  try {
    return { ok: true, program: RE2JS.compile(inRe2(text)), weight }
  } catch (problem) {
    return { ok: false, reason: problem instanceof Error ? problem.message : String(problem) }
  }
}

/** What ECMA-262 has and linear time cannot: said in words instead of the engine's. */
function unsupported(text: string): string | null {
  const bare = text.replace(/\\\\/g, '')
  if (/\(\?<?[=!]/.test(bare)) return 'lookahead and lookbehind are not supported'
  if (/\\[1-9]|\\k</.test(bare)) return 'backreferences are not supported'
  return null
}

/** The spellings of ECMA-262 that the engine has under another name. */
function inRe2(text: string): string {
  return text.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|c([A-Za-z])|(.))/gs,
    (...[whole, point, unit, control, other]: string[]) => {
      const hex = point ?? unit
      if (hex !== undefined) return `\\x{${hex}}`
      if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`
      if (other === '/' || other === '-') return `\\${other}`
      return whole ?? ''
    },
  )
}
