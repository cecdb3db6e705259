/**
 * What agents and persons may do to a run, as plans: names are picked when the run is there.
 */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { rarely, some } from './generator-helpers.ts'
import { evilNames, signalName, toolName } from './names.ts'
import { oddData, oddValue, plainData } from './values.ts'

export type By = 'agent' | 'person'

export type StepPlan = { readonly branch: number | null } & (
  | { readonly kind: 'known'; readonly signal: number; readonly data: JsonObject | null }
  /** Whatever leads on: a person's answer, a resume, else a signal. */
  | { readonly kind: 'nudge'; readonly signal: number; readonly data: JsonObject | null }
  | {
      readonly kind: 'submit'
      readonly inputs: JsonObject
      readonly fit: boolean
      readonly goTo: number | null
    }
  | { readonly kind: 'unknown'; readonly name: string; readonly data: JsonObject | null }
  | { readonly kind: 'stale'; readonly signal: number }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonObject }
  | {
      readonly kind: 'report'
      readonly ok: boolean
      readonly output: string | null
      readonly bytes: number | null
      readonly call: number | null
    }
  | {
      readonly kind: 'resolve'
      readonly by: By
      readonly granted: boolean
      readonly id: 'none' | 'right' | 'wrong'
    }
  | { readonly kind: 'expire'; readonly id: 'right' | 'wrong' }
  | { readonly kind: 'pause'; readonly by: By; readonly release: boolean }
  | { readonly kind: 'resume'; readonly by: By }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'force'; readonly stage: number; readonly by: By; readonly vars: JsonObject }
  | { readonly kind: 'finish'; readonly name: string }
)

const data = fc.oneof(
  { weight: 3, arbitrary: plainData },
  { weight: 1, arbitrary: oddData },
  { weight: 2, arbitrary: fc.constant(null) },
)
const branch = fc.option(some, { freq: 2 })
const by: fc.Arbitrary<By> = fc.constantFrom('agent', 'person')

const file = fc.constantFrom(
  'notes.md',
  'src/a.ts',
  'src/b.md',
  'package.json',
  'a/b',
  '../out',
  '',
)
// A door reads a call from JSON, so that what JSON cannot say never comes this far.
const oddInput = oddData.map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
const input = fc.oneof(
  { weight: 4, arbitrary: file.map((path): JsonObject => ({ file_path: path })) },
  { weight: 1, arbitrary: oddInput },
)
const tool = fc.oneof(
  { weight: 6, arbitrary: toolName },
  {
    weight: 1,
    arbitrary: fc.constantFrom('mcp__pawl__process_step', 'mcp__pawl__pawl_status', 'process_step'),
  },
  { weight: 1, arbitrary: fc.constantFrom('memory_read', ...evilNames) },
)
const output = fc.oneof(
  fc.constant(null),
  fc.constantFrom('', 'plain text', '{', '{"x": 1, "n": [1, 2]}', '[{"x": {"__proto__": 1}}]', 'ü'),
  oddValue.map((value: Json) => JSON.stringify(value) ?? ''),
)

