/** Guards that rest on fresh evidence: what is in flight, what is recorded, and when it ended. */
import { expect, test } from 'vitest'
import { toCommand } from '../dialects/to-command.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { readShell } from '../shell/read-shell.ts'
import { mainOf } from './family.ts'
import { Walk } from './family-builder.contract.ts'
import type { Actor, Call, Reply } from './types.ts'

const green = { evidence: 'npm test', exit: 0, fresh: true }
const guarded = {
  id: 'w',
  initial: 'a',
  guards: { green },
  states: {
    a: { on: { SHIP: { target: 'b', guards: ['green'] } } },
    b: { on: { END: 'z' } },
    z: { type: 'final' },
  },
}
const unguarded = {
  ...guarded,
  guards: {},
  states: { ...guarded.states, a: { on: { SHIP: 'b' } } },
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

function shell(command: string): Call {
  const input = { command }
  return callOf('bash', { tool: 'Bash', input, act: 'shell', shell: readShell(command) })
}
const edit = callOf('edit', { tool: 'Edit', act: 'edit', edits: ['a.ts'] })
const read = callOf('read', { tool: 'Read', act: 'read' })
const pawl: Actor = { kind: 'system', name: 'pawl' }

function open(definition: object = guarded): Walk {
  const walk = new Walk(definition as never)
  walk.workspace = { folder: '/workspace', fingerprint: 'f1' }
  return walk
}

type End = { readonly exitCode?: number; readonly endedAt?: number }

function end(walk: Walk, { callId }: Verdict, { exitCode = 0, endedAt }: End = {}): void {
  const at = endedAt === undefined ? {} : { endedAt }
  const ok = exitCode === 0
  const report = { ok, output: null, exitCode, bytes: 0, costMicroUsd: 0, ...at }
  const command = { type: 'ReportCall', callId, report, grade: 'job' } as const
  expect(walk.send(command, pawl).kind).toBe('accepted')
}

test('a signal waits for calls in flight that may change files', () => {
  const walk = open()
  end(walk, walk.call(shell('npm test')))
  const changing = walk.call(edit)
  const refused = walk.fire('SHIP')
  expect(refused).toMatchObject({ kind: 'refused', code: 'GUARD_FAILED' })
  expect(refused).toMatchObject({ hint: expect.stringContaining('wait for its result') })
  expect(JSON.stringify(refused)).toContain('a call that may change files is still running')
  end(walk, changing, { exitCode: 1 })
  expect(walk.fire('SHIP').kind).toBe('accepted')
})

test('a signal does not wait for calls that only look, or that nobody reports for long', () => {
  const walk = open()
  end(walk, walk.call(shell('npm test')))
  walk.call(read)
  expect(walk.fire('SHIP').kind).toBe('accepted')
  const lost = open()
  end(lost, lost.call(shell('npm test')))
  lost.call(edit)
  lost.at += 14 * 60_000
  expect(lost.fire('SHIP').kind).toBe('refused')
  lost.at += 2 * 60_000
  expect(lost.fire('SHIP').kind).toBe('accepted')
})

test('a signal does not wait for a call from before the tests that nobody reports', () => {
  const walk = open()
  walk.call(edit)
  walk.at += 1
  end(walk, walk.call(shell('npm test')))
  expect(walk.fire('SHIP').kind).toBe('accepted')
})

test('calls leave no mark of changes where no rule asks for fresh evidence', () => {
  const walk = open(unguarded)
  walk.call(edit)
  expect(walk.last.recorded[0]?.event).not.toHaveProperty('order')
})

test('only commands that a rule names become evidence, also where others look at files', () => {
  const after = { evidence: 'npm test', exit: 0, fresh: true } as const
  const push = { capability: 'bash', when: { commands: ['git push'] }, after }
  const walk = new Walk(unguarded as never, [policyOf({ allow: [push] })])
  walk.workspace = { folder: '/workspace', fingerprint: 'f1' }
  const tested = walk.call(shell('npm test'))
  expect(walk.last.recorded[0]?.event).toHaveProperty('evidence')
  end(walk, tested)
  walk.call(shell('git push'))
  expect(walk.last.recorded[0]?.event).toMatchObject({ type: 'call.allowed' })
  expect(walk.last.recorded[0]?.event).not.toHaveProperty('evidence')
})

test('evidence of a job is as old as the end of the job, and never newer than its report', () => {
  const walk = open()
  const begun = walk.at
  const late = walk.call(shell('npm test'))
  walk.at += 60_000
  end(walk, late, { endedAt: begun + 5_000 })
  expect(walk.state().evidence).toMatchObject([{ startedAt: begun, endedAt: begun + 5_000 }])
  const ahead = walk.call(shell('npm test'))
  end(walk, ahead, { endedAt: walk.at + 3_600_000 })
  expect(walk.state().evidence).toMatchObject([{ endedAt: walk.at }])
  const before = walk.call(shell('npm test'))
  const startedAt = walk.at
  walk.at += 1_000
  end(walk, before, { endedAt: 0 })
  expect(walk.state().evidence).toMatchObject([{ endedAt: startedAt }])
})

test('a run that ended earlier and is reported later does not replace a later one', () => {
  const walk = open()
  const [first, second] = [walk.call(shell('npm test')), walk.call(shell('npm test'))]
  const begun = walk.at
  walk.at += 60_000
  end(walk, second, { exitCode: 1, endedAt: begun + 20_000 })
  end(walk, first, { endedAt: begun + 10_000 })
  expect(walk.state().evidence).toMatchObject([{ exit: 1 }])
  expect(walk.fire('SHIP')).toMatchObject({ kind: 'refused', code: 'GUARD_FAILED' })
})

test('only Pawl itself is believed when a command has ended', () => {
  const walk = open()
  const begun = walk.at
  const { callId } = walk.call(shell('npm test'))
  walk.at += 60_000
  const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0, endedAt: begun }
  walk.send({ type: 'ReportCall', callId, report, grade: 'host' })
  expect(walk.state().evidence).toMatchObject([{ endedAt: begun + 60_000 }])
})

