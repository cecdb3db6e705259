import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { type SchemaName, schemaNames, schemaText, staleSchemas } from './write-schemas.ts'

function isValid(name: SchemaName, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false })
  return ajv.validate(JSON.parse(schemaText(name)), value)
}

const process = {
  name: 'go-live',
  initial: 'ci',
  'x-owner': 'me',
  states: { ci: { question: 'Green?', answers: { yes: { next: null, action: 'complete' } } } },
  policy: {
    role: 'agent',
    allow: [{ capability: 'bash', rate_limit: { max_calls: 5, window_seconds: 60 } }],
  },
}

const workflow = {
  $schema: 'https://pawl.dev/schemas/workflow.schema.json',
  id: 'w',
  initial: 'a',
  guards: { g: { field: 'x', op: 'in', value: [1] } },
  states: {
    a: {
      allowed_tools: ['Read'],
      on: {
        A: 'z',
        B: [{ target: 'z', guard: 'g' }],
        C: { invoke: 'k', on_complete: 'z' },
        D: { fork: { branches: { l: { initial: 'a', terminal: 'z' } }, on_complete: 'z' } },
      },
    },
    z: { type: 'final' },
  },
  meta: { anything: 1 },
}

const step = {
  id: 'A',
  goal: 'g',
  on: { submit: [{ action: 'set', name: 'x', valueFrom: { case: [{ if: 'a', value: 1 }] } }] },
  next: ['A', { id: 'A', if: { type: 'cel', expression: 'true' } }],
}
const steps = {
  type: 'steps',
  version: 'v1alpha',
  id: 'k',
  tool: { name: 'submit_k' },
  steps: [step],
}

const cases = [
  {
    id: 'a-case',
    title: 'something holds',
    definition: workflow,
    steps: [{ signal: 'GO', expect: { stage: 'z' } }, { wait: '61s' }],
  },
]

test('the schemas in the repository are those of the code', () => {
  expect(staleSchemas()).toEqual([])
})

test('each schema says which it is, and every field says what it is for', () => {
  for (const name of schemaNames) {
    const schema = JSON.parse(schemaText(name))
    expect(schema.$id).toBe(`https://pawl.dev/schemas/${name}.schema.json`)
    expect(schema.$schema).toContain('2020-12')
    expect(schema.title).not.toBe('')
  }
  const state = JSON.parse(schemaText('workflow')).$defs.state.properties
  for (const field of Object.values(state)) expect(field).toHaveProperty('description')
})

test('sound definitions pass', () => {
  expect(isValid('process', process)).toBe(true)
  expect(isValid('workflow', workflow)).toBe(true)
  expect(isValid('steps', steps)).toBe(true)
  expect(isValid('steps', { type: 'context', context: { task: steps } })).toBe(true)
  expect(isValid('steps', { context: { task: [steps, steps] } })).toBe(true)
  expect(isValid('policy', process.policy)).toBe(true)
  expect(isValid('cases', cases)).toBe(true)
  expect(isValid('cases', cases[0])).toBe(true)
})

test('broken definitions fail', () => {
  expect(isValid('process', { ...process, initial: 3 })).toBe(false)
  expect(isValid('process', { ...process, inital: 'ci' })).toBe(false)
  expect(isValid('process', { ...process, states: { ci: { answers: {} } } })).toBe(false)
  expect(isValid('process', { ...process, session_budget_usd: 0 })).toBe(false)
  expect(
    isValid('workflow', { ...workflow, guards: { g: { field: 'x', op: 'in', value: 1 } } }),
  ).toBe(false)
  expect(isValid('workflow', { ...workflow, states: { a: { on: { A: { guard: 'g' } } } } })).toBe(
    false,
  )
  expect(isValid('workflow', { ...workflow, states: { a: { max_iterations: 0 } } })).toBe(false)
  expect(isValid('workflow', { ...workflow, states: { a: { alowed_tools: [] } } })).toBe(false)
  expect(isValid('steps', { ...steps, steps: [] })).toBe(false)
  expect(
    isValid('steps', { ...steps, steps: [{ ...step, on: { submit: [{ action: 'delete' }] } }] }),
  ).toBe(false)
  expect(isValid('policy', { deny: { capability: 'bash' } })).toBe(false)
  expect(
    isValid('policy', {
      allow: [{ capability: 'x', budget_limit: { max_usd: 1, period: 'weekly' } }],
    }),
  ).toBe(false)
  expect(isValid('cases', [{ ...cases[0], steps: [{ signal: 'A', wait: '1s' }] }])).toBe(false)
  expect(isValid('cases', [{ ...cases[0], id: 'Not Kebab' }])).toBe(false)
})
