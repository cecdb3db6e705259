/**
 * The agent is told every rule that it is held to, and what is left of each limit.
 */
import { describe, expect, test } from 'vitest'
import type { Context, Family } from '../engine/family.ts'
import { commandFamily, mainOf, startFamily } from '../engine/family.ts'
import type { Actor, Command } from '../engine/types.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Machine, Policy } from '../machine/machine.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { sourceOf } from '../source/source.ts'
import { readCall } from '../tools/read-call.ts'
import { compileDefinition } from './compile-definition.ts'
import { briefWithoutRules } from './rules-text.ts'
import { type View, viewMember } from './run-view.ts'
import { toCommand } from './to-command.ts'

const agent: Actor = { kind: 'agent', name: 'agent' }

function begin(definition: Json, policies: readonly Policy[] = []): Walked {
  const { machines, findings } = compileDefinition(sourceOf(definition))
  const machine = machines[0]
  if (machine === undefined) throw new Error(JSON.stringify(findings))
  const context: Context = { library: () => undefined, at: 1, actor: agent, policies }
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const { family } = startFamily({ runId: 'r', machine }, start, context)
  return { machine, family, context, policies }
}
type Walked = {
  readonly machine: Machine
  readonly family: Family
  readonly context: Context
  readonly policies: readonly Policy[]
}

function viewOf({ family, policies }: Walked): View {
  return viewMember(family, mainOf(family), { policies, at: 1 })
}

type TestCall = {
  readonly tool: string
  readonly input: JsonObject
  readonly bytes?: number
  readonly costMicroUsd?: number
}

/** Makes one call, and reports it. */
function call(walked: Walked, { tool, input, ...cost }: TestCall): Walked {
  const send = (family: Family, command: Command): Family =>
    commandFamily(family, { command, branch: null }, walked.context).family
  const { machine } = walked
  const read = readCall({ tool, input }, { machine, workspace: '/workspace' })
  const checked = send(walked.family, { type: 'CheckCall', call: read })
  const report = { ok: true, output: '', exitCode: 0, bytes: 0, costMicroUsd: 0, ...cost }
  return { ...walked, family: send(checked, { type: 'ReportCall', callId: null, report }) }
}

const policy = {
  allow: [
    { capability: 'model:*', budget_limit: { max_usd: 5, period: 'daily' } },
    { capability: 'read', rate_limit: { max_calls: 3, window_seconds: 60 } },
    { capability: '*' },
  ],
} as const

const workflow = (state: JsonObject, whole: JsonObject = {}): Json => ({
  id: 'release',
  initial: 'work',
  states: {
    work: { instructions: 'Do it.', on: { DONE: 'done' }, ...state },
    done: { type: 'final' },
  },
  ...whole,
})

const checklist = (whole: JsonObject): Json => ({
  name: 'gate',
  initial: 'ask',
  states: { ask: { question: 'Ready?', answers: { yes: { next: null } } } },
  ...whole,
})

const form = (step: JsonObject, whole: JsonObject = {}): Json => ({
  id: 'intake',
  steps: [{ id: 'one', goal: 'Collect.', inputs: [{ name: 'a', type: 'string' }], ...step }],
  ...whole,
})

