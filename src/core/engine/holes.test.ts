/**
 * The holes a naive engine has, each as a walk that must not get through.
 */
import { expect, test } from 'vitest'
import { compileDefinition } from '../dialects/compile-definition.ts'
import { viewMember } from '../dialects/run-view.ts'
import { toCommand } from '../dialects/to-command.ts'
import type { Json } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { sourceOf } from '../source/source.ts'
import { readCall } from '../tools/read-call.ts'
import type { Context, Family, FamilyDecision } from './family.ts'
import { commandFamily, mainOf, memberOfBranch, openLeaf, startFamily } from './family.ts'
import type { Actor, Command } from './types.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const ann: Actor = { kind: 'person', name: 'ann' }
const context = (actor: Actor): Context => ({ library: () => undefined, at: 0, actor })

function machineOf(definition: Json): Machine {
  const { machines, findings } = compileDefinition(sourceOf(definition))
  const machine = machines[0]
  if (machine === undefined) throw new Error(JSON.stringify(findings))
  return machine
}

function begin(definition: Json): Family {
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  return startFamily({ runId: 'r', machine: machineOf(definition) }, start, context(agent)).family
}

function send(family: Family, command: Command, actor = agent): FamilyDecision {
  return commandFamily(family, { command, branch: null }, context(actor))
}

function fire(family: Family, name: string, branch: string | null = null): FamilyDecision {
  const from = branch === null ? mainOf(family) : (memberOfBranch(family, branch) ?? mainOf(family))
  const leaf = openLeaf(family, from)
  const command = toCommand(leaf.machine, { kind: 'signal', name, data: null })
  return commandFamily(family, { command, branch }, context(agent))
}

function edit(family: Family, file: string): Family {
  const leaf = openLeaf(family, mainOf(family))
  const call = readCall(
    { tool: 'Edit', input: { file_path: file } },
    {
      machine: leaf.machine,
      workspace: '/workspace',
    },
  )
  const checked = send(family, { type: 'CheckCall', call })
  const report = { ok: true, output: '', exitCode: 0, bytes: 0, costMicroUsd: 0 }
  return send(checked.family, { type: 'ReportCall', callId: null, report }).family
}

const forked = {
  id: 'forked',
  initial: 'build',
  states: {
    build: {
      on: {
        SPLIT: {
          fork: {
            branches: {
              lint: { initial: 'lint_run', terminal: 'lint_ok' },
              unit: { initial: 'unit_run', terminal: 'unit_ok' },
            },
            on_complete: 'done',
          },
        },
        SKIP: 'done',
      },
    },
    lint_run: { allowed_tools: ['Read'], on: { PASS: 'lint_ok' } },
    lint_ok: { type: 'final' },
    unit_run: { allowed_tools: ['Bash'], on: { PASS: 'unit_ok' } },
    unit_ok: { type: 'final' },
    done: { type: 'final' },
  },
}

const watched = {
  id: 'watched',
  initial: 'code',
  interrupts: { sql: { trigger: { file_pattern: 'db/**' }, target: 'check' } },
  states: {
    code: { allowed_tools: ['Edit'], max_iterations: 2, on: { DONE: 'done', REST: 'rest' } },
    rest: { allowed_tools: ['Edit'], on: { BACK: 'code' } },
    check: { allowed_tools: ['Read'], on: { FINE: '$return', AWAY: 'rest', FAIL: 'failed' } },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
}

test('with a fork open the parent cannot be walked past its branches', () => {
  const open = fire(begin(forked), 'SPLIT').family
  const skipped = fire(open, 'SKIP')
  expect(skipped.reply).toMatchObject({ kind: 'refused', code: 'SIGNAL_UNKNOWN' })
  expect(mainOf(skipped.family).state.stage).toBe('build')
})

test('a detour and its return do not refill the calls of the interrupted stage', () => {
  const interrupted = edit(begin(watched), 'db/a.sql')
  expect(mainOf(interrupted).state.stage).toBe('check')
  const back = fire(interrupted, 'FINE').family
  expect(mainOf(back).state).toMatchObject({ stage: 'code', counts: { calls: 1 } })
})

test('a branch has the tools of its own stage, never those of its parent', () => {
  const open = fire(begin(forked), 'SPLIT').family
  const lint = memberOfBranch(open, 'lint')
  const unit = memberOfBranch(open, 'unit')
  expect(lint && viewMember(open, lint).tools).toEqual(['Read'])
  expect(unit && viewMember(open, unit).tools).toEqual(['Bash'])
})

test('a detour left by an ordinary route is over: a later one returns to where it began', () => {
  const away = fire(edit(begin(watched), 'db/a.sql'), 'AWAY').family
  expect(mainOf(away).state).toMatchObject({ stage: 'rest', detour: null })
  const again = edit(away, 'db/b.sql')
  expect(mainOf(fire(again, 'FINE').family).state.stage).toBe('rest')
})

test('an edit reported while a move waits begins the detour and drops the move', () => {
  const gated = {
    ...watched,
    states: {
      ...watched.states,
      code: { allowed_tools: ['Edit'], on: { DONE: { target: 'done', requires_approval: true } } },
    },
  }
  const begun = begin(gated)
  const call = readCall(
    { tool: 'Edit', input: { file_path: 'db/x' } },
    {
      machine: mainOf(begun).machine,
      workspace: '/w',
    },
  )
  const inFlight = send(begun, { type: 'CheckCall', call }).family
  const waiting = fire(inFlight, 'DONE').family
  expect(mainOf(waiting).state.status).toBe('waiting')
  const report = { ok: true, output: '', exitCode: 0, bytes: 0, costMicroUsd: 0 }
  const landed = send(waiting, { type: 'ReportCall', callId: null, report }).family
  expect(mainOf(landed).state).toMatchObject({ stage: 'check', status: 'running', approval: null })
  const late: Command = { type: 'ResolveApproval', approvalId: null, granted: true, note: '' }
  expect(send(landed, late, ann).reply).toMatchObject({ code: 'APPROVAL_UNKNOWN' })
})

test('a paused parent holds the branches below it', () => {
  const open = fire(begin(forked), 'SPLIT').family
  const paused = send(open, { type: 'PauseRun', release: false }, ann).family
  expect(fire(paused, 'PASS', 'lint').reply).toMatchObject({ code: 'RUN_NOT_RUNNING' })
  const resumed = send(paused, { type: 'ResumeRun' }, ann).family
  expect(fire(resumed, 'PASS', 'lint').reply).toMatchObject({ kind: 'accepted' })
})

test('cancelling a run cancels its branches, and they take nothing more', () => {
  const open = fire(begin(forked), 'SPLIT').family
  const cancelled = send(open, { type: 'CancelRun', reason: 'enough' }, ann).family
  expect(cancelled.members.map((member) => member.state.status)).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ])
})

