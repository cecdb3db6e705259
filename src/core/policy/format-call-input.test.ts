import { expect, test } from 'vitest'
import { showInput, shownCharsMax } from './format-call-input.ts'

test('a person reads the input as it is', () => {
  expect(showInput({ command: 'terraform apply' })).toBe('{"command":"terraform apply"}')
})

test('marks that cannot be seen are spelt out', () => {
  const shown = showInput({ path: 'safe\u202etxt.exe', other: 'a\u200bb\u00a0c\nd' })
  expect(shown).toContain('safe\\u202etxt.exe')
  expect(shown).toContain('a\\u200bb\\u00a0c\\nd')
})

test('a long input shows both ends and how much is missing', () => {
  const shown = showInput({ command: `first ${'x'.repeat(5_000)} rm -rf /` })
  expect(shown).toContain('{"command":"first x')
  expect(shown).toContain('rm -rf /"}')
  expect(shown).toMatch(/\(39\d\d more characters\)/)
  expect(shown.length).toBeLessThan(shownCharsMax + 100)
})
