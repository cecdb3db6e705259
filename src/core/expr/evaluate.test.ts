import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import { evaluate, evaluateOn, isTruthy, parseExpr } from './evaluate.ts'
import type { Expr, Scope } from './expression-types.ts'

const jp = (text: string): Expr => ({ language: 'jmespath', text, origin: '' })
const cel = (text: string): Expr => ({ language: 'cel', text, origin: '' })
const scope = (vars: JsonObject, more: Partial<Scope> = {}): Scope => ({
  vars,
  local: {},
  inputs: {},
  ...more,
})
const seen = scope(
  { v: 1, flag: true, local: 'fake', vars: 'fake', o: { constructor: 'own' } },
  { local: { n: 4 }, inputs: { a: 'x', n: 2, half: 0.5, o: { city: 'Lyon' }, l: [3, 10, 2] } },
)
const found = (expr: Expr, at: Scope = seen): Json | string => {
  const result = evaluate(expr, at)
  return result.ok ? result.value : `fault: ${result.reason}`
}

test.each<[string, Json]>([
  ['inputs.o.city', 'Lyon'],
  ['inputs.o.zip', null],
  ['v', 1],
  ['vars.v', 1],
  ['local.n', 4],
  ['length(inputs.l)', 3],
  ['inputs.missing || `7`', 7],
  ['inputs.n >= `2`', true],
  ["inputs.a > 'b'", null],
  ['missing > `3`', null],
  ['flag == true', false],
  ['flag == `true`', true],
  ["inputs.n == '2'", false],
  ['sort(inputs.l)', [2, 3, 10]],
  ['max_by([{k: `"b"`}, {k: `"c"`}, {k: `"a"`}], &k).k', 'c'],
  ['inputs.l[?@ > `2`] | [0]', 3],
  ['inputs.n + local.n * `2`', 10],
  ['flag ? `1` : `2`', 1],
  ['let $f = v in inputs.l[*].{x: $f}', [{ x: 1 }, { x: 1 }, { x: 1 }]],
  ['inputs.l[*].[$.v][]', [1, 1, 1]],
  ["to_number('0x10')", null],
  ["to_number('1e2')", 100],
])('JMESPath: %s', (text, expected) => {
  expect(found(jp(text))).toEqual(expected)
})

test.each<[string, Json]>([
  ['inputs.n + 1', 3],
  ["inputs.a + '!'", 'x!'],
  ['inputs.o.city', 'Lyon'],
  ["inputs.o['city']", 'Lyon'],
  ["'x' in [inputs.a]", true],
  ['size(inputs.l) == 3', true],
  ['has(inputs.zip) ? inputs.zip : 0', 0],
  ['inputs.n >= 2 && flag == true', true],
  ['inputs.l.map(i, i * 2)', [6, 20, 4]],
  ['inputs.l.exists(i, i > 9)', true],
  ['inputs.n * 1.5', 3],
  ['inputs.half + 1', 1.5],
  ['inputs.n / 4', 0],
  ["inputs.a.matches('^x$')", true],
  ['{"a": [1, null, true]}', { a: [1, null, true] }],
  ['{1: 2, true: 3}', { 1: 2, true: 3 }],
  ['3u', 3],
  ["timestamp('2026-03-01T10:00:00Z')", '2026-03-01T10:00:00Z'],
  ["duration('90s')", '90s'],
  ['o.constructor', 'own'],
])('CEL: %s', (text, expected) => {
  expect(found(cel(text))).toEqual(expected)
})

test.each<[Expr, RegExp]>([
  [jp('abs(inputs.a)'), /expected number/],
  [jp('v > 3'), /backticks/],
  [jp('nope(v)'), /not a function/],
  [jp('v / `0`'), /zero/],
  [jp('$x'), /not bound/],
  [jp('&v'), /&/],
  [jp("pad_left('a', `-1`)"), /whole number/],
  [cel('inputs.a + 1'), /overload/],
  [cel('inputs.zip'), /zip/],
  [cel('missing'), /`missing` has no value/],
  [cel('1 +'), /syntax/],
  [cel('9007199254740993'), /too large/],
  [cel('1 / 0'), /zero/],
  [cel("b'x'"), /bytes/],
  [cel('type(1)'), /type/],
  [cel("'a'.matches('(?=a)')"), /lookahead/],
  [cel('1.0 / 0.0'), /finite/],
  [cel('{1: 1, "1": 2}'), /two keys/],
])('a fault has a reason: %j', (expr, reason) => {
  const result = evaluate(expr, seen)
  expect(result.ok).toBe(false)
  if (!result.ok) expect(result.reason).toMatch(reason)
})

test('the names of the scopes cannot be taken by variables', () => {
  expect(found(jp('local.n'))).toBe(4)
  expect(found(cel('local.n'))).toBe(4)
  expect(found(jp('vars.local'))).toBe('fake')
  expect(found(cel('vars.local'))).toBe('fake')
})