test('an approval is bound to the move it was asked for and is used once', () => {
  const gated = begin({
    id: 'gated',
    initial: 'a',
    states: {
      a: { on: { GO: { target: 'b', requires_approval: true, approval_message: 'Go?' } } },
      b: { on: { END: 'c' } },
      c: { type: 'final' },
    },
  })
  const asked = fire(gated, 'GO').family
  const { approval } = mainOf(asked).state
  expect(approval).toMatchObject({ kind: 'move', message: 'Go?' })
  expect(approval?.hash).toMatch(/^sha256:[0-9a-f]{64}$/)
  const other: Command = { type: 'ResolveApproval', approvalId: 'r:a99', granted: true, note: '' }
  expect(send(asked, other, ann).reply).toMatchObject({ code: 'APPROVAL_UNKNOWN' })
  const grant: Command = { ...other, approvalId: approval?.id ?? '' }
  const granted = send(asked, grant, ann)
  expect(mainOf(granted.family).state.stage).toBe('b')
  expect(send(granted.family, grant, ann).reply).toMatchObject({ code: 'APPROVAL_UNKNOWN' })
})

test('an approval that expires counts as refused', () => {
  const process = begin({
    name: 'ask',
    initial: 'q',
    states: { q: { question: 'Sure?', answers: { yes: { next: null, action: 'notify_human' } } } },
  })
  const asked = send(
    process,
    toCommand(mainOf(process).machine, { kind: 'answer', answer: 'yes', stage: null }),
  )
  const id = mainOf(asked.family).state.approval?.id ?? ''
  const system: Actor = { kind: 'system', name: 'clock' }
  const expired = send(asked.family, { type: 'ExpireApproval', approvalId: id }, system)
  expect(mainOf(expired.family).state).toMatchObject({ status: 'blocked' })
})

test('data that waited for a person is still the word of the agent', () => {
  const gated = begin({
    id: 'gated',
    initial: 'a',
    states: {
      a: { on: { GO: { target: 'b', requires_approval: true } } },
      b: { on: { END: 'c' } },
      c: { type: 'final' },
    },
  })
  const go: Command = {
    type: 'SendSignal',
    name: 'GO',
    data: { plan: 'x' },
    expectStage: null,
    goTo: null,
  }
  const asked = send(gated, go).family
  const grant: Command = { type: 'ResolveApproval', approvalId: null, granted: true, note: '' }
  const granted = send(asked, grant, ann).family
  expect(mainOf(granted).state).toMatchObject({ vars: { plan: 'x' }, sources: { plan: 'claimed' } })
})

const shelled = {
  id: 'shelled',
  initial: 'code',
  states: {
    code: { allowed_tools: ['Bash', 'Edit'], on: { DONE: 'done' } },
    check: { on: { FINE: '$return', DONE: 'done' } },
    done: { type: 'final' },
  },
  interrupts: { schema: { trigger: { file_pattern: 'db/**/*.sql' }, target: 'check' } },
}

function stageAfter(command: string): string {
  const begun = begin(shelled)
  const where = { machine: mainOf(begun).machine, workspace: '/w' }
  const call = readCall({ tool: 'Bash', input: { command } }, where)
  const asked = send(begun, { type: 'CheckCall', call })
  const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0 }
  const told = send(asked.family, { type: 'ReportCall', callId: null, report })
  return mainOf(told.family).state.stage
}

test.each([
  ...['cp a.sql db/', 'cp a.sql db', 'cp -t db a.sql b.sql', 'mv a.sql b.sql db', 'mv db old'],
  ...['rm -rf db', 'rm db/*.sql', 'git mv db/a.sql x', 'git rm -r db', 'cp "$F" db/'],
  ...['install a.sql db/', 'ln -s ../a.sql db/a.sql', 'git restore db', 'cd db && rm a.sql'],
  ...['cd db; rm a.sql', 'cd src; rm db/a.sql'],
])('a file that `%s` can touch begins the detour', (command) => {
  expect(stageAfter(command)).toBe('check')
})

test.each([
  ...['cp db/a.sql docs/', 'mv a.ts b.ts', 'rm -rf dist', 'git mv a.ts src/', 'cp a.ts db/'],
  ...['ls db/a.sql', 'rm db/notes.md', 'cp -r src docs'],
])('`%s` touches no such file and begins none', (command) => {
  expect(stageAfter(command)).toBe('code')
})
