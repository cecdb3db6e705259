/** What a report leaves in the log beyond the fact that the call ended. */
import { expect, test } from 'vitest'
import { callOf } from '../policy/policy-builder.contract.ts'
import { readShell } from '../shell/read-shell.ts'
import { Walk } from './family-builder.contract.ts'
import type { Call, Report } from './types.ts'

const green = { evidence: 'npm test', exit: 0 }
const base = {
  id: 'w',
  initial: 'a',
  states: { a: { on: { SHIP: { target: 'z', guards: ['green'] } } }, z: { type: 'final' } },
}
const open = { ...base, guards: { green: { field: 'x', op: 'exists' } } }
const captures = { ...open, meta: { capture_output: true } }
const silent = { ...open, meta: { capture_output: false } }
const proves = { ...base, guards: { green } }

function shell(command: string): Call {
  const input = { command }
  return callOf('bash', { tool: 'Bash', input, act: 'shell', shell: readShell(command) })
}

function reported(definition: object, call: Call, more: Partial<Report>): object | undefined {
  const walk = new Walk(definition as never)
  walk.workspace = { folder: '/workspace', fingerprint: 'f1' }
  const { callId } = walk.call(call)
  const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0, ...more }
  walk.send({ type: 'ReportCall', callId, report })
  return walk.last.recorded.find(({ event }) => event.type === 'call.reported')?.event
}

const said = { output: '2 passed\ntoken=abcdef123' }
const kept = { output: { text: '2 passed\ntoken=[redacted]', isCut: false } }

test('the output of every call is kept, redacted, where the definition captures it', () => {
  expect(reported(captures, shell('ls'), said)).toMatchObject(kept)
})

test('what a job printed is kept rather than its result', () => {
  expect(reported(captures, shell('ls'), { output: '{}', printed: said.output })).toMatchObject(
    kept,
  )
})

test('the output of a command is kept where a rule wants evidence of it', () => {
  expect(reported(proves, shell('npm test'), said)).toMatchObject(kept)
  expect(reported(proves, shell('ls'), said)).not.toHaveProperty('output')
})

test.each([
  ['nothing about it', open],
  ['no', silent],
])('no output is kept where the definition says %s', (_, definition) => {
  expect(reported(definition, shell('ls'), said)).not.toHaveProperty('output')
})

test('a call that printed nothing keeps nothing', () => {
  expect(reported(captures, shell('ls'), {})).not.toHaveProperty('output')
})
