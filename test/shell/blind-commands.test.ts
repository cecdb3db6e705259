/**
 * Commands that were written without a look at the tables, as attacks and as ordinary work, and
 * judged by the whole engine. What a set missed became a class; the sets stay, so that no class
 * opens again.
 */
import { expect, test } from 'vitest'
import blind from '../fixtures/blind-commands.json' with { type: 'json' }
import { guardedRun } from './guarded-run.ts'

const reading = guardedRun({ allowed_tools: ['Bash', 'Read'] })
const editing = ['Bash', 'Read', 'Write', 'Edit']

test('there are at least 1,500 attacks on reading, 700 on lists and 300 ordinary commands', () => {
  const onLists = blind.lists.reduce((sum, { denied }) => sum + denied.length, 0)
  expect(blind.reading.denied.length).toBeGreaterThanOrEqual(1_500)
  expect(onLists).toBeGreaterThanOrEqual(700)
  expect(blind.reading.allowed.length).toBeGreaterThanOrEqual(300)
})

/** In parts, so that a busy machine has time for each. */
const parts = Array.from({ length: 10 }, (_, part) => part)

test.each(parts)('a stage that only reads denies every attack, part %i', (part) => {
  const attacks = blind.reading.denied.filter((_, i) => i % parts.length === part)
  const passed = attacks.filter((command) => reading('Bash', { command }).verdict !== 'deny')
  expect(passed).toEqual([])
})

test('a stage that only reads allows ordinary reading, building and testing', () => {
  const stopped = blind.reading.allowed.flatMap((command) => {
    const { verdict, reason } = reading('Bash', { command })
    return verdict === 'allow' ? [] : [`${command} → ${reason}`]
  })
  expect(stopped).toEqual([])
})

test.each(blind.lists)('$allowed_commands denies every attack on it', (group) => {
  const { allowed_commands, denied } = group
  const check = guardedRun({ allowed_tools: editing, allowed_commands })
  const passed = denied.filter((command) => check('Bash', { command }).verdict !== 'deny')
  expect(passed).toEqual([])
})
