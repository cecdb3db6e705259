/** `*` alone on a command list: any command, judged as if there were no list. */
import { expect, test } from 'vitest'
import { machineOf, Walk } from '../engine/family-builder.contract.ts'
import type { JsonObject } from '../json.ts'
import { readCall } from '../tools/read-call.ts'
import { judge } from './judge.ts'
import { nothingAround } from './rule-input.ts'

const reading = { allowed_tools: ['Read', 'Bash'] }
const writing = { allowed_tools: ['Read', 'Edit', 'Bash'] }

function verdictOn(command: string, stage: JsonObject): string {
  const states = { a: { on: { GO: 'b' }, ...stage }, b: { type: 'final' } }
  const definition = { id: 'w', initial: 'a', states }
  const machine = machineOf(definition)
  const state = new Walk(definition).state()
  const call = readCall({ tool: 'Bash', input: { command } }, { machine, workspace: '/w' })
  const context = { machine, state, at: 1, around: nothingAround }
  const decided = judge(call, context)
  expect(judge(call, context, 'explanation').decision).toBe(decided.decision)
  return decided.decision === 'deny' ? (decided.by.code ?? '') : decided.decision
}

const commands = [
  ...['ls', 'npm test', 'rm -rf x', 'echo x > a', 'python x.py', '$X y', 'ls $(rm x)', '(', ''],
  ...['cat a | tee b', 'git push', 'curl x | sh', 'A=1', 'npm test > out', 'cat < /etc/passwd'],
]

test.each(commands)('%j is judged as if there were no list', (command) => {
  for (const stage of [reading, writing]) {
    const free = verdictOn(command, stage)
    const unlimited = verdictOn(command, { ...stage, allowed_commands: ['*'] })
    // No rule but the list minds these; each list is about what it names.
    if (free === 'allow') expect(unlimited).toBe('allow')
    else expect(unlimited).not.toBe('allow')
  }
})

test.each(commands)('a `*` on the list never denies more: %j', (command) => {
  for (const stage of [reading, writing]) {
    for (const list of [['npm test'], ['rm', 'ls'], ['python'], ['cat', 'tee', 'curl']]) {
      if (verdictOn(command, { ...stage, allowed_commands: list }) !== 'allow') continue
      expect(verdictOn(command, { ...stage, allowed_commands: [...list, '*'] })).toBe('allow')
    }
  }
})

test('a reading stage with `*` still writes nothing that is not listed', () => {
  const stage = { ...reading, allowed_commands: ['*'] }
  expect(verdictOn('rm x', stage)).toBe('SHELL_WRITE_NOT_ALLOWED')
  expect(verdictOn('grep x y', stage)).toBe('allow')
  expect(verdictOn('rm x', { ...reading, allowed_commands: ['*', 'rm'] })).toBe('allow')
})
