/** Conditions that can never hold are remarked on, with what to write; sound ones are not. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../json.ts'
import { readSource } from '../../source/read-source.ts'
import { compileDefinition } from '../compile-definition.ts'

const inputs = [
  { name: 'd', format: 'date' },
  { name: 'agreed', type: 'boolean' },
  { name: 'count', type: 'integer' },
  { name: 'price', type: 'number', required: false },
  { name: 'size', enum: ['S', 'M'] },
  { name: 'address', type: 'object' },
  { name: 'tags', type: 'array' },
]

function remarksOn(condition: Json, more: object = {}): readonly string[] {
  const definition = {
    type: 'steps',
    id: 'asking',
    steps: [
      {
        id: 'ASK',
        goal: 'Ask',
        inputs,
        on: { submit: [{ action: 'inc', name: 'local.tries' }] },
        next: [{ id: 'END', if: condition }, 'ASK'],
        ...more,
      },
      { id: 'END', goal: 'End' },
    ],
  }
  const { root } = readSource(JSON.stringify(definition), 'json')
  if (root === null) throw new Error('no tree')
  return compileDefinition(root)
    .findings.filter((one) => one.code === 'CONDITION_NEVER_HOLDS')
    .map((one) => `${one.message} → ${one.hint}`)
}

describe('a condition that can never hold is remarked on', () => {
  const cases: readonly (readonly [condition: Json, words: string, hint: string])[] = [
    ["inputs.d >= '2026-01-01'", '`inputs.d` is a string', '{ type: cel, expression: "inputs.d >='],
    ["'2026-01-01' < inputs.d", 'compares numbers', 'type: cel'],
    ["created >= '2026-01-01'", 'compares numbers', 'type: cel'],
    ["inputs.count > '3'", 'compares numbers', 'in backticks'],
    ['inputs.d > `3`', '`inputs.d` is a string', 'type: number'],
    ['inputs.agreed >= `1`', '`inputs.agreed` is a boolean', 'a number'],
    ['inputs.tags > `1`', 'is an array', 'a number'],
    ["!(inputs.d >= '2026-01-01')", 'compares numbers', 'type: cel'],
    ["inputs.agreed && inputs.d >= '2026-01-01'", 'compares numbers', 'type: cel'],
    ['!inputs.agreed', '(!inputs).agreed', '!(inputs.agreed)'],
    ['!inputs.address.city', '(!inputs).address.city', '!(inputs.address.city)'],
    ['!local.tries', '(!local).tries', '!(local.tries)'],
    ['!inputs.agreed && inputs.count > `1`', '(!inputs).agreed', '!(inputs.agreed)'],
    ["inputs.agreed == 'true'", 'never true', '`true`'],
    ["inputs.count == '3'", 'never true', '`3`'],
    ['inputs.d == `3`', 'never true', "'3'"],
    ["inputs.agreed != 'true'", 'always true', '`true`'],
    ["inputs.size == 'XL'", 'one of `S`, `M`', 'same type'],
    ["inputs.d.year == '2026'", 'never true', ''],
    ['inputs.other', 'no input `other`', 'correct the name'],
    ["inputs.other == 'x'", 'no input `other`', 'correct the name'],
    ['local.tires >= `3`', 'nothing sets `local.tires`', 'correct the name'],
    ['local.tires', 'nothing sets `local.tires`', 'correct the name'],
    ['`false`', 'can never hold', ''],
    ["''", 'can never hold', ''],
    ["starts_with(inputs.count, '1')", 'needs a string', 'a string'],
    ["length(inputs.tags) == '2'", 'never true', '`2`'],
    [{ type: 'jmespath', expression: "inputs.d >= '2026'" }, 'compares numbers', 'type: cel'],
    [{ type: 'cel', expression: "inputs.count == '3'" }, 'never true', 'same type'],
    [{ type: 'cel', expression: 'inputs.d > 3' }, 'fails', 'same type'],
    [{ case: [{ if: '!inputs.agreed', value: true }] }, '(!inputs).agreed', '!(inputs.agreed)'],
  ]
  test.each(cases)('%j', (condition, words, hint) => {
    const found = remarksOn(condition)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(words)
    expect(found[0]?.split(' → ')[1]).toContain(hint)
  })
})

describe('a condition that can hold is not', () => {
  const cases: readonly Json[] = [
    'inputs.agreed',
    '!(inputs.agreed)',
    '!agreed',
    'inputs.agreed == `true`',
    'inputs.count >= `3`',
    'inputs.price > `0.5`',
    'inputs.price == `null`',
    'inputs.count > local.tries',
    'local.tries >= `3`',
    'local.tries >= limit',
    "inputs.size == 'S' || inputs.size == 'M'",
    "inputs.size != 'S'",
    "inputs.address.city == 'Oslo'",
    "contains(inputs.tags, 'x')",
    "starts_with(inputs.d, '2026')",
    'length(inputs.tags) > `1`',
    "type(inputs.d) == 'string'",
    'to_number(inputs.d) > `3`',
    "inputs.tags[?name == 'x'].size > `1`",
    "inputs.tags[0] == 'x'",
    "customer == 'gold'",
    'vars.customer.age > `3`',
    '`true`',
    "inputs.d && inputs.d != '2026-01-01'",
    { type: 'cel', expression: "inputs.d >= '2026-01-01'" },
    { type: 'cel', expression: 'inputs.count + 1 > local.tries' },
    { type: 'cel', expression: "inputs.tags.exists(d, d == 'x')" },
  ]
  test.each(cases.map((one) => [one]))('%j', (condition) => {
    expect(remarksOn(condition)).toEqual([])
  })

  test('an input that an action writes may be anything', () => {
    const on = { submit: [{ action: 'set', name: 'inputs.extra', value: 4 }] }
    expect(remarksOn('inputs.extra > `3`', { on })).toEqual([])
  })

  test('before the check an input may have any type', () => {
    const on = {
      presubmit: [
        { action: 'set', name: 'inputs.count', value: 1, if: "inputs.count == 'one'" },
        { action: 'set', name: 'inputs.d', value: '2026-01-01', if: 'inputs.d == `3`' },
      ],
    }
    expect(remarksOn('inputs.agreed', { on })).toEqual([])
  })
})

test('remarks stand at conditions of actions and instructions, and at computed values', () => {
  const more = {
    instructions: [{ if: '!inputs.agreed', text: 'Ask again.' }],
    on: {
      enter: [{ action: 'say', text: 'hi', if: '!inputs.agreed' }],
      submit: [{ action: 'set', name: 'late', valueFrom: "inputs.d >= '2026-01-01'" }],
    },
  }
  expect(remarksOn('inputs.agreed', more)).toHaveLength(3)
})