test.each([
  ...['type', 'list', 'map', 'string', 'int', 'uint', 'double', 'bool', 'bytes', 'null_type'],
  ...['dyn', 'duration', 'timestamp', 'size', 'optional_type', 'google'],
])('a variable that is called %s wins over whatever CEL calls so', (name) => {
  const at = scope({ [name]: 'refund', l: [{ [name]: 'a' }], [`${name}s`]: ['refund'] })
  expect(found(cel(`${name} == 'refund'`), at)).toBe(true)
  expect(found(cel(`${name} in ${name}s && ${name}.startsWith('re')`), at)).toBe(true)
  expect(found(cel(`l.map(x, x.${name} + ${name})`), at)).toEqual(['arefund'])
  expect(found(cel(`l.exists(${name}, has(${name}.${name}))`), at)).toBe(true)
  expect(found(cel(`vars.${name}`), at)).toBe('refund')
  expect(found(cel(`${name}.a`), scope({ [name]: { a: 1 } }))).toBe(1)
})

test('conversions and types of CEL work beside variables of their names', () => {
  const at = scope({ type: 'refund', int: 3, string: 's', list: [1], n: '7' })
  expect(found(cel("int(n) + int == 10 && string(int) == '3'"), at)).toBe(true)
  expect(found(cel('type(type) == type(string)'), at)).toBe(true)
  expect(found(cel('type(n) == bool || type(1.5) == double'), at)).toBe(true)
  expect(found(cel('type(list) == list'), at)).toBe(false)
  expect(found(cel('type(1) == int && type(int) == type'), scope({}))).toBe(true)
  expect(found(cel('[1].map(int, int + 1)'), at)).toEqual([2])
})

test('what every object inherits is not there', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    for (const path of [name, `inputs.${name}`, `inputs.o.${name}`, `vars.${name}`]) {
      expect(found(jp(path))).toBeNull()
      expect(evaluate(cel(path), seen).ok).toBe(false)
    }
    expect(found(jp(`\`{}\`.${name}`))).toBeNull()
    expect(found(jp(`{a: v}.${name}`))).toBeNull()
    expect(evaluate(cel(`has(inputs.${name})`), seen)).toEqual({ ok: true, value: false })
    expect(evaluate(jp(`${name}(v)`), seen).ok).toBe(false)
  }
})

test('an odd key in a result stays an ordinary key', () => {
  const result = evaluate(jp('{"__proto__": v}'), seen)
  expect(result.ok && Object.entries(result.value ?? {})).toEqual([['__proto__', 1]])
  expect(Object.hasOwn({}, 'v')).toBe(false)
})

test('a dot in the name of a variable is no path', () => {
  expect(evaluate(cel('a.b'), scope({ 'a.b': 1 })).ok).toBe(false)
  expect(found(jp('a.b'), scope({ 'a.b': 1 }))).toBeNull()
})

test('data are not changed and not handed out', () => {
  const inputs = Object.freeze({ l: Object.freeze([3, 1, 2]) })
  expect(found(jp('sort(inputs.l)'), scope({}, { inputs }))).toEqual([1, 2, 3])
  expect(found(jp('reverse(inputs.l)'), scope({}, { inputs }))).toEqual([2, 1, 3])
  const result = evaluate(jp('inputs.l'), scope({}, { inputs }))
  expect(result.ok && result.value).toEqual([3, 1, 2])
  expect(result.ok && result.value).not.toBe(inputs.l)
})

test('a document of any kind can be looked at', () => {
  expect(evaluateOn(jp('[0].id'), [{ id: 5 }])).toEqual({ ok: true, value: 5 })
  expect(evaluateOn(jp('@'), 'text')).toEqual({ ok: true, value: 'text' })
  expect(evaluateOn(cel('id + 1'), { id: 5 })).toEqual({ ok: true, value: 6 })
  expect(evaluateOn(cel('id'), [1]).ok).toBe(false)
})

const caseOf = (branches: Extract<Expr, { language: 'case' }>['branches']): Expr => ({
  language: 'case',
  branches,
  origin: '',
})

test('a case gives the value of its first branch that holds', () => {
  const expr = caseOf([
    { if: jp('inputs.n > `10`'), value: { kind: 'literal', value: 'big' } },
    { if: cel('inputs.n > 1'), value: { kind: 'expr', expr: jp('inputs.o.city') } },
    { if: null, value: { kind: 'literal', value: 'small' } },
  ])
  expect(found(expr)).toBe('Lyon')
  expect(found(expr, scope({}, { inputs: { n: 0, o: {} } }))).toBe('small')
  expect(found(caseOf([]))).toBeNull()
})

