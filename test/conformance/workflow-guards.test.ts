/** Guards of a workflow: operators by type, several guards, and when they see which data. */
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import { useWorkflows, workflowDoors } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()

/** A context field that is not there. */
const missing = Symbol('missing')

type Row = readonly [
  op: string,
  value: Json | typeof missing,
  field: Json | typeof missing,
  passes: boolean,
  why?: string,
]

const quotes: Readonly<Record<string, string>> = {
  eq: 'eq | Equal | {"field": "status", "op": "eq", "value": "pass"}',
  neq: 'neq | Not equal | {"field": "status", "op": "neq", "value": "fail"}',
  gt: 'gt | Greater than | {"field": "coverage", "op": "gt", "value": 80}',
  gte: 'gte | Greater than or equal | {"field": "coverage", "op": "gte", "value": 80}',
  lt: 'lt | Less than | {"field": "errors", "op": "lt", "value": 5}',
  lte: 'lte | Less than or equal | {"field": "errors", "op": "lte", "value": 0}',
  in: 'in | Value is in a list | {"field": "env", "op": "in", "value": ["staging", "prod"]}',
  contains:
    'contains | Field contains value | {"field": "tags", "op": "contains", "value": "approved"}',
  exists: 'exists | Field exists and is not null | {"field": "review_id", "op": "exists"}',
  not_exists: 'not_exists | Field is missing or null | {"field": "error", "op": "not_exists"}',
}

const rows: readonly Row[] = [
  ['eq', 'pass', 'pass', true],
  ['eq', 'pass', 'fail', false],
  ['eq', 'pass', 'PASS', false],
  ['eq', 1, '1', false],
  ['eq', 1, 1, true],
  ['eq', true, true, true],
  ['eq', true, 'true', false],
  ['eq', null, null, true],
  ['eq', ['a', 1], ['a', 1], true],
  ['eq', ['a', 1], [1, 'a'], false],
  ['eq', { a: { b: 1 } }, { a: { b: 1 } }, true],
  ['eq', 'pass', missing, false],
  ['neq', 'fail', 'pass', true],
  ['neq', 'fail', 'fail', false],
  ['neq', 1, '1', true],
  ['neq', 'fail', null, true],
  ['neq', 'fail', missing, false, 'a missing field satisfies only not_exists'],
  ['gt', 80, 81, true],
  ['gt', 80, 80, false],
  ['gt', 80, 80.5, true],
  ['gt', 80, '92', false],
  ['gt', 80, null, false],
  ['gt', 80, missing, false],
  ['gte', 80, 80, true],
  ['gte', 80, 79.999, false],
  ['gte', -1, 0, true],
  ['gte', 80, true, false],
  ['lt', 5, 4, true],
  ['lt', 5, 5, false],
  ['lt', 5, '4', false],
  ['lt', 5, missing, false],
  ['lte', 0, 0, true],
  ['lte', 0, -3, true],
  ['lte', 0, 1, false],
  ['lte', 0, null, false],
  ['in', ['staging', 'prod'], 'prod', true],
  ['in', ['staging', 'prod'], 'dev', false],
  ['in', [1, 2], '1', false],
  ['in', [null, 'x'], null, true],
  ['in', ['staging'], missing, false],
  ['contains', 'approved', ['draft', 'approved'], true],
  ['contains', 'approved', ['draft'], false],
  ['contains', 'approved', 'it is approved now', true],
  ['contains', 'approved', 'approve', false],
  ['contains', 'approved', { approved: true }, false],
  ['contains', 3, [1, 3], true],
  ['contains', 'approved', missing, false],
  ['exists', missing, 'r1', true],
  ['exists', missing, '', true],
  ['exists', missing, 0, true],
  ['exists', missing, false, true],
  ['exists', missing, null, false],
  ['exists', missing, missing, false],
  ['not_exists', missing, missing, true],
  ['not_exists', missing, null, true],
  ['not_exists', missing, '', false],
  ['not_exists', missing, false, false],
]

