/**
 * Expressions of both languages from a small grammar, with now and then a broken one.
 */
import fc from 'fast-check'
import { rarely } from './generator-helpers.ts'
import { fieldName } from './names.ts'

type Parts = { readonly value: string; readonly test: string }

const scoped = (bare: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...bare), fieldName).map(([scope, name]) => `${scope}${name}`)

const jmespathGrammar = fc.letrec<Parts>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scoped(['', 'vars.', 'local.', 'inputs.']),
    fc.constantFrom('`1`', '`0`', '`true`', '`null`', '`[1, 2]`', "'pass'", "''", 'true', '@'),
    tie('value').map((inner) => `length(${inner})`),
    tie('value').map((inner) => `to_string(${inner})`),
    tie('value').map((inner) => `to_number(${inner})`),
    tie('value').map((inner) => `(${inner})[0]`),
    tie('value').map((inner) => `(${inner})[*].x`),
    tie('value').map((inner) => `sort(${inner})`),
    tie('value').map((inner) => `keys(${inner})`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `not_null(${a}, ${b})`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `{a: ${a}, b: ${b}}`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('value'), tie('test')).map(([a, b]) => `(${a})[?${b}]`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `${a} | ${b}`),
  ),
  test: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(tie('value'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('value'))
      .map((parts) => parts.join(' ')),
    fc.tuple(tie('test'), fc.constantFrom('&&', '||'), tie('test')).map((parts) => parts.join(' ')),
    tie('test').map((inner) => `!(${inner})`),
    tie('value').map((inner) => `contains(${inner}, 'a')`),
    tie('value'),
  ),
}))

const celGrammar = fc.letrec<Parts>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scoped(['vars.', 'local.', 'inputs.', '']),
    fc.constantFrom('1', '0', '1.5', 'true', 'null', '[1, 2]', "'pass'", "''", "{'a': 1}"),
    tie('value').map((inner) => `size(${inner})`),
    tie('value').map((inner) => `string(${inner})`),
    tie('value').map((inner) => `int(${inner})`),
    tie('value').map((inner) => `double(${inner})`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `{'x': ${a}, 'y': ${b}}`),
    fc
      .tuple(tie('value'), fc.constantFrom('+', '-', '*', '/', '%'), tie('value'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(tie('test'), tie('value'), tie('value'))
      .map(([test, a, b]) => `(${test}) ? (${a}) : (${b})`),
    tie('value').map((inner) => `[${inner}].map(i, i)`),
  ),
  test: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fieldName.map((name) => `has(vars.${name})`),
    fc
      .tuple(tie('value'), fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in'), tie('value'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(tie('test'), fc.constantFrom('&&', '||'), tie('test'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie('test').map((inner) => `!(${inner})`),
    tie('value').map((inner) => `[${inner}].exists(i, i == 1)`),
  ),
}))

const broken = fc.oneof(
  fc.constantFrom('', '(', '`', 'a..b', "'", '{{x}}', '[', '@@', 'a.b.(c', '\u0000', '1 +', 'a[?'),
  fc.string({ maxLength: 20 }).map((text) => text || ' '),
)

type Choice = { readonly isBroken: boolean; readonly good: string; readonly bad: string }
const chosen = ({ isBroken, good, bad }: Choice): string => (isBroken ? bad : good)

/** What authors mostly write; it never faults. */
const usual = fc.oneof(
  fc.constantFrom('`true`', "x == 'pass'", 'inputs.x', 'local.n', '!flag', 'not_null(n, `0`)'),
  fieldName.map((name) => `not_null(local.${name}, \`0\`) < \`3\``),
  fieldName.map((name) => `type(${name}) == 'string'`),
  fieldName.map((name) => `inputs.${name} != vars.${name} || ${name} == \`null\``),
)

const usualCel = fc.oneof(
  fc.constantFrom('true', '1 < 2', "'a' + 'b'", 'size([1, 2])'),
  fieldName.map((name) => `has(vars.${name}) && vars.${name} == 'pass'`),
  fieldName.map((name) => `has(inputs.${name}) ? inputs.${name} : null`),
)

/** A JMESPath text; one in a hundred cannot be read. */
export const jmespath: fc.Arbitrary<string> = fc
  .record({
    isBroken: rarely(100),
    good: fc.oneof(usual, usual, usual, jmespathGrammar.value, jmespathGrammar.test),
    bad: broken,
  })
  .map(chosen)

/** A CEL text; one in a hundred cannot be read. */
export const cel: fc.Arbitrary<string> = fc
  .record({
    isBroken: rarely(100),
    good: fc.oneof(usualCel, usualCel, usualCel, celGrammar.value, celGrammar.test),
    bad: broken,
  })
  .map(chosen)

const simple = fc.oneof(
  { weight: 4, arbitrary: jmespath as fc.Arbitrary<unknown> },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('jp', 'jmespath'), expression: jmespath }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cel'), expression: cel }) },
)

const caseBranch = fc.oneof(
  fc.record({ if: simple, value: fc.constantFrom(1, 'pass', null, [1]) }),
  fc.record({ if: simple, valueFrom: simple }),
  fc.record({ value: fc.constantFrom(0, 'fail') }),
)

/** An expression in any of the spellings a form accepts. */
export const expression: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.record({ case: fc.array(caseBranch, { minLength: 1, maxLength: 3 }) }),
  },
)
