/**
 * What goes wrong while a call is judged, and what cannot be applied, is a denial.
 */
import { expect, test } from 'vitest'
import { compileDefinition } from '../dialects/compile-definition.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { sourceOf } from '../source/source.ts'
import { readCall } from '../tools/read-call.ts'
import { decide } from './decide.ts'
import type { Actor, Reply } from './types.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }
const envelope = { runId: 'r', at: 0, actor: agent }

function machineOf(stage: Json): Machine {
  const states = { a: stage, z: { type: 'final' } }
  const machine = compileDefinition(sourceOf({ id: 'w', initial: 'a', states })).machines[0]
  if (machine === undefined) throw new Error('the definition has errors')
  return machine
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

function judge(machine: Machine, tool: string, input: JsonObject): Verdict {
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const { state } = decide({ machine, envelope }, null, start)
  const call = readCall({ tool, input }, { machine, workspace: '/w' })
  const { reply } = decide({ machine, envelope }, state, { type: 'CheckCall', call })
  if (reply.kind !== 'verdict') throw new Error('a call gets a verdict')
  return reply
}

test('a fault while judging is a denial, and it is on record', () => {
  const sound = machineOf({ allowed_tools: ['Read'], on: { GO: 'z' } })
  // WHY the cast: a stored machine may be damaged in ways that no type allows.
  const damaged = { ...sound, policy: { role: 'agent' } } as unknown as Machine
  const reply = judge(damaged, 'Read', { file_path: 'a.ts' })
  expect(reply).toMatchObject({ verdict: 'deny', code: 'INTERNAL', input: null })
})

test('a call that names two commands is not judged by one of them', () => {
  const machine = machineOf({ allowed_commands: ['pytest'], on: { GO: 'z' } })
  expect(judge(machine, 'Bash', { command: 'pytest' }).verdict).toBe('allow')
  const reply = judge(machine, 'Bash', { command: 'pytest', cmd: 'rm -rf .' })
  expect(reply).toMatchObject({ verdict: 'deny', code: 'COMMAND_UNREADABLE' })
})

test('what the stage sets is set in every form of a command, or the call is denied', () => {
  const machine = machineOf({ env_overrides: { CI: '1' }, on: { GO: 'z' } })
  expect(judge(machine, 'Bash', { command: 'make' }).input).toEqual({
    command: "export CI='1'; make",
  })
  expect(judge(machine, 'Bash', { command: ['bash', '-lc', 'make'] }).input).toEqual({
    command: ['bash', '-lc', "export CI='1'; make"],
  })
  const action = { type: 'exec', command: ['bash', '-lc', 'make'] }
  expect(judge(machine, 'Bash', { action }).input).toEqual({
    action: { type: 'exec', command: ['bash', '-lc', "export CI='1'; make"] },
  })
  const reply = judge(machine, 'Bash', { command: ['make', 'all'] })
  expect(reply).toMatchObject({ verdict: 'deny', code: 'ENV_BLOCKED' })
})

test('the tool whose commands the author lists is judged by them, whatever it is called', () => {
  const stage = { allowed_commands: ['ls'], allowed_commands_tool: 'deploy', on: { GO: 'z' } }
  const machine = machineOf(stage)
  expect(judge(machine, 'deploy', { command: 'ls -l' }).verdict).toBe('allow')
  const other = judge(machine, 'deploy', { command: 'rm x' })
  expect(other).toMatchObject({ verdict: 'deny', code: 'COMMAND_NOT_ALLOWED' })
  const none = judge(machine, 'deploy', { text: 'rm x' })
  expect(none).toMatchObject({ verdict: 'deny', code: 'COMMAND_UNREADABLE' })
})

test('a file that is read by redirection is found from where the command stands', () => {
  const machine = machineOf({ allowed_commands: ['cd', 'wc'], on: { GO: 'z' } })
  expect(judge(machine, 'Bash', { command: 'cd src && wc -l < ../a.txt' }).verdict).toBe('allow')
  for (const command of ['wc < /etc/passwd', 'wc < ../x', 'cd src && wc < ../../x']) {
    expect(judge(machine, 'Bash', { command })).toMatchObject({ code: 'PATH_OUT_OF_SCOPE' })
  }
})

test('cat says what the text hands it, and no file, without being listed', () => {
  const machine = machineOf({ allowed_commands: ['git commit'], on: { GO: 'z' } })
  const message = `git commit -m "$(cat <<'EOF'\nfix\nEOF\n)"`
  expect(judge(machine, 'Bash', { command: message }).verdict).toBe('allow')
  for (const command of ['cat <<< x < f', 'F=f; cat <<< x < "$F"', 'cat f <<< x']) {
    expect(judge(machine, 'Bash', { command }).verdict).toBe('deny')
  }
})

test('a run that has used up its calls is denied more', () => {
  const states = { a: { allowed_tools: ['Read'], on: { GO: 'z' } }, z: { type: 'final' } }
  const definition = { id: 'w', initial: 'a', meta: { calls_max: 1 }, states }
  const machine = compileDefinition(sourceOf(definition)).machines[0] as Machine
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const spoken = { tool: 'Read', input: { file_path: 'a' } }
  const call = readCall(spoken, { machine, workspace: '/w' })
  const begun = decide({ machine, envelope }, null, start)
  const once = decide({ machine, envelope }, begun.state, { type: 'CheckCall', call })
  const twice = decide({ machine, envelope }, once.state, { type: 'CheckCall', call })
  expect(once.reply).toMatchObject({ verdict: 'allow' })
  expect(twice.reply).toMatchObject({ verdict: 'deny', code: 'CALLS_EXHAUSTED' })
})

test('code that reads a blocked variable is denied for that, also where no code may run', () => {
  const machine = machineOf({ allowed_tools: ['Bash'], blocked_env: ['KEY'], on: { GO: 'z' } })
  for (const code of ['os.environ["KEY"]', 'os.getenv("KEY")']) {
    const reply = judge(machine, 'Bash', { command: `python3 -c 'import os; print(${code})'` })
    expect(reply).toMatchObject({ verdict: 'deny', code: 'ENV_BLOCKED' })
  }
  const written = judge(machine, 'Bash', { command: "python3 -c 'print(1)'" })
  expect(written).toMatchObject({ verdict: 'deny', code: 'SHELL_WRITE_NOT_ALLOWED' })
})

test('a file tool with a blank path is denied for its input', () => {
  const machine = machineOf({ on: { GO: 'z' } })
  for (const path of [' ', '\t', '\n ', '\u00a0', '']) {
    for (const tool of ['Read', 'Edit', 'Write']) {
      const reply = judge(machine, tool, { file_path: path, content: 'x' })
      expect(reply).toMatchObject({ verdict: 'deny', code: 'PATH_OUT_OF_SCOPE' })
      expect(reply.reason).toContain('empty')
    }
  }
})
