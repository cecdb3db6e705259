import { expect, test } from 'vitest'
import { editDistance, nearMiss, sameLetters } from './closest-name.ts'

const known = ['allowed_tools', 'max_iterations', 'on', 'type', 'env', 'valueFrom', 'required']

test('another style of a known word is a near miss', () => {
  expect(nearMiss('allowedTools', known)).toBe('allowed_tools')
  expect(nearMiss('allowed-tools', known)).toBe('allowed_tools')
  expect(nearMiss('MAX_ITERATIONS', known)).toBe('max_iterations')
  expect(nearMiss('value_from', known)).toBe('valueFrom')
  expect(nearMiss('On', known)).toBe('on')
})

test('a letter or two apart is a near miss in a long word, one letter in a short one', () => {
  expect(nearMiss('alowed_tools', known)).toBe('allowed_tools')
  expect(nearMiss('requird', known)).toBe('required')
  expect(nearMiss('max_itreation', known)).toBe('max_iterations')
  expect(nearMiss('tpye', known)).toBe('type')
  expect(nearMiss('envs', known)).toBe('env')
})

test('a word of its own is no near miss', () => {
  for (const word of ['owner_team', 'colour', 'note', 'to', 'in', 'id', 'tyre_x', '']) {
    expect(nearMiss(word, known)).toBeNull()
  }
})

test('of two near misses the nearer one is meant', () => {
  expect(nearMiss('max_calls', ['max_bills', 'max_call'])).toBe('max_call')
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
  expect(nearMiss('x'.repeat(1_000_000), known)).toBeNull()
})
