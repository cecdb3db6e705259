import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { policyOf } from '../policy/policy-builder.contract.ts'
import { readCall } from '../tools/read-call.ts'
import { machineOf, Walk } from './family-builder.contract.ts'
import type { Call } from './types.ts'

const fix = {
  id: 'w',
  initial: 'a',
  context: { seen: null },
  guards: { ready: { field: 'seen', op: 'exists' } },
  states: {
    a: {
      allowed_tools: ['Read', 'Edit', 'Bash'],
      allowed_commands: ['npm test', 'git status', 'env'],
      blocked_env: ['SECRET'],
      max_files_per_state: 1,
      max_edit_lines: 5,
      max_iterations: 3,
      on: {
        READY: { target: 'z', guard: 'ready' },
        ASK: { target: 'z', requires_approval: true },
        BACK: 'a',
      },
    },
    z: { type: 'final' },
  },
}

function callOf(tool: string, input: { readonly [key: string]: Json }): Call {
  return readCall({ tool, input }, { machine: machineOf(fix), workspace: '/workspace' })
}

const bash = (command: string): Call => callOf('Bash', { command })
const edit = (file_path: string): Call =>
  callOf('Edit', { file_path, old_string: 'a', new_string: 'b' })

test('a tool that is not listed: the listed ones, and the signals that would be taken', () => {
  const reply = new Walk(fix).call(callOf('WebFetch', { url: 'https://example.com' }))
  expect(reply).toMatchObject({ verdict: 'deny', code: 'TOOL_NOT_ALLOWED' })
  expect(reply.hint).toBe(
    'use `Read`, `Edit` or `Bash`, or send `ASK` (asks a person) or `BACK` to move on',
  )
  expect(reply.instead).toEqual([
    { kind: 'tool', name: 'Read', asks: false },
    { kind: 'tool', name: 'Edit', asks: false },
    { kind: 'tool', name: 'Bash', asks: false },
    { kind: 'signal', name: 'ASK', asks: true, needs: [] },
    { kind: 'signal', name: 'BACK', asks: false, needs: [] },
  ])
})

test('what a policy denies is not named, and what it asks about is named as such', () => {
  const policy = policyOf({ deny: [{ capability: 'edit' }], ask: [{ capability: 'bash' }] })
  const { hint } = new Walk(fix, [policy]).call(callOf('WebFetch', {}))
  expect(hint).toContain('use `Read` or `Bash` (asks a person), or send')
})

test('a tool whose limit is used up is not named, and waiting is', () => {
  const policy = policyOf({
    allow: [{ capability: 'read', rate_limit: { max_calls: 1, window_seconds: 60 } }],
  })
  const walk = new Walk(fix, [policy])
  const read = callOf('Read', { file_path: 'a.ts' })
  expect(walk.call(read).verdict).toBe('allow')
  const reply = walk.call(read)
  expect(reply.code).toBe('RATE_LIMITED')
  expect(reply.instead.map((one) => ('name' in one ? one.name : one.kind))).toEqual([
    'Edit',
    'Bash',
    'ASK',
    'BACK',
    'wait',
  ])
  expect(reply.hint).toMatch(/^it can be used again in 1 minute; .*; use `Edit` or `Bash`, or send/)
})

test('a command that is not listed: entries that pass as they stand, and no others', () => {
  const reply = new Walk(fix).call(bash('curl x'))
  expect(reply.code).toBe('COMMAND_NOT_ALLOWED')
  expect(reply.hint).toMatch(/^run `npm test` or `git status`, or send/)
})

test('a command that cannot be read is told to be written plainly', () => {
  const reply = new Walk(fix).call(bash('npm test "'))
  expect(reply.code).toBe('COMMAND_UNREADABLE')
  expect(reply.hint).toMatch(/^write it so that it can be analyzed before it runs; run `npm test`/)
})

test('where no command passes, that is said, and the shell is no alternative', () => {
  const shut = { ...fix, states: { ...fix.states, a: { ...fix.states.a, allowed_commands: [] } } }
  const walk = new Walk(shut)
  expect(walk.call(bash('ls')).hint).toMatch(/^no command is allowed here; send/)
  expect(walk.call(callOf('WebFetch', {})).hint).toMatch(/^use `Read` or `Edit`, or send/)
})

