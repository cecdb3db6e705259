import { expect, test } from 'vitest'
import { closestName, editDistance, sameLetters } from './closest-name.ts'

const known = ['allowed_tools', 'max_iterations', 'on', 'type', 'env', 'valueFrom', 'required']

test('another style of a known word is a near miss', () => {
  expect(closestName('allowedTools', known)).toBe('allowed_tools')
  expect(closestName('allowed-tools', known)).toBe('allowed_tools')
  expect(closestName('MAX_ITERATIONS', known)).toBe('max_iterations')
  expect(closestName('value_from', known)).toBe('valueFrom')
  expect(closestName('On', known)).toBe('on')
})

test('a letter or two apart is a near miss in a long word, one letter in a short one', () => {
  expect(closestName('alowed_tools', known)).toBe('allowed_tools')
  expect(closestName('requird', known)).toBe('required')
  expect(closestName('max_itreation', known)).toBe('max_iterations')
  expect(closestName('tpye', known)).toBe('type')
  expect(closestName('envs', known)).toBe('env')
})

test('a word of its own is no near miss', () => {
  for (const word of ['owner_team', 'colour', 'note', 'to', 'in', 'id', 'tyre_x', '']) {
    expect(closestName(word, known)).toBeNull()
  }
})

test('of two near misses the nearer one is meant', () => {
  expect(closestName('max_calls', ['max_bills', 'max_call'])).toBe('max_call')
})

test('the same letters are told from a misspelling', () => {
  expect(sameLetters('approvalMode', ['approval_mode'])).toBe('approval_mode')
  expect(sameLetters('aproval_mode', ['approval_mode'])).toBeNull()
})

test('a distance counts letters inserted, dropped, changed or swapped', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('abc', 'abc')).toBe(0)
  expect(editDistance('abc', 'acb')).toBe(1)
  expect(editDistance('kitten', 'sitting')).toBe(3)
})

test('a word of any length is compared at once', () => {
  expect(closestName('x'.repeat(1_000_000), known)).toBeNull()
})
