import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern, matchesPattern, patternCharsMax } from './pattern.ts'
import { patternWeight } from './pattern-weight.ts'

test('a pattern matches anywhere unless it is anchored', () => {
  expect(matchesPattern('[A-Z]', 'abcD')).toBe(true)
  expect(matchesPattern('[A-Z]', 'abcd')).toBe(false)
  expect(matchesPattern('^[0-9]{5}$', '12345')).toBe(true)
  expect(matchesPattern('^[0-9]{5}$', '1234')).toBe(false)
  expect(matchesPattern('^[0-9]{5}$', '12345\n')).toBe(false)
  expect(matchesPattern('', 'x')).toBe(true)
})

test('spellings of ECMA-262 are understood', () => {
  expect(matchesPattern('^\\u00e9$', 'é')).toBe(true)
  expect(matchesPattern('^\\u{1F600}$', '😀')).toBe(true)
  expect(matchesPattern('^\\cA$', '\u0001')).toBe(true)
  expect(matchesPattern('^a\\/b$', 'a/b')).toBe(true)
  expect(matchesPattern('^a\\-b$', 'a-b')).toBe(true)
  expect(matchesPattern('^[\\w\\-]+$', 'a-b')).toBe(true)
  expect(matchesPattern('^\\\\u0041$', '\\u0041')).toBe(true)
  expect(matchesPattern('^(?<year>\\d{4})$', '2026')).toBe(true)
  expect(matchesPattern('^\\p{L}+$', 'Ünï')).toBe(true)
})

test.each([
  ['(?=a)', /lookahead/],
  ['(?!a)b', /lookahead/],
  ['(?<=a)b', /lookbehind/],
  ['(?<!a)b', /lookbehind/],
  ['(a)\\1', /backreferences/],
  ['(?<x>a)\\k<x>', /backreferences/],
  ['[', /./],
  ['(', /./],
  ['a**', /./],
  ['a{1001}', /./],
  ['((a{100}){100}){100}', /repeats too much/],
  [`(${'a'.repeat(500)}){900}`, /repeats too much/],
  ['a'.repeat(patternCharsMax + 1), /longer than/],
])('%.30s is refused with a reason and matches nothing', (pattern, reason) => {
  const compiled = compilePattern(pattern)
  expect(compiled.ok).toBe(false)
  if (!compiled.ok) expect(compiled.reason).toMatch(reason)
  expect(matchesPattern(pattern, 'aaab')).toBe(false)
})

test('a doubled backslash before a digit is not a reference', () => {
  expect(compilePattern('\\\\1').ok).toBe(true)
  expect(matchesPattern('\\\\1', '\\1')).toBe(true)
})

test('patterns that take other engines forever are answered at once', () => {
  const text = `${'a'.repeat(50_000)}!`
  expect(matchesPattern('(a+)+$', text)).toBe(false)
  expect(matchesPattern('(a|aa)+$', text)).toBe(false)
  expect(matchesPattern('(.*a){25}$', text)).toBe(false)
  expect(matchesPattern('^(([a-z])+.)+[A-Z]([a-z])+$', text)).toBe(false)
})

test('the weight counts repeats of repeats', () => {
  expect(patternWeight('abc')).toBeLessThan(10)
  expect(patternWeight('[^\\]a-z]{3}')).toBeLessThan(10)
  expect(patternWeight('(ab){100}')).toBeGreaterThan(200)
  expect(patternWeight('((a{10}){10}){10}')).toBeGreaterThan(1000)
})

test('any pattern is answered for any text', () => {
  const sign = fc.constantFrom(
    'a',
    '(',
    ')',
    '[',
    ']',
    '{2}',
    '{',
    '*',
    '+',
    '?',
    '\\',
    '|',
    '^',
    '$',
  )
  const pattern = fc.array(sign, { maxLength: 30 }).map((signs) => signs.join(''))
  fc.assert(
    fc.property(pattern, fc.string(), (one, other) => {
      expect(typeof matchesPattern(one, other)).toBe('boolean')
    }),
    { numRuns: 500 },
  )
})
