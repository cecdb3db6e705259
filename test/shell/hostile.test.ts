/**
 * Hostile input through the whole guard: a verdict with a code, never a crash. How long each
 * takes is measured by `scripts/shell-fuzz/slowest.ts`.
 */
import { expect, test } from 'vitest'
import { randomFrom } from '../../scripts/shell-fuzz/random.ts'
import { readShell } from '../../src/core/shell/read-shell.ts'
import { guardedRun } from './guarded-run.ts'
import { hostileCommands, patternTraps, wrongTypes } from './hostile-inputs.ts'

const short = guardedRun({ allowed_tools: ['Bash'], allowed_commands: ['npm test'] })
const open = guardedRun({ allowed_tools: ['Bash', 'Read'] })

test.each(hostileCommands)('$name: denied with a code by a list', ({ make }) => {
  const reply = short('Bash', { command: make() })
  expect(reply.verdict).toBe('deny')
  expect(reply.code).toMatch(/^[A-Z_]+$/)
  expect(reply.reason.length).toBeLessThan(1_000)
})

test.each(hostileCommands)('$name: a verdict where no list is', ({ make }) => {
  expect(['allow', 'deny']).toContain(open('Bash', { command: make() }).verdict)
})

test.each(wrongTypes)('$name instead of a command: denied with a code', ({ make }) => {
  const reply = short('Bash', { command: make() })
  expect(reply.verdict).toBe('deny')
  expect(reply.code).toMatch(/^[A-Z_]+$/)
})

test.each(wrongTypes)('$name instead of an input: denied with a code', ({ make }) => {
  const reply = short('Bash', make())
  expect(reply.verdict).toBe('deny')
  expect(reply.code).toMatch(/^[A-Z_]+$/)
})

const listing = guardedRun({
  allowed_tools: ['Bash', 'Edit'],
  allowed_commands: ['ls', 'cat', 'rm', 'python3', 'sqlite3', 'psql', 'pytest', 'awk', 'bash'],
  blocked_env: ['TOKEN'],
})

// Each took from a tenth of a second to many; now some milliseconds, so that even a busy machine
// stays below this in one of three tries.
const trapMsMax = 250

test.each(patternTraps)('$name: no letter is looked at again and again', ({ make }) => {
  const command = make()
  const times = [1, 2, 3].map(() => {
    const begun = performance.now()
    expect(['allow', 'deny']).toContain(listing('Bash', { command }).verdict)
    return performance.now() - begun
  })
  expect(Math.min(...times)).toBeLessThan(trapMsMax)
})

const otherTools = ['Read', 'Edit', 'Write', 'NotebookEdit', 'apply_patch', 'mcp__files__write']

test.each(wrongTypes)('$name in the fields of other tools: a verdict', ({ make }) => {
  const all = guardedRun({})
  for (const tool of otherTools) {
    const value = make()
    const input = { file_path: value, path: value, content: value, input: value, old_string: value }
    expect(['allow', 'ask', 'deny']).toContain(all(tool, input).verdict)
    expect(['allow', 'ask', 'deny']).toContain(all(tool, value).verdict)
  }
})

test('a stage without commands denies a hostile one by the same code as any other', () => {
  const none = guardedRun({ allowed_tools: ['Bash'], allowed_commands: [] })
  for (const { make } of hostileCommands.slice(0, 5)) {
    expect(none('Bash', { command: make() }).verdict).toBe('deny')
  }
})

test('any text of odd characters is read without a crash', () => {
  const random = randomFrom(99)
  const pieces = [
    '$(',
    '`',
    '"',
    "'",
    '\\',
    '{',
    '}',
    '(',
    ')',
    '<<',
    '\n',
    '\0',
    '\ud800',
    '$',
    'x',
  ]
  for (let run = 0; run < 2_000; run += 1) {
    let text = ''
    for (let i = random.below(40); i >= 0; i -= 1) text += random.pick(pieces)
    expect(typeof readShell(text).ok).toBe('boolean')
  }
})