const guarded = (guards: JsonObject, context: JsonObject, route: JsonObject) => ({
  id: 'guarded',
  initial: 'a',
  context,
  states: {
    a: { on: { GO: { target: 'b', ...route }, SET: 'a' } },
    b: { on: { END: 'c' } },
    c: { type: 'final' },
  },
  guards,
})

for (const [index, [op, value, field, passes, why]] of rows.entries()) {
  const door = workflowDoors[index % 3] ?? 'rest'
  const operand = value === missing ? '' : ` ${JSON.stringify(value)}`
  const given = field === missing ? 'with the field missing' : `with \`${JSON.stringify(field)}\``
  const verdict = passes ? 'passes' : 'does not pass'
  claim(
    {
      section: 'Guard Operators',
      quote: quotes[op] ?? op,
      check: `${given}, \`${op}${operand}\` ${verdict}${why ? `: ${why}` : ''} (${door})`,
    },
    async () => {
      const guard = { field: 'x', op, ...(value === missing ? {} : { value }) }
      const context = field === missing ? {} : { x: field }
      const run = await workflows.open(door, guarded({ g: guard }, context, { guard: 'g' }))
      const after = await run.send('GO')
      expect(after.code).toBe(passes ? null : 'GUARD_FAILED')
      expect((await run.look()).state).toBe(passes ? 'b' : 'a')
    },
  )
}

const errors: readonly (readonly [quote: string, check: string, guard: JsonObject])[] = [
  ['field | string | Yes', 'a guard without field is an error', { op: 'eq', value: 1 }],
  ['field | string | Yes', 'a field that is a number is an error', { field: 1, op: 'exists' }],
  ['op | string | Yes', 'a guard without op is an error', { field: 'x', value: 1 }],
  ['op | string | Yes', 'an op that is null is an error', { field: 'x', op: null }],
  ['op | Comparison operator', 'an unknown op is an error', { field: 'x', op: 'like', value: 1 }],
  ['in | Value is in a list', 'a value that is not a list is an error', { field: 'x', op: 'in' }],
]

for (const [quote, check, guard] of errors) {
  claim({ section: 'Guard Definitions', quote, check: `${check} (rest)` }, async () => {
    const definition = guarded({ g: guard }, {}, { guard: 'g' })
    const { status, body } = await workflows.doors.rest('POST /v1/definitions', {
      body: { definition },
    })
    expect([status, body.code]).toEqual([422, 'DEFINITION_INVALID'])
    expect(body.findings[0].pointer).toMatch(/^\/guards\/g/)
  })
}

claim(
  {
    section: 'Guard Definitions',
    quote: 'value | any | No | Value to compare against',
    check: 'guards without a value, or with null, are accepted (rest)',
  },
  async () => {
    const guards = { g: { field: 'x', op: 'exists' }, h: { field: 'x', op: 'eq', value: null } }
    const definition = guarded(guards, {}, { guards: ['g', 'h'] })
    const { body } = await workflows.doors.rest('POST /v1/check', { body: { definition } })
    expect(body.ok).toBe(true)
  },
)

const show = (json: object): string => `\`${JSON.stringify(json)}\``

const both = {
  tests: { field: 'test_result', op: 'eq', value: 'pass' },
  coverage: { field: 'coverage', op: 'gte', value: 80 },
}

for (const [context, failing] of [
  [{ test_result: 'pass', coverage: 80 }, null],
  [{ test_result: 'fail', coverage: 80 }, '`tests`'],
  [{ test_result: 'pass', coverage: 79 }, '`coverage`'],
  [{}, '`tests`'],
] as const) {
  for (const route of [
    { guards: ['tests', 'coverage'] },
    { guard: 'tests', guards: ['coverage'] },
  ]) {
    claim(
      {
        section: 'Pattern 2: Guarded',
        quote: 'guards | string[] | Multiple guard names (all must pass)',
        check: `${show(route)} with ${show(context)} ${failing ? `fails at ${failing}` : 'passes'}`,
      },
      async () => {
        const run = await workflows.open('stdio', guarded(both, context, route))
        const after = await run.send('GO')
        expect(after.code).toBe(failing === null ? null : 'GUARD_FAILED')
        if (failing !== null) expect(after.text).toContain(failing)
      },
    )
  }
}

