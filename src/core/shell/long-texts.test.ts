/** Texts made to take long: reading them takes no longer than others of their length. */
import { expect, test } from 'vitest'
import { readShell } from './read-shell.ts'

test('values that name many others are followed once', () => {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const value =
      level === 8
        ? '5'
        : Array(40)
            .fill(`v${level + 1}`)
            .join('+')
    return `v${level}='${value}'`
  })
  expect(readShell(`${levels.join('; ')}; echo $((v0))`)).toBeDefined()
})

test('values that name each other in a ring are followed once', () => {
  expect(readShell("a='b+b+a'; b='a+a+b'; echo $((a))")).toBeDefined()
})

test.each([
  `basename "${'a'.repeat(5_000)}  b"`,
  `jq "${'.'.repeat(5_000)}!"`,
  `date "${'+'.repeat(5_000)}"`,
  `git log ${'--format=%H '.repeat(500)}`,
  `stat ${'-c%n '.repeat(500)}`,
  `npm ${'run -a '.repeat(500)}`,
  `grep ${'-l '.repeat(500)}`,
])('$0… as a substitution is read in steps', (inner) => {
  expect(readShell(`sort $(${inner})`)).toBeDefined()
})
