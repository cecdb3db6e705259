/**
 * Stages that only read, through the whole engine: ordinary reading, building and testing passes,
 * and forms that write or run something are denied.
 */
import { expect, test } from 'vitest'
import commands from '../fixtures/reading-commands.json' with { type: 'json' }
import { guardedRun } from './guarded-run.ts'

const check = guardedRun({ allowed_tools: ['Read', 'Grep', 'Bash'] })

function answersTo(list: readonly string[], verdict: 'allow' | 'deny'): readonly string[] {
  return list.flatMap((command) => {
    const reply = check('Bash', { command })
    return reply.verdict === verdict ? [] : [`${command} → ${reply.verdict}: ${reply.reason ?? ''}`]
  })
}

test('there are at least 400 commands of each kind', () => {
  expect(commands.allowed.length).toBeGreaterThanOrEqual(400)
  expect(commands.denied.length).toBeGreaterThanOrEqual(400)
})

test('reading, building and testing is allowed', () => {
  expect(answersTo(commands.allowed, 'allow')).toEqual([])
})

test('writing, and running what nobody can read, is denied', () => {
  expect(answersTo(commands.denied, 'deny')).toEqual([])
})
