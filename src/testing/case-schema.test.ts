import { expect, test } from 'vitest'
import type { Json } from '../core/json.ts'
import { sourceOf } from '../core/source/source.ts'
import { checkCases } from './case-schema.ts'

function check(value: Json): string[] {
  return checkCases(sourceOf(value)).map((one) => `${one.code} ${one.pointer}`)
}

function oneCase(steps: readonly Json[], rest: { [key: string]: Json } = {}): Json {
  return { id: 'a-case', title: 'something holds', definition: { id: 'w' }, steps, ...rest }
}

const look: Json = { look: true, expect: { stage: 'a' } }

test('a case with every verb and every expectation is sound', () => {
  const expectation = {
    stage: 'a',
    status: 'running',
    vars: { a: null },
    local: {},
    inputs: {},
    missing: ['x'],
    tools: 'all',
    signals: [],
    says: ['hi'],
    brief_contains: ['a', 'b'],
    pending_call: { name: 't', arguments: {} },
    warnings: ['STEP_STALLS'],
    approval: { message: 'm', kind: 'move' },
    branches: { l: 'pending' },
    events: ['run.started'],
  }
  const steps: Json[] = [
    { signal: 'GO', data: { a: 1 }, run: 'lint', agent: 'sub-1', expect: expectation },
    { answer: 'yes', stage: 'ci', expect: { code: 'STAGE_STALE' } },
    {
      submit: { a: 1 },
      go_to_step: 'B',
      expect: { tools: ['x'], brief_contains: 'c', pending_call: null, approval: null },
    },
    { call: { tool: 'Bash', input: { command: 'ls' } }, expect: { verdict: 'allow', input: {} } },
    {
      call: { tool: 'Bash' },
      expect: { verdict: 'deny', code: 'POLICY_DENIED', rule: '/policy/deny/0' },
    },
    { report: { ok: true, output: 'x', exit_code: 0, bytes: 1, cost_usd: 0.1 } },
    { approve: { by: 'ann', note: 'n' } },
    { refuse: {}, expect: { code: 'any' } },
    { pause: { by: 'person', release: true } },
    { resume: { by: 'agent' } },
    { force: { stage: 'x', vars: {}, by: 'person' } },
    { wait: '61s' },
    look,
  ]
  const rest = {
    level: 'should',
    why: 'because',
    definitions: { k: {} },
    policy: {},
    workspace: '/w',
    tools: [{ name: 't', input_schema: {} }],
    start: { stage: 'a', vars: {} },
    check: { errors: 'maybe', warnings: ['DEAD_END'] },
  }
  expect(check(oneCase(steps, rest))).toEqual([])
  expect(check([oneCase([look]), oneCase([look], { id: 'other' })])).toEqual([])
})

test('an expectation that nobody would read is an error', () => {
  expect(check(oneCase([{ look: true, expect: { stagee: 'a' } }]))).toEqual([
    'FIELD_MISSPELT /steps/0/expect/stagee',
  ])
  expect(check(oneCase([{ look: true, expect: { colour: 'a' } }]))).toEqual([
    'SCHEMA_INVALID /steps/0/expect/colour',
  ])
  expect(check(oneCase([look], { owner: 'me' }))).toEqual(['SCHEMA_INVALID /owner'])
})

test('a step has exactly one verb', () => {
  expect(check(oneCase([{ expect: {} }]))).toEqual(['SCHEMA_INVALID /steps/0'])
  expect(check(oneCase([{ signal: 'A', answer: 'b' }]))).toEqual(['SCHEMA_INVALID /steps/0'])
  expect(check(oneCase(['GO']))).toEqual(['SCHEMA_INVALID /steps/0'])
})

test('codes, statuses, times and ids must be known ones', () => {
  expect(check(oneCase([{ signal: 'A', expect: { code: 'NOPE' } }]))).toEqual([
    'SCHEMA_INVALID /steps/0/expect/code',
  ])
  expect(check(oneCase([{ signal: 'A', expect: { status: 'active' } }]))).toEqual([
    'SCHEMA_INVALID /steps/0/expect/status',
  ])
  expect(check(oneCase([{ wait: '5 minutes' }]))).toEqual(['SCHEMA_INVALID /steps/0/wait'])
  expect(check(oneCase([], { check: { errors: ['DEAD_END'] } }))).toEqual([
    'SCHEMA_INVALID /check/errors/0',
  ])
  expect(check(oneCase([look], { id: 'A Case' }))).toEqual(['SCHEMA_INVALID /id'])
  expect(check([oneCase([look]), oneCase([look])])).toEqual(['SCHEMA_INVALID /1/id'])
})

test('a case that could not fail is an error', () => {
  expect(check(oneCase([]))).toEqual(['SCHEMA_INVALID '])
  expect(check(oneCase([{ look: true }]))).toEqual(['SCHEMA_INVALID /steps/0'])
  expect(check(oneCase([{ call: { tool: 'Bash' } }]))).toEqual(['SCHEMA_INVALID /steps/0'])
  expect(check(oneCase([{ call: { tool: 'Bash' }, expect: {} }]))).toEqual([
    'SCHEMA_INVALID /steps/0/expect',
  ])
})

test('expectations that contradict the step are errors', () => {
  const expecting = (step: { [key: string]: Json }, expect: Json) =>
    check(oneCase([{ ...step, expect }]))
  const call = { call: { tool: 'Bash', input: {} } }
  expect(expecting({ signal: 'A' }, { verdict: 'allow' })).toEqual([
    'SCHEMA_INVALID /steps/0/expect',
  ])
  expect(expecting(call, { verdict: 'allow', code: 'any' })).toEqual([
    'SCHEMA_INVALID /steps/0/expect',
  ])
  expect(expecting(call, { verdict: 'deny', input: {} })).toEqual([
    'SCHEMA_INVALID /steps/0/expect',
  ])
  expect(expecting({ wait: '1s' }, { code: 'any' })).toEqual(['SCHEMA_INVALID /steps/0/expect'])
  expect(check(oneCase([look], { check: { errors: ['NO_FINAL'] } }))).toEqual(['SCHEMA_INVALID '])
  expect(check(oneCase([look], { check: { errors: 'any' } }))).toEqual(['SCHEMA_INVALID '])
  expect(check(oneCase([look], { definition_file: 'x.json' }))).toEqual(['SCHEMA_INVALID '])
  expect(check({ id: 'a', title: 'no definition', steps: [look] })).toEqual(['SCHEMA_INVALID '])
})
