/** The submit tool of a form: which name it gets, and what its schema says of the fields. */
import { expect, test } from 'vitest'
import { formSchema, splitForm, submitToolOf } from './form-tool.ts'
import type { RunReadings } from './resolve-run.ts'

type View = RunReadings['view']
type Field = View['fields'][number]

const field: Field = {
  name: 'code',
  type: 'string',
  title: '',
  description: '',
  isRequired: true,
  enum: null,
  pattern: null,
  format: null,
  examples: [],
  origin: '',
}

function viewOf(part: Partial<View>): View {
  return { dialect: 'steps', signals: ['send'], fields: [], missing: [], goTo: [], ...part } as View
}

test('a form keeps its name, unless that means another tool or no client takes it', () => {
  const named = (name: string) => submitToolOf(viewOf({ signals: [name] }), 'pawl_')
  expect(named('submit_refund')).toBe('submit_refund')
  expect(named('pawl_get_state')).toBe('pawl_submit')
  expect(named('statewright_transition')).toBe('pawl_submit')
  expect(named('process_step')).toBe('pawl_submit')
  expect(named('send it off')).toBe('pawl_submit')
  expect(named('x'.repeat(65))).toBe('pawl_submit')
  expect(submitToolOf(viewOf({ signals: [] }), 'pawl_')).toBe(null)
  expect(submitToolOf(viewOf({ dialect: 'workflow' }), 'pawl_')).toBe(null)
})

test('a pattern or format that a schema cannot say is told in words', () => {
  const fields = [
    { ...field, name: 'a', pattern: '^[A-Z]{2}$', format: 'date' },
    { ...field, name: 'b', pattern: '(?i)ab', format: 'licence-plate', description: 'of the car' },
    { ...field, name: 'c', type: 'integer' as const, enum: ['1'], isRequired: false },
  ]
  const schema = formSchema(viewOf({ fields, missing: ['b'] }))
  expect(schema.description).toBe('still needed: b')
  expect(schema.properties).toEqual({
    a: { type: 'string', pattern: '^[A-Z]{2}$', format: 'date' },
    b: {
      type: 'string',
      description: 'of the car; matches (?i)ab; format licence-plate',
    },
    c: { type: 'integer', enum: ['1'] },
  })
})

test('a step is named beside the fields, unless a field has that name', () => {
  const view = viewOf({ goTo: ['A', 'B'] })
  expect(formSchema(view).properties).toEqual({
    go_to_step: { type: 'string', description: 'go to this step instead of the next one: A, B' },
  })
  expect(splitForm(view, { go_to_step: 'A', x: 1 })).toEqual({ data: { x: 1 }, goTo: 'A' })
  expect(splitForm(view, { go_to_step: null, x: 1 })).toEqual({ data: { x: 1 }, goTo: null })
  expect(() => splitForm(view, { go_to_step: 3 })).toThrow('must be the id of a step')
  const taken = viewOf({ goTo: ['A'], fields: [{ ...field, name: 'go_to_step' }] })
  expect(splitForm(taken, { go_to_step: 'A' })).toEqual({ data: { go_to_step: 'A' }, goTo: null })
})
