/**
 * False alarms: ordinary work of ordinary projects, 0 denied. Played through the whole engine,
 * so that no other rule is in the way either.
 */
import { expect, test } from 'vitest'
import { collected, countCommands, everyday, refusals } from './everyday-commands.ts'
import { guardedRun } from './guarded-run.ts'

/** Of all that was collected, the part that may be denied. */
const refusedShareMax = 0.09

test('there are at least 300 everyday commands', () => {
  expect(countCommands(everyday)).toBeGreaterThanOrEqual(300)
})

test('there are at least 350 collected commands, and few of them are refused', () => {
  const count = countCommands(collected)
  expect(count).toBeGreaterThanOrEqual(350)
  expect(refusals.length / (count + refusals.length)).toBeLessThan(refusedShareMax)
})

test.each([...everyday, ...collected])('$kind: nothing is denied', (group) => {
  const check = guardedRun({ allowed_commands: group.allowed_commands })
  const denied = group.commands.flatMap((command) => {
    const reply = check('Bash', { command })
    return reply.verdict === 'allow' ? [] : [`${command} → ${reply.code}: ${reply.reason}`]
  })
  expect(denied).toEqual([])
})

test.each(refusals)('$source is refused: $why', ({ allowed_commands, command, code }) => {
  const reply = guardedRun({ allowed_commands })('Bash', { command })
  expect([reply.verdict, reply.code]).toEqual(['deny', code])
})
