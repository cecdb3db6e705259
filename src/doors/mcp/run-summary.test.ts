/** Where a run stands, as values and as a text. */
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { viewMember } from '../../core/dialects/run-view.ts'
import { mainOf, startFamily } from '../../core/engine/family.ts'
import type { JsonObject } from '../../core/json.ts'
import { sourceOf } from '../../core/source/source.ts'
import type { RunReadings } from './resolve-run.ts'
import { runSummary, runSummarySchema, runSummaryText } from './run-summary.ts'

function readingOf(definition: JsonObject): RunReadings {
  const { machines } = compileDefinition(sourceOf(definition))
  const machine = machines[0]
  if (machine === undefined) throw new Error('the definition has errors')
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const actor = { kind: 'agent', name: 'agent' } as const
  const context = { library: () => undefined, at: 0, actor }
  const { family } = startFamily({ runId: 'r', machine }, start, context)
  const view = viewMember(family, mainOf(family))
  return { head: { id: 'r', status: 'running' }, view } as unknown as RunReadings
}

const state = {
  instructions: 'Do it.',
  allowed_tools: ['Bash'],
  disallowed_tools: ['Write'],
  allowed_commands: ['npm test'],
  blocked_env: ['DB_URL'],
  env_overrides: { CI: 's3cret' },
  max_edit_lines: 20,
  max_files_per_state: 3,
  max_iterations: 9,
  context_budget_bytes: 1_000,
  on: { DONE: 'done' },
}
const workflow = {
  id: 'fix',
  initial: 'work',
  states: { work: state, done: { type: 'final' } },
  meta: { calls_max: 40 },
  session_budget_usd: 2,
}

const speech = { prefix: 'pawl_', host: null }

test('a result holds every rule under the name that its author gave it', () => {
  const values = runSummary(readingOf(workflow), speech)
  expect(values).toMatchObject({
    allowed_tools: ['Bash'],
    disallowed_tools: ['Write'],
    allowed_commands: ['npm test'],
    blocked_env: ['DB_URL'],
    env_overrides: ['CI'],
    max_edit_lines: 20,
    max_files_per_state: 3,
    files_changed: [],
    max_iterations: 9,
    calls_left: 9,
    calls_max: 40,
    run_calls_left: 40,
    context_budget_bytes: 1_000,
    bytes_left: 1_000,
    paths: { read: [], write: [] },
    budgets: [{ of: 'fix', period: 'run', max_usd: 2, left_usd: 2 }],
  })
  expect(JSON.stringify(values)).not.toContain('s3cret')
})

test('rules that do not exist take no place in a result', () => {
  const states = { ...workflow.states, work: { on: state.on } }
  const values = runSummary(readingOf({ id: 'fix', initial: 'work', states }), speech)
  const names = Object.keys(values).filter((name) =>
    /command|env|max|left|files|paths|budgets|disallowed/.test(name),
  )
  expect(names).toEqual([])
})

test('every value is in the schema of the results', () => {
  const schema = { ...runSummarySchema, additionalProperties: false }
  const values = runSummary(readingOf(workflow), speech)
  const ajv = new Ajv({ strict: false })
  expect(ajv.validate(schema, values), JSON.stringify(ajv.errors)).toBe(true)
})

test('the text has the rules once, and the values have them apart from the brief', () => {
  const reading = readingOf(workflow)
  expect(runSummaryText(reading, speech).split('Commands: only `npm test`.')).toHaveLength(2)
  expect(runSummary(reading, speech).brief).not.toContain('Commands:')
})
