import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hasErrors } from '../finding.ts'
import type { Json } from '../json.ts'
import { policySchema } from '../policy/schema.ts'
import { findingsMax } from '../source/limits.ts'
import { readSource } from '../source/read-source.ts'
import { plainValue, positionOf, sourceOf } from '../source/source.ts'
import { check, form, process, workflow } from './definition-builder.contract.ts'
import { processSchema } from './process/schema.ts'
import { envelopeSchema, stepsSchema } from './steps/schema.ts'
import { checkTree, readTree, validateTree } from './validate-tree.ts'
import { workflowSchema } from './workflow/schema.ts'

test('a missing field is an error at the object that needs it', () => {
  expect(check(workflowSchema, { initial: 'a', states: {} })).toEqual(['SCHEMA_INVALID '])
  expect(check(workflowSchema, { id: 'w', states: {} })).toEqual(['SCHEMA_INVALID '])
  expect(check(processSchema, { name: 'empty-hands', initial: 'x' })).toEqual(['SCHEMA_INVALID '])
  expect(check(processSchema, process({ states: { z: { answers: {} } } }))).toEqual([
    'SCHEMA_INVALID /states/z',
  ])
  expect(check(workflowSchema, workflow({ on: { GO: { guard: 'g' } } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO',
  ])
  expect(check(workflowSchema, workflow({ on: { GO: { invoke: 'k', on_fail: 'z' } } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO',
  ])
  expect(check(workflowSchema, workflow({}, { guards: { g: { op: 'exists' } } }))).toEqual([
    'SCHEMA_INVALID /guards/g',
  ])
  expect(check(policySchema, { deny: [{ tool: 'bash' }] })).toEqual([
    'SCHEMA_INVALID /deny/0',
    'FIELD_UNKNOWN /deny/0/tool',
  ])
  const answer = { question: '?', answers: { y: { action: 'block' } } }
  expect(check(processSchema, process({ states: { x: answer } }))).toEqual([
    'SCHEMA_INVALID /states/x/answers/y',
  ])
})

test('a word that is not among the known ones is an error that lists them', () => {
  const state = { question: '?', answers: { y: { next: null, action: 'explode' } } }
  expect(check(processSchema, process({ states: { x: state } }))).toEqual([
    'SCHEMA_INVALID /states/x/answers/y/action',
  ])
  const period = { allow: [{ capability: 'x', budget_limit: { max_usd: 1, period: 'weekly' } }] }
  expect(check(policySchema, period)).toEqual(['SCHEMA_INVALID /allow/0/budget_limit/period'])
  const fork = { branches: { b: { initial: 'p', terminal: 'q' } }, join: 'first', on_complete: 'z' }
  expect(check(workflowSchema, workflow({ on: { GO: { fork } } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO/fork/join',
  ])
  expect(check(workflowSchema, workflow({}, { meta: { approval_mode: 'off' } }))).toEqual([
    'SCHEMA_INVALID /meta/approval_mode',
  ])
  expect(check(stepsSchema, form({ inputs: [{ name: 'a', type: 'money' }] }))).toEqual([
    'SCHEMA_INVALID /steps/0/inputs/0/type',
  ])
  expect(check(stepsSchema, form({ on: { submit: [{ action: 'delete', name: 'x' }] } }))).toEqual([
    'SCHEMA_INVALID /steps/0/on/submit/0/action',
  ])
  const [one] = validateTree(
    workflowSchema,
    sourceOf(workflow({}, { guards: { g: { field: 'x', op: 'equals' } } })),
  )
  expect(one).toMatchObject({ code: 'SCHEMA_INVALID', pointer: '/guards/g/op' })
  for (const op of ['eq', 'in', 'not_exists']) expect(one!.message).toContain(op)
  const [near] = validateTree(workflowSchema, sourceOf(workflow({ type: 'finall' })))
  expect(near!.hint).toContain('`final`')
})

test('a value of the wrong kind is an error at the value', () => {
  expect(check(policySchema, { deny: { capability: 'bash' } })).toEqual(['SCHEMA_INVALID /deny'])
  expect(check(workflowSchema, workflow({ allowed_tools: 'Read' }))).toEqual([
    'SCHEMA_INVALID /states/a/allowed_tools',
  ])
  expect(check(workflowSchema, workflow({ allowed_tools: ['Read', 3] }))).toEqual([
    'SCHEMA_INVALID /states/a/allowed_tools/1',
  ])
  expect(check(workflowSchema, workflow({ on: { GO: 7 } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO',
  ])
  expect(check(workflowSchema, workflow({ on: { GO: [] } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO',
  ])
  expect(check(workflowSchema, workflow({ on: { GO: ['z'] } }))).toEqual([
    'SCHEMA_INVALID /states/a/on/GO/0',
  ])
  expect(check(workflowSchema, workflow({ env: { PORT: 80 } }))).toEqual([
    'SCHEMA_INVALID /states/a/env/PORT',
  ])
  expect(check(workflowSchema, workflow({ max_iterations: '3' }))).toEqual([
    'SCHEMA_INVALID /states/a/max_iterations',
  ])
  expect(
    check(workflowSchema, workflow({}, { guards: { g: { field: 'x', op: 'in', value: 'prod' } } })),
  ).toEqual(['SCHEMA_INVALID /guards/g/value'])
  expect(check(stepsSchema, form({}, { steps: [] }))).toEqual(['SCHEMA_INVALID /steps'])
  expect(check(stepsSchema, form({ next: [{ id: 'A', if: 3 }] }))).toEqual([
    'SCHEMA_INVALID /steps/0/next/0/if',
  ])
  expect(check(processSchema, [])).toEqual(['SCHEMA_INVALID '])
  expect(
    check(workflowSchema, workflow({ on: { GO: { target: 'z', invoke: 'k', on_complete: 'z' } } })),
  ).toEqual(['SCHEMA_INVALID /states/a/on/GO'])
})

test('limits are whole numbers from one, and money is more than nothing', () => {
  for (const field of [
    'max_iterations',
    'max_edit_lines',
    'max_files_per_state',
    'context_budget_bytes',
  ]) {
    for (const bad of [0, -5, 1.5, 1e300]) {
      expect(check(workflowSchema, workflow({ [field]: bad }))).toEqual([
        `LIMIT_INVALID /states/a/${field}`,
      ])
    }
  }
  const rate = (max_calls: number, window_seconds: number): Json => ({
    allow: [{ capability: 'bash', rate_limit: { max_calls, window_seconds } }],
  })
  expect(check(policySchema, rate(0, 60))).toEqual(['LIMIT_INVALID /allow/0/rate_limit/max_calls'])
  expect(check(policySchema, rate(1.5, 60))).toEqual([
    'LIMIT_INVALID /allow/0/rate_limit/max_calls',
  ])
  expect(check(policySchema, rate(3, -1))).toEqual([
    'LIMIT_INVALID /allow/0/rate_limit/window_seconds',
  ])
  expect(check(processSchema, process({ session_budget_usd: -2 }))).toEqual([
    'LIMIT_INVALID /session_budget_usd',
  ])
  expect(check(processSchema, process({ session_budget_usd: 0 }))).toEqual([
    'LIMIT_INVALID /session_budget_usd',
  ])
  expect(check(workflowSchema, workflow({}, { meta: { calls_max: 0 } }))).toEqual([
    'LIMIT_INVALID /meta/calls_max',
  ])
})

test('a field nobody knows is a warning, a near miss of a known one an error that names it', () => {
  expect(check(workflowSchema, workflow({ owner_team: 'payments' }))).toEqual([
    'FIELD_UNKNOWN /states/a/owner_team',
  ])
  expect(check(stepsSchema, form({ inputs: [{ name: 'a', colour: 'blue' }] }))).toEqual([
    'FIELD_UNKNOWN /steps/0/inputs/0/colour',
  ])
  const misspelt = (state: { [key: string]: Json }) =>
    validateTree(workflowSchema, sourceOf(workflow(state)))[0]
  expect(misspelt({ alowed_tools: [] })).toMatchObject({
    code: 'FIELD_MISSPELT',
    atKey: true,
    severity: 'error',
  })
  expect(misspelt({ alowed_tools: [] })!.message).toContain('`allowed_tools`')
  expect(misspelt({ allowedTools: [] })!.message).toContain('`allowed_tools`')
  expect(check(stepsSchema, form({ inputs: [{ name: 'a', requird: false }] }))).toEqual([
    'FIELD_MISSPELT /steps/0/inputs/0/requird',
  ])
})

test('in a free object only another style of a known name is an error', () => {
  expect(check(workflowSchema, workflow({}, { meta: { callsMax: 3 } }))).toEqual([
    'FIELD_MISSPELT /meta/callsMax',
  ])
  expect(check(workflowSchema, workflow({}, { meta: { calls_maxx: 3, owner: 'me' } }))).toEqual([])
})

test('notes of the author are free', () => {
  expect(
    check(workflowSchema, workflow({ 'x-on': 1, $comment: 'why' }, { 'x-id': 1, $schema: 's' })),
  ).toEqual([])
})

test('another spelling of a field is taken with a warning', () => {
  const op = { action: 'set', name: 'x', value_from: 'inputs.a' }
  expect(check(stepsSchema, form({ on: { submit: [op] } }))).toEqual([
    'FIELD_ALIAS /steps/0/on/submit/0/value_from',
  ])
})

test('a misspelt field is marked at its key, in YAML as in JSON', () => {
  const texts = [
    '{"id":"w","initial":"a","states":{"a":{"alowed_tools":[]}}}',
    'id: w\ninitial: a\nstates:\n  a:\n    alowed_tools: []\n',
  ]
  for (const text of texts) {
    const { root } = readSource(text)
    const place = positionOf(root, validateTree(workflowSchema, root!)[0]!)!
    expect(text.slice(place.start, place.end).replaceAll('"', '')).toBe('alowed_tools')
  }
})

test('an error behind many warnings is still found', () => {
  const noise = Object.fromEntries(
    Array.from({ length: findingsMax * 2 }, (_, i) => [`noise_${i}`, 1]),
  )
  const findings = validateTree(workflowSchema, sourceOf(workflow({ ...noise, max_iterations: 0 })))
  expect(hasErrors(findings)).toBe(true)
  expect(findings.length).toBeLessThanOrEqual(findingsMax + 1)
})

test('a tree deeper than any definition is refused, not fallen through', () => {
  let expression: Json = 'a'
  for (let i = 0; i < 5000; i += 1) expression = { case: [{ valueFrom: expression }] }
  const deep = form({ on: { submit: [{ action: 'set', name: 'x', valueFrom: expression }] } })
  expect(validateTree(stepsSchema, sourceOf(deep))).toMatchObject([{ code: 'SIZE_EXCEEDED' }])
})

test('a value that fits comes back as it is, and one that does not is null', () => {
  expect(readTree(policySchema, sourceOf({ role: 'agent' })).value).toEqual({ role: 'agent' })
  expect(readTree(policySchema, sourceOf({ role: 3 })).value).toBeNull()
})

test('a limit that a place does not know is an error, and no remark', () => {
  const mail = { email_config: { max_emails_per_session: 1 } }
  expect(check(workflowSchema, workflow({}, mail))).toEqual(['SCHEMA_INVALID /email_config'])
  expect(check(workflowSchema, workflow({ session_budget_usd: 1 }))).toMatchObject([
    expect.stringContaining('SCHEMA_INVALID'),
  ])
  const noted = workflow({}, { meta: { session_budget_usd: 1 } })
  expect(check(workflowSchema, noted)).toEqual(['SCHEMA_INVALID /meta/session_budget_usd'])
  expect(check(workflowSchema, workflow({}, { session_budget_usd: 1 }))).toEqual([])
  const held = { min_isolation: 'full' }
  expect(check(workflowSchema, workflow(held))).toEqual(['SCHEMA_INVALID /states/a/min_isolation'])
  expect(check(envelopeSchema, { ...held, context: { task: form({}, held) } })).toEqual([
    'SCHEMA_INVALID /min_isolation',
  ])
})

test('a definition is refused exactly when zod refuses it, misspelt fields aside', () => {
  const samples: readonly (readonly [z.ZodType, Json])[] = [
    [processSchema, process({ policy: { deny: [{ capability: 'x' }] }, session_budget_usd: 1 })],
    [
      workflowSchema,
      workflow(
        {
          max_iterations: 3,
          on: { A: ['z'], B: { target: 'z' }, C: { invoke: 'k', on_complete: 'z' } },
        },
        { guards: { g: { field: 'f', op: 'in', value: [] } }, meta: { debug: true } },
      ),
    ],
    [
      stepsSchema,
      form({
        next: ['A', { id: 'A' }],
        on: {
          submit: [
            { action: 'set', name: 'x', valueFrom: { case: [{ value: 1 }] } },
            { action: 'say', text: 't' },
          ],
        },
      }),
    ],
  ]
  const junk = fc.constantFrom<Json>(
    null,
    0,
    -1,
    1,
    1.5,
    '',
    'x',
    true,
    [],
    {},
    ['x'],
    [1],
    { a: 1 },
    'in',
    'set',
  )
  fc.assert(
    fc.property(fc.nat(samples.length - 1), fc.nat(40), junk, (which, at, put) => {
      const [schema, sound] = samples[which]!
      const mutated = replaceNth(sound, { left: at }, put)
      const node = sourceOf(mutated)
      const { findings, absent } = checkTree(schema, node)
      const refused = findings.some(
        (one) => one.severity === 'error' && one.code !== 'FIELD_MISSPELT',
      )
      expect(refused).toBe(!schema.safeParse(plainValue(node, absent)).success)
    }),
    { numRuns: 1500 },
  )
})

function replaceNth(value: Json, count: { left: number }, put: Json): Json {
  if (count.left === 0) {
    count.left -= 1
    return put
  }
  count.left -= 1
  if (Array.isArray(value)) return value.map((item) => replaceNth(item, count, put))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, replaceNth(one as Json, count, put)]),
  )
}

test('a schema with a kind nobody checks is a bug that shows at once', () => {
  expect(() => validateTree(z.union([z.string(), z.number()]), sourceOf(1))).toThrow('bug')
  expect(() => validateTree(z.date(), sourceOf(1))).toThrow('bug')
})

test('a text of the wrong form is answered in the words of its schema', () => {
  const name = z.string().regex(/^a/, 'a name that begins with `a`')
  const [found] = checkTree(name, sourceOf('b')).findings
  expect(found?.hint).toBe('expected: a name that begins with `a`')
})
