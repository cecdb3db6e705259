import { expect, test } from 'vitest'
import { keepOutput, keptOutputCharsMax } from './kept-output.ts'

test('a short output is kept as it is, without the secrets in it', () => {
  expect(keepOutput('1 passed\ntoken=abcdef123\n')).toEqual({
    text: '1 passed\ntoken=[redacted]',
    isCut: false,
  })
})

test('of a long output the last whole lines are kept, and it is said that there was more', () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`)
  const kept = keepOutput(lines.join('\n'))
  expect(kept?.isCut).toBe(true)
  expect(kept?.text.length).toBeLessThanOrEqual(keptOutputCharsMax)
  expect(kept?.text).toMatch(/^line \d+\n/)
  expect(kept?.text.endsWith('line 4999')).toBe(true)
})

test('one long line is cut in the middle', () => {
  expect(keepOutput('x'.repeat(100_000))?.text).toBe('x'.repeat(keptOutputCharsMax))
})

test('a secret that begins before the part that is kept is removed', () => {
  const body = 'A'.repeat(3_000)
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`
  expect(keepOutput(`${key}${'x'.repeat(3_000)}`)?.text).not.toContain('AAAA')
})

test('half a letter and NUL are not kept', () => {
  expect(keepOutput(`${'😀'.repeat(5_000)}x`)?.text).toMatch(/^😀+x$/u)
  expect(keepOutput('a\0b\uD83D')?.text).toBe('a\uFFFDb\uFFFD')
})

test.each([
  ['nothing', ''],
  ['blank lines', ' \n\n'],
])('%s is not kept', (_, printed) => {
  expect(keepOutput(printed)).toBeNull()
})
