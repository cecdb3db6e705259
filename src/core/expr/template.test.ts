// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are what is tested
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import type { Scope } from './expression-types.ts'
import { placeholdersOf, renderArguments, renderedCharsMax, renderText } from './template.ts'

const scope = (vars: JsonObject, more: Partial<Scope> = {}): Scope => ({
  vars,
  local: {},
  inputs: {},
  ...more,
})

test.each<[string, JsonObject, string]>([
  ['Hi {{name}}.', { name: 'Ann' }, 'Hi Ann.'],
  ['Hi {{ name }}.', { name: 'Ann' }, 'Hi Ann.'],
  ['Hi {{name}}.', {}, 'Hi .'],
  ['Hi ${name}.', {}, 'Hi .'],
  ['Hi ${name=Guest}.', {}, 'Hi Guest.'],
  ['Hi ${name=Guest}.', { name: 'Ann' }, 'Hi Ann.'],
  ['Hi ${name=Guest}.', { name: null }, 'Hi Guest.'],
  ['Hi ${name=Guest}.', { name: '' }, 'Hi .'],
  ['Hi ${name=}.', {}, 'Hi .'],
  ['Hi ${name=dear guest, hi}.', {}, 'Hi dear guest, hi.'],
  ['{{a}}-{{a}}-${a}', { a: 'q' }, 'q-q-q'],
  ['{{o}} {{l}}', { o: { a: 1 }, l: [1, 'b'] }, '{"a":1} [1,"b"]'],
  ['{{n}} {{f}} {{z}}', { n: 3, f: false, z: 0 }, '3 false 0'],
  ['{{l.1}} {{l.length}} {{l.9}}', { l: ['x', 'y'] }, 'y  '],
  ['{{o.a.b}}{{o.x.b}}', { o: { a: { b: 'deep' } } }, 'deep'],
  ['{{größe}}', { größe: 'L' }, 'L'],
  ['{{a}}', { a: '{{secret}}', secret: 's' }, '{{secret}}'],
  ['{{a}}}', { a: '{', secret: 's' }, '{}'],
  ['{{constructor}}{{__proto__}}{{o.toString}}', { o: {} }, ''],
  ['{{a b}} {{}} {{a=1}} ${} ${ a } {{#if a}} $a {a}', { a: 1 }, '   ${} ${ a }  $a {a}'],
  ['[{{.a}}{{a.}}{{a..b}}{{a.constructor()}}]', { a: 1 }, '[]'],
])('%s with %j is %s', (text, vars, expected) => {
  expect(renderText(text, scope(vars))).toBe(expected)
})

test('all scopes can be read and no variable can stand in for them', () => {
  const all = scope(
    { v: 'V', local: 'fake', inputs: 'fake' },
    { local: { n: 1 }, inputs: { a: 'x' } },
  )
  expect(renderText('{{inputs.a}} {{vars.v}} {{v}} {{local.n}}', all)).toBe('x V V 1')
  expect(renderText('{{vars.local}}', all)).toBe('fake')
})

test('arguments are filled at every depth, and one placeholder alone keeps its type', () => {
  const args = {
    q: 'id={{inputs.a}}',
    deep: { list: ['{{inputs.a}}', 1, null, true] },
    n: '{{n}}',
    o: '{{ o }}',
    none: '${x=0}',
    missing: '{{x}}',
    two: '{{n}}{{n}}',
  }
  const seen = scope({ n: 5, o: { a: [1] } }, { inputs: { a: 'k' } })
  expect(renderArguments(args, seen)).toEqual({
    q: 'id=k',
    deep: { list: ['k', 1, null, true] },
    n: 5,
    o: { a: [1] },
    none: '0',
    missing: '',
    two: '55',
  })
})

test('names of arguments are left as they are, even odd ones', () => {
  const args = JSON.parse('{"{{n}}": 1, "__proto__": "{{n}}"}')
  const rendered = renderArguments(args, scope({ n: 5 }))
  expect(Object.entries(rendered)).toEqual([
    ['{{n}}', 1],
    ['__proto__', 5],
  ])
  expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype)
})

test('what comes out is bounded', () => {
  const big = scope({ s: 'x'.repeat(renderedCharsMax), l: Array(60_000).fill(1) })
  const text = renderText('{{s}}{{s}}{{s}} end', big)
  expect(text.length).toBe(renderedCharsMax + 1)
  expect(text.endsWith('x…')).toBe(true)
  const args = renderArguments({ a: Array(1000).fill('{{s}}'), b: '{{l}}' }, big)
  expect(JSON.stringify(args).length).toBeLessThan(2 * renderedCharsMax)
})

test('the placeholders of a text can be listed', () => {
  expect(placeholdersOf('{{a}} ${b.c=1} {{ inputs.d }} {e}')).toEqual([
    ['a'],
    ['b', 'c'],
    ['inputs', 'd'],
  ])
  expect(placeholdersOf('none')).toEqual([])
})

test('no text makes rendering throw or take long', () => {
  const part = fc.constantFrom('{{', '}}', '${', '}', 'a', '.', '=', ' ', 'a.b', '{', '$')
  const text = fc.array(part, { maxLength: 200 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (one) => {
      expect(typeof renderText(one, scope({ a: { b: '{{a}}' } }))).toBe('string')
    }),
  )
  for (const one of ['{{', '${a=', '{{a.', '${', '{{ ', '{{a ']) {
    renderText(one.repeat(20_000), scope({}))
  }
})
