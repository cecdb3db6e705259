/** In every dialect, `null` in a field that may be left out says the same as leaving it out. */
import { expect, test } from 'vitest'
import { hasErrors } from '../finding.ts'
import type { JsonObject } from '../json.ts'
import { readSource } from '../source/read-source.ts'
import { type Node, sourceOf } from '../source/source.ts'
import { compileDefinition } from './compile-definition.ts'

type Pair = readonly [title: string, plain: JsonObject, withNulls: JsonObject]

const stateNulls = {
  ...{ type: null, outcome: null, instructions: null, safe_next: null, allowed_tools: null },
  ...{ disallowed_tools: null, allowed_commands: null, allowed_commands_tool: null, env: null },
  ...{ blocked_env: null, deny_env: null, env_overrides: null, max_iterations: null, model: null },
  ...{ max_edit_lines: null, max_files_per_state: null, context_budget_bytes: null },
  ...{ thinking_level: null, model_ladder: null, direct_execution: null },
}
const routeNulls = {
  ...{ guard: null, guards: null, requires_approval: null, approval_message: null },
  ...{ approvals: null, approval_editable: null },
}
const metaNulls = {
  ...{ task_type: null, estimated_steps: null, danger_level: null, approval_mode: null },
  ...{ requires_human_approval: null, capture_output: null, debug: null, default_model: null },
  ...{ after_end: null, calls_max: null },
}
const commonNulls = { $schema: null, dialect: null, policy: null, paths: null, createdAt: null }
const runNulls = { ...commonNulls, session_budget_usd: null, min_isolation: null }

const pairs: readonly Pair[] = [
  [
    'a workflow',
    {
      id: 'w',
      initial: 'a',
      states: {
        a: {
          on: {
            GO: { target: 'b' },
            ASK: [{ target: 'b', guard: 'g' }, { target: 'a' }],
            RUN: { invoke: 'other', on_complete: 'b' },
            SPLIT: { fork: { branches: { x: { initial: 'c', terminal: 'd' } }, on_complete: 'b' } },
          },
        },
        b: { type: 'final' },
        c: { on: { OK: 'd' } },
        d: { type: 'final' },
      },
      guards: { g: { field: 'x', op: 'eq', value: null } },
    },
    {
      ...{ ...runNulls, id: 'w', initial: 'a', context: null, interrupts: null, meta: null },
      states: {
        a: {
          ...stateNulls,
          on: {
            GO: { target: 'b', ...routeNulls, invoke: null, fork: null },
            ASK: [
              { target: 'b', ...routeNulls, guard: 'g' },
              { target: 'a', ...routeNulls },
            ],
            RUN: { invoke: 'other', on_complete: 'b', on_fail: null, input: null, target: null },
            SPLIT: {
              fork: {
                branches: { x: { initial: 'c', terminal: 'd' } },
                ...{ join: null, on_complete: 'b', on_fail: null },
              },
              ...routeNulls,
            },
          },
        },
        b: { ...stateNulls, type: 'final', on: null },
        c: { ...stateNulls, on: { OK: 'd' } },
        d: { ...stateNulls, type: 'final' },
      },
      guards: { g: { field: 'x', op: 'eq', value: null, source: null } },
    },
  ],
  [
    'the meta of a workflow',
    { id: 'w', initial: 'a', states: { a: { on: { GO: 'b' } }, b: { type: 'final' } } },
    {
      ...{ id: 'w', initial: 'a', meta: metaNulls },
      states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
    },
  ],
  [
    'a process',
    {
      name: 'p',
      initial: 'q',
      states: { q: { question: 'Well?', answers: { yes: { next: null, action: 'complete' } } } },
      policy: { allow: [{ capability: 'bash' }] },
      email_config: { max_emails_per_session: 2 },
    },
    {
      ...{ ...runNulls, id: null, name: 'p', initial: 'q', initial_prompt: null },
      states: {
        q: {
          question: 'Well?',
          answers: { yes: { next: null, action: 'complete', approvals: null } },
        },
      },
      policy: {
        ...{ role: null, ask: null, deny: null, default: null, min_isolation: null },
        allow: [{ capability: 'bash', rate_limit: null, budget_limit: null, approvals: null }],
      },
      email_config: { max_emails_per_session: 2, allowed_from: null, allowed_to: null },
      allowed_tools: null,
    },
  ],
  [
    'a form of steps',
    {
      type: 'steps',
      id: 'f',
      variables: [{ name: 'v', value: 1 }],
      steps: [
        {
          id: 'A',
          goal: 'ask',
          inputs: [{ name: 'n' }],
          on: {
            submit: [
              { action: 'set', name: 'x', value: 1 },
              { action: 'set', name: 'y', valueFrom: 'inputs.n' },
              { action: 'save' },
              { action: 'call', name: 'lookup' },
            ],
          },
          next: [{ id: 'B' }],
        },
        { id: 'B', goal: 'end' },
      ],
    },
    {
      ...{ ...runNulls, type: 'steps', version: null, id: 'f', config: null, metadata: null },
      ...{ tool: null, start: null },
      variables: [{ name: 'v', value: 1, valueFrom: null, type: null, description: null }],
      steps: [
        {
          ...{ id: 'A', goal: 'ask', instructions: null, tools: null },
          inputs: [
            {
              ...{ name: 'n', type: null, title: null, description: null, required: null },
              ...{ enum: null, pattern: null, format: null, examples: null },
            },
          ],
          on: {
            ...{ start: null, enter: null, presubmit: null },
            submit: [
              { action: 'set', name: 'x', value: 1, valueFrom: null, value_from: null, if: null },
              { action: 'set', name: 'y', value: null, valueFrom: 'inputs.n', if: null },
              { action: 'save', inputs: null, name: null, if: null },
              { action: 'call', name: 'lookup', arguments: null, result: null, if: null },
            ],
          },
          next: [{ id: 'B', if: null, requires: null }],
        },
        { id: 'B', goal: 'end', inputs: null, on: null, next: null, tools: { allow: null } },
      ],
    },
  ],
]

test.each(pairs)('%s means the same with and without `null`', (_, plain, withNulls) => {
  const [one, other] = [plain, withNulls].map((value) => compileDefinition(sourceOf(value)))
  expect(other?.findings).toEqual(one?.findings)
  expect(other?.machines.map(({ hash }) => hash)).toEqual(one?.machines.map(({ hash }) => hash))
  expect(other?.machines).toHaveLength(1)
})

const open = 'id: w\ninitial: a\nstates:\n  b: { type: final }\n  a:\n    on: { GO: b }\n'

test.each([
  ['allowed_tools: null', true],
  ['allowed_tools: ~', true],
  // Somebody has begun to write a limit here.
  ['allowed_tools:', false],
  ['max_iterations:', false],
  // No field that may be left out.
  ['on: { GO: null }', false],
])('in YAML `%s` is accepted: %s', (line, isAccepted) => {
  const before = line.startsWith('on') ? open.replace('    on: { GO: b }\n', '') : open
  const text = `${before}    ${line}\n`
  const root = readSource(text, 'yaml').root as Node
  expect(hasErrors(compileDefinition(root).findings)).toBe(!isAccepted)
})

test.each(['id', 'initial', 'states'])('`%s` is needed, and `null` does not give it', (field) => {
  const whole: JsonObject = { dialect: 'workflow', id: 'w', initial: 'a', states: {} }
  const { findings } = compileDefinition(sourceOf({ ...whole, [field]: null }))
  expect(findings.some((one) => one.code === 'SCHEMA_INVALID')).toBe(true)
})
