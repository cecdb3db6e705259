/**
 * Forms from their grammar: inputs of every type, ops in every slot, conditions and routes.
 */
import fc from 'fast-check'
import type { Json } from '../../src/core/json.ts'
import { fieldTypes } from '../../src/core/machine/machine.ts'
import { expression } from './expressions.ts'
import { maybe, pick, rarely, seldom, some, written } from './generator-helpers.ts'
import { fieldName, fieldNames, stageNames, toolName, toolNames } from './names.ts'
import { policy } from './policy.ts'
import { plainValue } from './values.ts'

const path = fc
  .tuple(fc.constantFrom('', 'local.', 'vars.', 'inputs.', 'local.deep.'), fieldName)
  .map(([scope, name]) => `${scope}${name}`)

const template = fc.constantFrom(
  'Hello',
  '{{x}}',
  `\${y=none}`,
  '{{local.n}} {{inputs.x}}',
  '{{',
  '',
)

const condition = { if: seldom(expression) }
const valued = fc.oneof(
  fc.record({ value: fc.oneof(plainValue, template) }),
  fc.record({ valueFrom: expression }),
)
type GeneratedFields = Record<string, unknown>
const made = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<GeneratedFields> =>
  fc.record({ ...shape, ...condition }).map((one) => written(one) as GeneratedFields)

const set = fc
  .tuple(made({ action: fc.constant('set'), name: path }), valued)
  .map(([one, value]): GeneratedFields => ({ ...one, ...value }))
const inc = made({
  action: fc.constant('inc'),
  name: path,
  by: maybe(fc.constantFrom(1, -1, 0.5, 1e308)),
})
const say = made({
  action: fc.constant('say'),
  text: template,
  role: maybe(fc.constantFrom('user', 'assistant')),
})
const save = made({ action: fc.constant('save') })
const saveAs = made({
  action: fc.constant('save'),
  inputs: fieldName.map((name) => [name]),
  name: path,
})
const get = made({
  action: fc.constantFrom('get', 'load'),
  inputs: maybe(fc.subarray([...fieldNames])),
  overwrite: maybe(fc.boolean()),
})
const resultSave = fc.record({ from: expression, to: path })
const call = made({
  action: fc.constant('call'),
  name: toolName,
  arguments: maybe(fc.dictionary(fieldName, fc.oneof(plainValue, template), { maxKeys: 2 })),
  result: maybe(fc.record({ save: fc.array(resultSave, { maxLength: 2 }) })),
})

const slotOf = (
  ...ops: fc.Arbitrary<GeneratedFields>[]
): fc.Arbitrary<GeneratedFields[] | undefined> =>
  maybe(fc.array(fc.oneof(...ops), { maxLength: 3 }))

const input = fc
  .record({
    name: fieldName,
    type: maybe(fc.constantFrom(...fieldTypes), 2),
    required: maybe(fc.boolean(), 2),
    enum: seldom(fc.constant(['pass', 'fail'])),
    pattern: seldom(fc.constantFrom('^p', '[a-z]+$', '(a|b)*', '.', '^pass$', 'a{2,}|p', '(?=x)')),
    format: seldom(fc.constantFrom('date', 'email', 'time', 'unknown')),
    title: maybe(fc.constant('A title')),
    examples: maybe(fc.array(plainValue, { maxLength: 2 })),
  })
  .map(written)

const routePlan = fc.record({
  target: some,
  isText: fc.boolean(),
  if: maybe(expression),
  requires: seldom(fc.subarray([...fieldNames], { maxLength: 2 })),
})
type RoutePlan = {
  target: number
  isText: boolean
  if: unknown
  requires: string[] | undefined
}

const stepPlan = fc.record({
  goal: template,
  instructions: maybe(
    fc.oneof(
      template as fc.Arbitrary<unknown>,
      fc.array(fc.oneof(template, made({ text: template })), { maxLength: 3 }),
    ),
  ),
  inputs: maybe(fc.uniqueArray(input, { maxLength: 3, selector: (one) => one.name }), 3),
  on: maybe(
    fc
      .record({
        start: slotOf(set, inc, say, call),
        enter: slotOf(get, set, inc, say, call),
        presubmit: slotOf(get, set, inc, save, saveAs),
        submit: slotOf(set, inc, say, save, saveAs, call),
      })
      .map(written),
    2,
  ),
  next: fc.array(routePlan, { maxLength: 3 }),
  tools: maybe(
    fc
      .record({
        allow: maybe(fc.option(fc.subarray([...toolNames]))),
        call: maybe(fc.boolean()),
        allowGoToStep: maybe(fc.boolean(), 2),
      })
      .map(written),
    2,
  ),
})

const plan = fc.record({
  ids: stageNames(1, 6),
  steps: fc.array(stepPlan, { minLength: 6, maxLength: 6 }),
  variables: maybe(
    fc.array(
      fc.tuple(fc.record({ name: path }), valued).map(([one, value]) => ({ ...one, ...value })),
      { maxLength: 3 },
    ),
  ),
  start: maybe(fc.constantFrom('auto', 'manual')),
  tool: maybe(fc.constantFrom({ name: 'submit_form' }, { name: 'toString2' }, { name: 'Read' })),
  policy: maybe(policy),
  isWrapped: rarely(6),
  isBroken: rarely(30),
})

function routeOf(one: RoutePlan, ids: readonly string[]): unknown {
  const id = pick(ids, one.target)
  return one.isText ? id : written({ id, if: one.if, requires: one.requires })
}

/** A form, now and then inside the envelope of a tool. */
export const stepsDefinition: fc.Arbitrary<Json> = plan.map((one) => {
  const steps = one.ids.map((id, index) => {
    const { next, ...rest } = one.steps[index] ?? { goal: '', next: [] }
    const routes = next.map((each) => routeOf(each, one.ids))
    if (one.isBroken && index === 0) routes.unshift('nowhere')
    return written({ id, ...written(rest), next: routes.length === 0 ? undefined : routes })
  })
  const { variables, start, tool } = one
  const task = written({ type: 'steps', id: 'generated', variables, start, tool, steps })
  const whole = one.isWrapped
    ? { type: 'context', context: { task } }
    : { ...task, policy: one.policy }
  return written(whole) as unknown as Json
})