describe('every rule of a definition is in the brief', () => {
  test.each<[string, Json, string]>([
    ['allowed_tools', workflow({ allowed_tools: ['Read', 'Edit'] }), 'Tools: Read, Edit.'],
    ['no tool', workflow({ allowed_tools: [] }), 'Tools: none.'],
    ['disallowed_tools', workflow({ disallowed_tools: ['Bash'] }), 'Tools: all except Bash.'],
    [
      'allowed_commands',
      workflow({ allowed_commands: ['npm test', 'git status'] }),
      'Commands: only `npm test`, `git status`.',
    ],
    [
      'allowed_commands_tool',
      workflow({ allowed_commands: ['ls'], allowed_commands_tool: 'run' }),
      'Commands: only `ls` with run.',
    ],
    ['no command', workflow({ allowed_commands: [] }), 'Commands: none.'],
    ['blocked_env', workflow({ blocked_env: ['AWS_KEY'] }), 'Variables: AWS_KEY blocked.'],
    ['deny_env', workflow({ deny_env: ['DB_URL'] }), 'Variables: DB_URL blocked.'],
    ['env_overrides', workflow({ env_overrides: { CI: '1' } }), 'Variables: CI set for you.'],
    ['max_edit_lines', workflow({ max_edit_lines: 40 }), 'at most 40 lines per edit'],
    ['max_files_per_state', workflow({ max_files_per_state: 3 }), '3 of 3 files left to change'],
    ['max_iterations', workflow({ max_iterations: 9 }), '9 of 9 calls left here'],
    [
      'context_budget_bytes',
      workflow({ context_budget_bytes: 500 }),
      '500 of 500 bytes of results left',
    ],
    ['calls_max', workflow({}, { meta: { calls_max: 7 } }), '7 of 7 calls left in the run'],
    [
      'session_budget_usd',
      workflow({}, { session_budget_usd: 2 }),
      'Budget: $2.00 of $2.00 left for the run of release.',
    ],
    [
      'paths',
      workflow({ allowed_tools: ['Read'] }, { paths: { read: ['/etc/x'], write: ['/tmp/y'] } }),
      'Files: only in the workspace; may also read `/etc/x`; may also write `/tmp/y`.',
    ],
    ['min_isolation', workflow({}, { min_isolation: 'isolated' }), 'Jobs: isolation isolated or'],
    [
      'a budget of the policy',
      workflow({}, { policy }),
      'Budget: $5.00 of $5.00 left for model:*, daily.',
    ],
    [
      'a rate of the policy',
      workflow({}, { policy }),
      'Rates: read 3 of 3 calls left in 1 minute.',
    ],
    [
      'tools of a process',
      checklist({ allowed_tools: ['memory_get'] }),
      'Tools: memory_get among memory_*, task_*.',
    ],
    [
      'mail of a process',
      checklist({
        email_config: {
          max_emails_per_session: 2,
          allowed_from: ['a@x.org'],
          allowed_to: ['b@x.org'],
        },
      }),
      'Mail: at most 2 in the run, from a@x.org, to b@x.org.',
    ],
    [
      'budget of a process',
      checklist({ session_budget_usd: 1 }),
      '$1.00 of $1.00 left for the run',
    ],
    ['isolation of a process', checklist({ min_isolation: 'full' }), 'Jobs: isolation full.'],
    ['tools of a step', form({ tools: { allow: ['lookup'] } }), 'Tools: lookup.'],
    ['budget of a form', form({}, { session_budget_usd: 1 }), '$1.00 of $1.00 left for the run'],
    ['policy of a form', form({}, { policy }), 'left for model:*, daily'],
  ])('%s', (_, definition, told) => {
    const view = viewOf(begin(definition))
    expect(view.brief).toContain(told)
    expect(briefWithoutRules(view)).not.toContain(told)
  })

  test('of a policy that is laid over the run as well', () => {
    const laid = compilePolicy({ allow: [...policy.allow], min_isolation: 'restricted' }, 'p#')
    const { brief } = viewOf(begin(workflow({}), [laid]))
    expect(brief).toContain('left for model:*, daily')
    expect(brief).toContain('Jobs: isolation restricted or stronger.')
  })
})

test('a definition without rules adds nothing to the brief', () => {
  for (const definition of [workflow({}), checklist({}), form({})]) {
    const view = viewOf(begin(definition))
    expect(view.brief).toBe(briefWithoutRules(view))
  }
})

test('values of variables are not told: they may be secrets', () => {
  const view = viewOf(begin(workflow({ env_overrides: { TOKEN: 's3cret' } })))
  expect(JSON.stringify(view)).not.toContain('s3cret')
  expect(view.rules.envSet).toEqual(['TOKEN'])
})