test('beyond the limit of files, those that count already can be edited again', () => {
  const walk = new Walk(fix)
  expect(walk.call(edit('a.ts')).verdict).toBe('allow')
  const reply = walk.call(edit('b.ts'))
  expect(reply.code).toBe('TOO_MANY_FILES')
  expect(reply.hint).toMatch(/^edit `a.ts` again, or send/)
  expect(walk.call(edit('a.ts')).verdict).toBe('allow')
})

test('when the calls are used up only signals are left, and the guards are asked', () => {
  const walk = new Walk(fix)
  for (let count = 0; count < 3; count += 1) walk.call(bash('npm test'))
  const reply = walk.call(bash('npm test'))
  expect(reply.code).toBe('CALLS_EXHAUSTED')
  expect(reply.hint).toBe('send `ASK` (asks a person) or `BACK` to move on')
  expect(JSON.stringify(reply.instead)).not.toContain('READY')
})

test('a stage that nothing leads out of says that a person has to help', () => {
  const stuck = {
    ...fix,
    states: {
      a: { allowed_tools: [], on: { READY: { target: 'z', guard: 'ready' } } },
      z: { type: 'final' },
    },
  }
  const reply = new Walk(stuck).call(bash('ls'))
  expect(reply.instead).toEqual([])
  expect(reply.hint).toBe('nothing is possible here; ask a person for help')
})

test('while a person decides there is nothing to do but wait', () => {
  const walk = new Walk(fix)
  walk.fire('ASK')
  expect(walk.call(bash('npm test'))).toMatchObject({
    code: 'APPROVAL_PENDING',
    instead: [{ kind: 'wait' }],
  })
})

test('a form is named with the fields it still needs', () => {
  const form = {
    type: 'steps',
    id: 'form',
    steps: [
      {
        id: 'one',
        goal: 'Ask.',
        tools: { allow: ['lookup'] },
        inputs: [
          { name: 'mail', type: 'string', required: true },
          { name: 'age', type: 'integer', required: true },
        ],
        next: [{ id: 'one' }],
      },
    ],
  }
  const reply = new Walk(form).call(bash('ls'))
  expect(reply.hint).toBe('use `lookup`, or send `submit` with `mail` and `age` to move on')
})

test('a hint stays short, whatever the author lists', () => {
  const names = Array.from({ length: 40 }, (_, index) => `tool_${index}`)
  const events = Object.fromEntries(names.map((name) => [name.toUpperCase(), 'z']))
  const wide = {
    id: 'w',
    initial: 'a',
    states: { a: { allowed_tools: names, on: events }, z: { type: 'final' } },
  }
  const { hint } = new Walk(wide).call(bash('ls'))
  expect(hint).toMatch(/^use `tool_0`, `tool_1`, .*, …, or send `TOOL_0`, .*, … to move on$/)
  expect(hint).not.toMatch(/\d+ more/)
  expect(hint.length).toBeLessThanOrEqual(560)
})

test('an allowed call and an asked one name no alternatives', () => {
  const policy = policyOf({ ask: [{ capability: 'bash' }] })
  expect(new Walk(fix).call(bash('npm test'))).toMatchObject({ verdict: 'allow', instead: [] })
  expect(new Walk(fix, [policy]).call(bash('npm test'))).toMatchObject({
    verdict: 'ask',
    instead: [],
  })
})

test('a list of patterns: what they are like, and a program without its pattern', () => {
  const stage = (allowed_commands: string[]) => ({
    ...fix,
    states: { ...fix.states, a: { ...fix.states.a, allowed_commands } },
  })
  const hintOf = (list: string[]) => new Walk(stage(list)).call(bash('curl x')).hint
  expect(hintOf(['./scripts/*.sh'])).toMatch(
    /^only commands like `\.\/scripts\/\*\.sh` are allowed/,
  )
  expect(hintOf(['pytest*'])).toMatch(/^run `pytest`/)
  expect(hintOf([])).toMatch(/^no command is allowed here/)
})

test('in a stage that only reads: the part of the text that does', () => {
  const states = { a: { allowed_tools: ['Read', 'Bash'], on: { GO: 'z' } }, z: { type: 'final' } }
  const walk = new Walk({ id: 'r', initial: 'a', states })
  const reply = walk.call(bash('npm test 2>&1 | tee out.log'))
  expect(reply.instead).toContainEqual({ kind: 'command', entry: 'npm test', asks: false })
  expect(walk.call(bash('rm -rf x')).instead.some((one) => one.kind === 'command')).toBe(false)
})