const plans = {
  known: fc.record({ kind: fc.constant('known' as const), branch, signal: some, data }),
  nudge: fc.record({ kind: fc.constant('nudge' as const), branch, signal: some, data }),
  submit: fc.record({
    kind: fc.constant('submit' as const),
    branch,
    inputs: fc.oneof(plainData, oddData),
    fit: fc.boolean(),
    goTo: fc.option(some, { freq: 2 }),
  }),
  unknown: fc.record({
    kind: fc.constant('unknown' as const),
    branch,
    name: fc.oneof(signalName, fc.constantFrom(...evilNames), fc.string({ maxLength: 8 })),
    data,
  }),
  stale: fc.record({ kind: fc.constant('stale' as const), branch, signal: some }),
  call: fc.record({ kind: fc.constant('call' as const), branch, tool, input }),
  report: fc.record({
    kind: fc.constant('report' as const),
    branch,
    ok: rarely(4).map((isBad) => !isBad),
    output,
    bytes: fc.option(fc.integer({ min: 0, max: 60 })),
    call: fc.option(some),
  }),
  resolve: fc.record({
    kind: fc.constant('resolve' as const),
    branch,
    by,
    granted: fc.boolean(),
    id: fc.constantFrom('none' as const, 'none' as const, 'right' as const, 'wrong' as const),
  }),
  expire: fc.record({
    kind: fc.constant('expire' as const),
    branch,
    id: fc.constantFrom('right' as const, 'wrong' as const),
  }),
  pause: fc.record({ kind: fc.constant('pause' as const), branch, by, release: rarely(3) }),
  resume: fc.record({ kind: fc.constant('resume' as const), branch, by }),
  cancel: fc.record({ kind: fc.constant('cancel' as const), branch }),
  force: fc.record({ kind: fc.constant('force' as const), branch, stage: some, by, vars: oddData }),
  finish: fc.record({
    kind: fc.constant('finish' as const),
    branch,
    name: fc.constantFrom('left', 'right', 'middle', '1', 'nobody'),
  }),
}

const edit = fc
  .record({ branch, tool: fc.constantFrom('Edit', 'Write'), path: file })
  .map((one): StepPlan[] => [
    { kind: 'call', branch: one.branch, tool: one.tool, input: { file_path: one.path } },
    { kind: 'report', branch: one.branch, ok: true, output: null, bytes: null, call: null },
  ])

const asAgent = <T extends { by: By }>(arb: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  arb.map((one) => ({ ...one, by: 'agent' as const }))

type Weighted = { weight: number; arbitrary: fc.Arbitrary<StepPlan> }

function sequence(weighted: readonly Weighted[], editWeight: number): fc.Arbitrary<StepPlan[]> {
  const single = weighted.map(({ weight, arbitrary }) => ({
    weight,
    arbitrary: arbitrary.map((one) => [one]),
  }))
  const any = fc.oneof(...single, { weight: editWeight, arbitrary: edit })
  return fc.array(any, { minLength: 4, maxLength: 30, size: 'max' }).map((parts) => parts.flat())
}

/** Whatever may happen, in any order. */
export const steps: fc.Arbitrary<StepPlan[]> = sequence(
  [
    { weight: 16, arbitrary: plans.nudge },
    { weight: 8, arbitrary: plans.known },
    { weight: 6, arbitrary: plans.submit },
    { weight: 2, arbitrary: plans.unknown },
    { weight: 1, arbitrary: plans.stale },
    { weight: 6, arbitrary: plans.call },
    { weight: 4, arbitrary: plans.report },
    { weight: 3, arbitrary: plans.resolve },
    { weight: 3, arbitrary: plans.expire },
    { weight: 2, arbitrary: plans.pause },
    { weight: 2, arbitrary: plans.resume },
    { weight: 2, arbitrary: plans.force },
    { weight: 2, arbitrary: plans.finish },
    { weight: 0.2, arbitrary: plans.cancel },
  ].map((one) => ({ ...one, weight: Math.ceil(one.weight * 5) })),
  60,
)

/** Only what happens without a person: the agent, and the clock that lets an approval expire. */
export const agentSteps: fc.Arbitrary<StepPlan[]> = sequence(
  [
    { weight: 10, arbitrary: plans.known },
    { weight: 2, arbitrary: plans.submit },
    { weight: 2, arbitrary: plans.unknown },
    { weight: 3, arbitrary: plans.call },
    { weight: 2, arbitrary: plans.report },
    { weight: 2, arbitrary: asAgent(plans.resolve) },
    { weight: 2, arbitrary: plans.expire },
    { weight: 1, arbitrary: asAgent(plans.pause) },
    { weight: 2, arbitrary: asAgent(plans.resume) },
    { weight: 1, arbitrary: asAgent(plans.force) },
    { weight: 1, arbitrary: plans.finish },
  ],
  5,
)
