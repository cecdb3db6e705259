import { expect, test } from 'vitest'
import { fieldTable } from './docs/schema-tables.ts'
import { staleReferencePages } from './write-reference.ts'

test('the reference pages are up to date (`npm run reference`)', () => {
  expect(staleReferencePages()).toEqual([])
})

test('a table has required fields, references, lists, maps and nested objects', () => {
  const schema = {
    properties: {
      name: { type: 'string', description: 'Its name.' },
      kind: { enum: ['a', 'b'] },
      rules: { type: 'array', items: { $ref: '#/$defs/rule' } },
      states: { type: 'object', additionalProperties: { properties: { on: { type: 'boolean' } } } },
    },
    required: ['name'],
  } as const
  const table = fieldTable(schema, { defs: {}, linkTo: (name) => `#x-${name}` })
  expect(table.split('\n').slice(2)).toEqual([
    '| `name` (required) | text | Its name. |',
    '| `kind` | `a`, `b` |  |',
    '| `rules` | list of [rule](#x-rule) |  |',
    '| `states` | by name: object |  |',
    '| `states.NAME.on` | `true`, `false` |  |',
    '',
  ])
})
