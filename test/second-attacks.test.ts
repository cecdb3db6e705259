/**
 * The second set of attacks: shell commands that once had a forbidden effect. Every one is denied
 * by the whole engine, in the stage that it was tried in. `attack-calls.test.ts` has the calls of
 * other tools.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guardedRun } from './shell/guarded-run.ts'

type Bypass = {
  readonly id: string
  readonly stage_tools: readonly string[]
  readonly allowed_commands: readonly string[] | null
  readonly command: string
}

const file = join(import.meta.dirname, '..', 'attacks', 'second', 'bypasses.jsonl')
const bypasses = readFileSync(file, 'utf8')
  .split('\n')
  .flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Bypass]))

test('the set is whole', () => {
  expect(bypasses.length).toBe(147)
})

test.each(bypasses)('$id is denied: $command', ({ stage_tools, allowed_commands, command }) => {
  const list = allowed_commands === null ? {} : { allowed_commands }
  const check = guardedRun({ allowed_tools: stage_tools, ...list })
  expect(check('Bash', { command }).verdict).toBe('deny')
})
