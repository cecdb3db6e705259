/**
 * Expressions that would hang or exhaust other evaluators: each must end soon, with a fault or not.
 */
import { expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import type { Expr, Scope } from './expression-types.ts'

const many = Array.from({ length: 1000 }, (_, i) => i)
const items = many.map((id) => ({ id, name: `n${id}`, tags: ['a', 'b'] }))
const scope: Scope = { vars: { many, items, text: 'a'.repeat(50_000) }, local: {}, inputs: {} }
const ninety = `[${many.slice(0, 90).join(',')}]`

function nested(depth: number, wrap: (inner: string, level: number) => string): string {
  let text = ''
  for (let level = 0; level < depth; level += 1) text = wrap(text, level)
  return text
}

/** `[seed].map(v0, [next(v0)].map(v1, … end(vN)))`: every level makes the value larger. */
function growing(
  seed: string,
  next: (name: string) => string,
  end: (name: string) => string,
): string {
  const depth = 38
  let text = end(`v${depth - 1}`)
  for (let i = depth - 1; i >= 0; i -= 1) {
    text = `[${i === 0 ? seed : next(`v${i - 1}`)}].map(v${i}, ${text})`
  }
  return text
}

const twice = (name: string): string => `[${name}, ${name}]`
const itself = (name: string): string => name

test.each<[string, string]>([
  ['maps in maps', nested(5, (inner, i) => `${ninety}.map(x${i}, ${inner || '1'})`)],
  ['alls without a call', nested(5, (inner, i) => `${ninety}.all(x${i}, ${inner || 'true'})`)],
  ['exists over errors', nested(3, (inner, i) => `many.exists(x${i}, ${inner || 'x0.y'})`)],
  ['exists over failing calls', 'many.exists(x, many.exists(y, int("a") > x))'],
  ['many errors per turn', `many.exists(x, ${'x.f||'.repeat(500)}false)`],
  ['doubled lists as a result', growing('[1]', twice, itself)],
  ['doubled lists compared', growing('[1]', twice, (v) => `${v} == [${v}, ${v}]`)],
  ['doubled lists searched', growing('[1]', twice, (v) => `[${v}] in [[${v}], ${v}]`)],
  ['lists joined with themselves', growing('[1]', (v) => `${v} + ${v}`, itself)],
  [
    'texts joined with themselves',
    growing(
      '"aa"',
      (v) => `${v} + ${v}`,
      (v) => `size(${v})`,
    ),
  ],
  [
    'bytes joined with themselves',
    growing(
      'b"aa"',
      (v) => `${v} + ${v}`,
      (v) => `size(${v})`,
    ),
  ],
  ['all pairs of large items', 'items.map(o, items.filter(p, p == o))'],
  ['a greedy pattern on a long text', 'many.map(x, text.matches("(a+)+$"))'],
  ['a new pattern every turn', 'many.map(x, "x".matches("(a|b){" + string(x) + "}"))'],
  ['zones of the world', 'many.map(x, timestamp("2026-01-01T00:00:00Z").getHours("Asia/Tokyo"))'],
  ['messages', 'many.map(x, many.map(y, google.protobuf.Struct{fields: {}}))'],
  ['a large result', 'many.map(x, many)'],
])('CEL: %s', (_, text) => {
  expectFault({ language: 'cel', text, origin: '' })
})

const literal = `\`${ninety}\``

test.each<[string, string]>([
  ['maps in maps', nested(5, (inner) => `map(&${inner || '@'}, ${literal})`)],
  ['projections in projections', nested(5, (inner) => `${literal}[*].[${inner || '@'}]`)],
  ['the root in projections', 'many[*].[$.many[*].[$.many[*].[@]]]'],
  ['filters in filters', 'many[?$.many[?$.many[?`true`]]]'],
  ['sorts in sorts', 'sort_by(many, &length(sort_by($.many, &length(to_string(@)))))'],
  ['doubled lists as a result', `${'[@,@]|'.repeat(300)}@`],
  ['doubled lists compared', `(${'[@,@]|'.repeat(60)}@) == (${'[@,@]|'.repeat(60)}@)`],
  ['doubled lists searched', `contains([${'[@,@]|'.repeat(40)}@], ${'[@,@]|'.repeat(40)}@)`],
  ['doubled lists written', `length(to_string(${'[@,@]|'.repeat(60)}@))`],
  ['lists flattened into themselves', `${'[@,@][]|'.repeat(300)}length(@)`],
  ['texts joined with themselves', `'aa'|${"join('',[@,@])|".repeat(100)}length(@)`],
  ['texts replaced by larger ones', `'aa'|${"replace(@,'a','aa')|".repeat(100)}length(@)`],
  ['wide padding', "pad_left('a', `1000000000`)"],
  ['letters that grow', `'ŉ'|${"join('',[upper(@),upper(@)])|".repeat(60)}@`],
  ['reversing again and again', `text|${'reverse(@)|'.repeat(250)}@`],
  ['bindings of bindings', `let $a = \`1\` in ${'let $a = [$a,$a] in '.repeat(60)}$a`],
  ['the whole document for everybody', 'map(&$, many)'],
  ['merging the document', 'map(&merge(@, $), items)'],
  ['zipping', 'map(&zip($.many,$.many,$.many,$.many), many)'],
  ['looking for everybody among all', 'items[?contains($.items, @)]'],
  ['deep literals', `\`${'['.repeat(1900)}${']'.repeat(1900)}\``],
])('JMESPath: %s', (_, text) => {
  expectFault({ language: 'jmespath', text, origin: '' })
})

test('data that nest too deeply are a fault, in a result and in a comparison', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
  const also = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
  const at: Scope = { vars: { deep, also }, local: {}, inputs: {} }
  for (const text of ['deep', 'deep == also', '[deep, also]']) {
    expect(evaluate({ language: 'jmespath', text, origin: '' }, at).ok).toBe(false)
    expect(evaluate({ language: 'cel', text, origin: '' }, at).ok).toBe(false)
  }
})

test('an honest look at a thousand items is no catastrophe', () => {
  const honest = 'items.filter(o, o.id > 10 && o.name.startsWith("n1")).map(o, o.name).size()'
  expect(evaluate({ language: 'cel', text: honest, origin: '' }, scope)).toEqual({
    ok: true,
    value: 109,
  })
  const same = "length(items[?id > `10` && starts_with(name, 'n1')].name)"
  expect(evaluate({ language: 'jmespath', text: same, origin: '' }, scope)).toEqual({
    ok: true,
    value: 109,
  })
})

function expectFault(expr: Expr): void {
  // WHY no clock: an expression that hangs runs into the time limit of the test itself.
  expect(evaluate(expr, scope).ok).toBe(false)
}