test('a long list is cut in the brief and whole in the data', () => {
  const commands = Array.from({ length: 40 }, (_, index) => `make target-${index}`)
  const view = viewOf(begin(workflow({ allowed_commands: commands })))
  expect(view.brief).toContain('`make target-0`')
  expect(view.brief).toContain(', … (the state of the run lists all 40)')
  expect(view.rules.commands).toEqual(commands)
})

test('what is left goes down as calls are made', () => {
  const limits = { max_iterations: 5, max_files_per_state: 2, context_budget_bytes: 100 }
  const whole = { meta: { calls_max: 8 }, session_budget_usd: 1, policy }
  let walked = begin(workflow(limits, whole))
  for (const made of [1, 2]) {
    const input = { file_path: `/workspace/f${made}.ts`, old_string: 'a', new_string: 'b' }
    walked = call(walked, { tool: 'Edit', input, bytes: 30, costMicroUsd: 200_000 })
    const { rules, callsLeft, bytesLeft } = viewOf(walked)
    expect(rules.calls).toEqual({ left: 5 - made, max: 5 })
    expect(rules.runCalls).toEqual({ left: 8 - made, max: 8 })
    expect(rules.bytes).toEqual({ left: 100 - 30 * made, max: 100 })
    expect(rules.files?.changed).toHaveLength(made)
    expect(rules.budgets[0]?.spentMicroUsd).toBe(200_000 * made)
    expect({ callsLeft, bytesLeft }).toEqual({ callsLeft: 5 - made, bytesLeft: 100 - 30 * made })
  }
  walked = call(walked, { tool: 'Read', input: { file_path: '/workspace/f1.ts' } })
  const { rules, brief } = viewOf(walked)
  expect(rules.rates).toEqual([{ capability: 'read', windowMs: 60_000, left: 2, max: 3 }])
  expect(brief).toContain('2 of 5 calls left here, 5 of 8 calls left in the run')
  expect(brief).toContain('0 of 2 files left to change (changed: `f1.ts`, `f2.ts`)')
  expect(brief).toContain('$0.60 of $1.00 left for the run of release')
})

test('a branch is told what is left of the limits that it shares with its parent', () => {
  const fork = { branches: { a: { initial: 'one', terminal: 'end' } }, on_complete: 'done' }
  const states = {
    work: { on: { SPLIT: { fork } }, allowed_tools: ['Read'] },
    one: { on: { DONE: 'end' }, allowed_tools: ['Read'] },
    end: { type: 'final' },
    done: { type: 'final' },
  }
  const limits = { meta: { calls_max: 8 }, session_budget_usd: 1 }
  const made = { tool: 'Read', input: { file_path: '/workspace/a' }, costMicroUsd: 250_000 }
  const before = call(begin({ id: 'forked', initial: 'work', states, ...limits }), made)
  const command = toCommand(before.machine, { kind: 'signal', name: 'SPLIT', data: null })
  const { family } = commandFamily(before.family, { command, branch: null }, before.context)
  const { rules, runId } = viewOf(call({ ...before, family }, made))
  expect(runId).not.toBe('r')
  expect(rules.runCalls).toEqual({ left: 6, max: 8 })
  expect(rules.budgets).toEqual([
    { of: 'forked', period: 'run', spentMicroUsd: 500_000, maxMicroUsd: 1_000_000 },
  ])
})

test('at the end the rules of the stages are over', () => {
  const walked = begin(workflow({ allowed_commands: ['ls'], max_iterations: 1 }))
  const { family, context } = walked
  const command = toCommand(walked.machine, { kind: 'signal', name: 'DONE', data: null })
  const ended = commandFamily(family, { command, branch: null }, context).family
  const view = viewOf({ ...walked, family: ended })
  expect(view.status).toBe('completed')
  expect(view.rules).toMatchObject({ tools: 'all', commands: null, calls: null })
})
