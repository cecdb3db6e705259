/** Which files a stage with `writable_files` lets a call change. */
import { expect, test } from 'vitest'
import { isWritable } from './rule-on-writable.ts'

const tests = ['**/*.test.*', 'test/**']
const sources = ['!**/*.test.*', '!test/**', '!package.json']

test.each<[string, readonly string[], boolean]>([
  ['src/a.test.ts', tests, true],
  ['a.test.ts', tests, true],
  ['test/deep/a.ts', tests, true],
  ['src/a.ts', tests, false],
  ['src/', tests, false],
  ['test/', tests, false],
  ['src/*.test.ts', tests, false],
  ['src/a.ts', sources, true],
  ['src/a.test.ts', sources, false],
  ['package.json', sources, false],
  ['test/', sources, false],
  ['src/*', sources, false],
  ['src/a.ts', [], false],
  ['node_modules/vitest/index.js', sources, false],
  ['packages/a/node_modules/b.js', ['**/*.js'], false],
  ['node_modules/a.js', ['node_modules/*.js'], true],
])('%s with %j: %s', (path, patterns, expected) => {
  expect(isWritable(path, patterns)).toBe(expected)
})