test('a case faults with its first faulting condition', () => {
  const expr = caseOf([
    { if: cel('missing'), value: { kind: 'literal', value: 1 } },
    { if: null, value: { kind: 'literal', value: 2 } },
  ])
  expect(evaluate(expr, seen).ok).toBe(false)
})

test('conditions hold unless null, false or empty', () => {
  for (const value of [null, false, '', [], {}]) expect(isTruthy(value)).toBe(false)
  for (const value of [0, true, ' ', [null], { a: null }, -1]) expect(isTruthy(value)).toBe(true)
})

test.each<[Expr, readonly string[][]]>([
  [
    jp('local.n > `1` && inputs.a'),
    [
      ['local', 'n'],
      ['inputs', 'a'],
    ],
  ],
  [jp('count'), [['count']]],
  [jp('inputs.l[0].id'), [['inputs', 'l']]],
  [jp('inputs.l[?id > `1`].name'), [['inputs', 'l']]],
  [
    jp('inputs.{a: b, c: d.e}'),
    [
      ['inputs', 'b'],
      ['inputs', 'd', 'e'],
    ],
  ],
  [jp('inputs | a'), [['inputs', 'a']]],
  [jp('map(&id, l)'), [['l']]],
  [jp('l[*].[$.v]'), [['l'], ['v']]],
  [jp('sort_by(l, &$.w)'), [['w'], ['l']]],
  [jp('let $x = a in $x.b'), [['a']]],
  [jp("f == 'x' || !g"), [['f'], ['g']]],
  [
    cel('local.n > 1 && inputs.a'),
    [
      ['local', 'n'],
      ['inputs', 'a'],
    ],
  ],
  [cel('has(inputs.a)'), [['inputs', 'a']]],
  [cel("vars['a'].b"), [['vars', 'a', 'b']]],
  [cel('inputs.l.map(x, x + y)'), [['inputs', 'l'], ['y']]],
  [cel('type(a) == int'), [['a']]],
  [caseOf([{ if: jp('a'), value: { kind: 'expr', expr: cel('b') } }]), [['a'], ['b']]],
])('%j reads %j', (expr, reads) => {
  const parsed = parseExpr(expr)
  expect(parsed.ok && parsed.reads.toSorted()).toEqual([...reads].toSorted())
})

test.each<[string, readonly string[]]>([
  ['flag == true', ['true']],
  ['a == null || b == false', ['null', 'false']],
  ['[?ok == true]', ['true']],
  ['a ? true : false', ['true', 'false']],
  ['flag == `true`', []],
  ['inputs.true', []],
  ['"true"', []],
  ['{true: a, null: b}', []],
  ["'true'", []],
])('bare literals of %s are %j', (text, literals) => {
  const parsed = parseExpr(jp(text))
  expect(parsed.ok && parsed.bareLiterals).toEqual(literals)
})

test.each<[Expr, number]>([
  [jp('count > 3'), 8],
  [jp('a ||'), 4],
  [jp('a b'), 2],
  [jp('a # b'), 2],
  [jp("foo.bar && 'open"), 11],
  [jp('`{"a": 1}'), 0],
  [jp("a == 'it\\'"), 5],
  [jp(''), 0],
  [cel('1 + + 2'), 4],
  [cel('a ==\n= b'), 5],
  [cel(''), 0],
])('%j is wrong at %j', (expr, offset) => {
  const parsed = parseExpr(expr)
  expect(parsed.ok).toBe(false)
  if (!parsed.ok) expect(Math.abs(parsed.offset - offset)).toBeLessThanOrEqual(3)
})

test('a function that does not exist is known before it is called', () => {
  for (const expr of [jp('a && nope(b)'), jp('abs(a, b)'), cel('nope(a)'), cel('a.nope()')]) {
    expect(parseExpr(expr).ok).toBe(false)
  }
})

test('no text makes evaluation throw', () => {
  const part = fc.constantFrom(
    ...['a', 'inputs', '.', '[', ']', '(', ')', '*', '?', ':', ',', '&', '|', '!', '`1`', "'x'"],
    ...[
      '{',
      '}',
      '@',
      '$',
      '-',
      '+',
      '==',
      '<',
      '"',
      '`',
      "'",
      'map',
      'sort_by',
      'let',
      'in',
      '$x',
    ],
    ...['=', '1', '0u', 'has', 'true', ' ', 'r"', 'b"', '/', '%', '\\', 'length', 'to_string'],
  )
  const text = fc.oneof(
    fc.array(part, { maxLength: 25 }).map((parts) => parts.join('')),
    fc.string({ maxLength: 40, unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(jp, cel), (one, make) => {
      const result = evaluate(make(one), seen)
      expect(typeof result.ok).toBe('boolean')
      expect(() => parseExpr(make(one))).not.toThrow()
      if (result.ok) expect(JSON.parse(JSON.stringify(result.value))).toEqual(result.value)
    }),
    { numRuns: 600 },
  )
})
