import { expect, test } from 'vitest'
import { policySchema } from '../policy/schema.ts'
import { check, form, process, workflow } from './definition-builder.contract.ts'
import { processSchema } from './process/schema.ts'
import { envelopeSchema, stepsSchema } from './steps/schema.ts'
import { workflowSchema } from './workflow/schema.ts'

test('sound definitions have no remarks', () => {
  expect(check(processSchema, process())).toEqual([])
  expect(check(workflowSchema, workflow({}))).toEqual([])
  expect(check(stepsSchema, form({}))).toEqual([])
  expect(check(policySchema, {})).toEqual([])
})

test('a process as a service stores it has no remarks', () => {
  const stored = process({
    id: 'proc_7f31',
    initial_prompt: 'Send the monthly letter.',
    session_budget_usd: 2.5,
    email_config: { max_emails_per_session: 3, allowed_from: ['a@b.c'], allowed_to: ['d@e.f'] },
    allowed_tools: ['memory_get'],
    policy: {
      role: 'agent',
      allow: [{ capability: 'bash', rate_limit: { max_calls: 5, window_seconds: 60 } }],
      ask: [{ capability: 'mcp:r:*', budget_limit: { max_usd: 1, period: 'daily' } }],
      deny: [{ capability: 'mcp:files:delete' }],
    },
    createdAt: '2026-03-01T08:00:00.000Z',
    updatedAt: '2026-03-02T08:00:00.000Z',
  })
  expect(check(processSchema, stored)).toEqual([])
})

test('a workflow with every field has no remarks', () => {
  const state = {
    type: 'parallel',
    outcome: 'failed',
    instructions: 'x',
    safe_next: 'z',
    allowed_tools: [],
    disallowed_tools: ['X'],
    allowed_commands: ['npm test'],
    allowed_commands_tool: 'Bash',
    blocked_env: ['A'],
    deny_env: ['B'],
    env_overrides: { A: '1' },
    env: { B: '2' },
    max_iterations: 1,
    max_edit_lines: 1,
    max_files_per_state: 1,
    context_budget_bytes: 1,
    model: 'm',
    thinking_level: 'low',
    model_ladder: ['a', 'b'],
    direct_execution: true,
    'x-note': 1,
    $comment: 'c',
    on: {
      A: 'z',
      B: { target: 'z', guard: 'g', guards: ['g'], requires_approval: true, approval_message: '?' },
      C: [{ target: 'z', guard: 'g' }, { target: 'z' }],
      D: { invoke: 'k', on_complete: 'z', on_fail: 'z', input: { any: [1] }, guard: 'g' },
      E: {
        fork: {
          branches: { l: { initial: 'a', terminal: 'z' } },
          join: 'any',
          on_complete: 'z',
          on_fail: 'z',
        },
        requires_approval: true,
      },
    },
  }
  const rest = {
    $schema: 'https://statewright.ai/workflow-schema.json',
    dialect: 'workflow',
    context: { anything: { at: ['all'] } },
    guards: {
      g: { field: 'x', op: 'in', value: [1] },
      h: { field: 'x', op: 'exists', source: 'observed' },
    },
    interrupts: { i: { trigger: { file_pattern: '*' }, target: 'z' } },
    paths: { read: ['/etc/x'], write: [] },
    policy: { default: 'deny' },
    meta: {
      task_type: 't',
      estimated_steps: 3,
      danger_level: 'safe',
      requires_human_approval: true,
      capture_output: true,
      approval_mode: 'none',
      debug: false,
      default_model: 'm',
      after_end: 'hold',
      calls_max: 9,
      orchestration: 'plugin',
      anything: { a: 1 },
    },
  }
  expect(check(workflowSchema, workflow(state, rest))).toEqual([])
})

test('a form with every field has no remarks', () => {
  const cel = { type: 'cel', expression: 'inputs.n + 1' }
  const step = {
    instructions: ['a', { if: 'vip', text: 'b' }],
    inputs: [
      {
        name: 'n',
        type: 'integer',
        title: 't',
        description: 'd',
        required: false,
        enum: ['1'],
        pattern: '.',
        format: 'date',
        examples: [1],
      },
    ],
    tools: { call: true, allow: null, allowGoToStep: true },
    on: {
      start: [{ action: 'set', name: 'local.x', value: { deep: [1] } }],
      enter: [
        { action: 'load', inputs: ['n'], overwrite: true, if: { type: 'jp', expression: 'a' } },
        { action: 'say', text: 'hi', role: 'user' },
        {
          action: 'call',
          name: 't',
          arguments: { a: { b: 1 } },
          autoPopulate: 'required',
          result: { save: [{ from: cel, to: 'local.y' }] },
        },
        { action: 'call', name: 't', autoPopulate: false },
      ],
      presubmit: [
        { action: 'get' },
        {
          action: 'set',
          name: 'x',
          valueFrom: { case: [{ if: 'a', value: 1 }, { valueFrom: { case: [{ value: 2 }] } }] },
        },
      ],
      submit: [
        { action: 'save', inputs: ['n'], name: 'm' },
        { action: 'inc', name: 'c', by: 2 },
      ],
    },
    next: ['A', { id: 'A', if: cel, requires: ['n'] }],
  }
  const rest = {
    config: { any: 1 },
    metadata: { priority: 1, other: 2 },
    start: 'manual',
    tool: { name: 'submit_k', description: 'd' },
    variables: [
      { name: 'v', type: 'number', value: 1 },
      { name: 'w', valueFrom: cel, description: 'd' },
    ],
  }
  expect(check(stepsSchema, form(step, rest))).toEqual([])
  expect(check(stepsSchema, form({ instructions: 'one line' }))).toEqual([])
  const tool = { type: 'function', function: { name: 'x', parameters: { type: 'object' } } }
  const task = form(step, rest)
  expect(check(envelopeSchema, { type: 'context', context: { task }, tool })).toEqual([])
  expect(check(envelopeSchema, { context: { task: [task, { type: 'event', on: {} }] } })).toEqual(
    [],
  )
})