claim(
  {
    section: 'Pattern 2: Guarded',
    quote: 'guard | string | Single guard name to evaluate',
    check: 'an undefined guard is an error (rest)',
    differs: 'undefined-guard',
  },
  async () => {
    const definition = guarded({}, {}, { guard: 'nowhere' })
    const { body } = await workflows.doors.rest('POST /v1/check', { body: { definition } })
    expect(body.ok).toBe(false)
    expect(body.findings[0].code).toBe('GUARD_UNKNOWN')
  },
)

const timing = {
  id: 'timing',
  initial: 'implementing',
  context: { test_result: null },
  states: {
    implementing: { on: { TESTS_GREEN: 'refactoring', SKIP: 'refactoring' } },
    refactoring: { on: { CLEAN: { target: 'pre_deploy', guard: 'tests_still_pass' } } },
    pre_deploy: { type: 'final' },
  },
  guards: { tests_still_pass: { field: 'test_result', op: 'eq', value: 'pass' } },
}

for (const door of workflowDoors) {
  claim(
    {
      section: 'Guard Timing',
      quote: 'Step by step: TESTS_GREEN has no guard, data merges; CLEAN … Passes.',
      check: `a guard sees the data of the previous event (${door})`,
    },
    async () => {
      const run = await workflows.open(door, timing)
      const green = await run.send('TESTS_GREEN', { test_result: 'pass' })
      expect(green.state).toBe('refactoring')
      expect((await run.look()).context).toMatchObject({ test_result: 'pass' })
      expect((await run.send('CLEAN')).status).toBe('completed')
    },
  )
  claim(
    {
      section: 'Guard Timing',
      quote: 'Guards evaluate against the context that existed before the current transition',
      check: `data sent with an event cannot satisfy its own guard, and is not kept (${door})`,
    },
    async () => {
      const run = await workflows.open(door, timing)
      await run.send('SKIP')
      const clean = await run.send('CLEAN', { test_result: 'pass' })
      expect(clean.code).toBe('GUARD_FAILED')
      expect(await run.look()).toMatchObject({
        state: 'refactoring',
        context: { test_result: null },
      })
    },
  )
}

const merges: readonly (readonly [check: string, data: JsonObject, context: JsonObject])[] = [
  ['new fields are added to the context', { c: 3 }, { a: 1, b: { x: 1 }, c: 3 }],
  ['existing fields are replaced', { a: 2 }, { a: 2, b: { x: 1 } }],
  ['objects are replaced, not merged', { b: { y: 2 } }, { a: 1, b: { y: 2 } }],
  ['null is stored as a value', { a: null }, { a: null, b: { x: 1 } }],
  ['empty data leaves the context unchanged', {}, { a: 1, b: { x: 1 } }],
]

for (const [check, data, context] of merges) {
  claim(
    {
      section: 'Guard Timing',
      quote: 'Data from statewright_transition(event, data) merges into context',
      check: `${check} (http)`,
    },
    async () => {
      const run = await workflows.open('http', guarded({}, { a: 1, b: { x: 1 } }, {}))
      await run.send('SET', data)
      expect((await run.look()).context).toEqual(context)
    },
  )
}

claim(
  {
    section: 'Guard Definitions',
    quote: 'field | string | Context field to check',
    check: 'a field is a single key, not a path into an object (stdio)',
  },
  async () => {
    const guard = { field: 'a.b', op: 'exists' }
    const run = await workflows.open(
      'stdio',
      guarded({ g: guard }, { a: { b: 1 } }, { guard: 'g' }),
    )
    expect((await run.send('GO')).code).toBe('GUARD_FAILED')
    await run.send('SET', { 'a.b': 1 })
    expect((await run.send('GO')).state).toBe('b')
  },
)
