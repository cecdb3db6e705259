import { expect, test } from 'vitest'
import { depthProblem } from './expression-depth.ts'
import { exprCharsMax, nestingMax } from './meter.ts'

const deep = nestingMax + 1

test.each([
  ['brackets', '('.repeat(deep)],
  ['lists', '['.repeat(deep) + ']'.repeat(deep)],
  ['mixed brackets', '([{'.repeat(deep)],
  ['nots', `${'!'.repeat(deep)}a`],
  ['nots with blanks', `${'! '.repeat(deep)}a`],
  ['minuses', `${'-'.repeat(deep)}a`],
  ['wildcards', `${'*.'.repeat(deep)}*`],
  ['projections', `a${'[*]'.repeat(deep)}`],
  ['filters', `a${'[?b]'.repeat(deep)}`],
  ['choices', `${'a?b:'.repeat(deep)}c`],
  ['choices among ors', `${'a||a?b:'.repeat(deep)}c`],
])('too many nested %s are refused', (_, text) => {
  expect(depthProblem(text)?.reason).toMatch(/nested more than/)
})

test.each([
  ['ors', `${'!a||'.repeat(500)}a`],
  ['ands', `${'!a&&'.repeat(500)}a`],
  ['sums', `${'a+'.repeat(500)}a`],
  ['differences', `${'a - '.repeat(500)}a`],
  ['products', `${'a*'.repeat(500)}a`],
  ['arguments', `f(${'!a,'.repeat(500)}a)`],
  ['fields', `a${'.a'.repeat(500)}`],
  ['brackets side by side', '(a)||'.repeat(500)],
  ['brackets in texts', `'${'('.repeat(500)}'`],
  ['brackets in quoted names', `"${'('.repeat(500)}"`],
  ['brackets in literals', `\`${'['.repeat(500)}\``],
  ['quotes in quotes', `'it\\'s ${'('.repeat(500)}'`],
  ['raw texts that end with a backslash', `r'\\' + '${'('.repeat(500)}'`],
  ['texts in three quotes', `'''it's ${'('.repeat(500)}'''`],
])('many %s are fine', (_, text) => {
  expect(depthProblem(text)).toBeNull()
})

test('a text that is too long is refused at the place where it is', () => {
  expect(depthProblem('a'.repeat(exprCharsMax))).toBeNull()
  expect(depthProblem('a'.repeat(exprCharsMax + 1))?.offset).toBe(exprCharsMax)
})
