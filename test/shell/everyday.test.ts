/**
 * False alarms: ordinary work of ordinary projects, 0 denied. Played through the whole engine,
 * so that no other rule is in the way either.
 */
import { expect, test } from 'vitest'
import { everyday } from './everyday.ts'
import { guardedRun } from './guarded-run.ts'

const commandsCount = everyday.reduce((sum, group) => sum + group.commands.length, 0)

test('there are at least 300 everyday commands', () => {
  expect(commandsCount).toBeGreaterThanOrEqual(300)
})

test.each(everyday)('$kind: nothing is denied', ({ allowed_commands, commands }) => {
  const check = guardedRun({ allowed_commands })
  const denied = commands.flatMap((command) => {
    const reply = check('Bash', { command })
    return reply.verdict === 'allow' ? [] : [`${command} → ${reply.code}: ${reply.reason}`]
  })
  expect(denied).toEqual([])
})