test('a value that is named like the command does not stand in for its evidence', () => {
  const next = [{ id: 'B', if: [{ evidence: 'make', exit: 0 }, 'make'] }]
  const inputs = [{ name: 'x', required: false }]
  const steps = [
    { id: 'A', goal: 'a', inputs, next },
    { id: 'B', goal: 'b' },
  ]
  const walk = new Walk({ type: 'steps', id: 'f', steps })
  const { machine } = mainOf(walk.family)
  const submit = { kind: 'submit', goTo: null, inputs: { x: 'y' } } as const
  expect(walk.send(toCommand(machine, submit))).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('Pawl has not seen `make`'),
  })
  expect(walk.state().status).toBe('running')
})

const reported = { evidence: 'npm test', exit: 0, report: 'out/unit.xml' }

test.each([
  ['alone', false, 'accepted'],
  ['beside a call that may have written it', true, 'refused'],
])('a report of a command that ran %s counts or not', (_, isBeside, kind) => {
  const walk = open({ ...guarded, guards: { green: reported } })
  const looked = { folder: '/workspace', fingerprint: 'f1' }
  end(walk, walk.call(edit))
  walk.at += 1
  const tests = walk.call(shell('npm test'))
  walk.call(read)
  if (isBeside) end(walk, walk.call(edit))
  const counts = { passed: 1, failed: 0, skipped: 0 }
  walk.workspace = { ...looked, reports: { 'out/unit.xml': counts } }
  end(walk, tests)
  walk.workspace = looked
  expect(walk.fire('SHIP').kind).toBe(kind)
})

test.each([
  ['ended meanwhile', true],
  ['is still open', false],
])('a report does not count beside a call that had begun before and %s', (_, isEnded) => {
  const walk = open({ ...guarded, guards: { green: reported } })
  const changing = walk.call(edit)
  walk.at += 1
  const tests = walk.call(shell('npm test'))
  if (isEnded) end(walk, changing)
  const counts = { passed: 1, failed: 0, skipped: 0 }
  walk.workspace = { folder: '/workspace', fingerprint: 'f1', reports: { 'out/unit.xml': counts } }
  end(walk, tests)
  expect(walk.fire('SHIP').kind).toBe('refused')
})
