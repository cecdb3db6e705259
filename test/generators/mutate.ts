/**
 * Breaks definitions that work: their tree, and their text. Every change is chosen by numbers,
 * so that a failure can be made again and made smaller.
 */
import fc from 'fast-check'
import { stringify } from 'yaml'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { corpus, exampleTexts } from './corpus.ts'
import { pick, rarely, some } from './generator-helpers.ts'
import { evilNames, oddNames } from './names.ts'
import { oddValue } from './values.ts'

const treeChanges = [
  'drop',
  'duplicate',
  'swap',
  'misspell',
  'retype',
  'replace',
  'nest',
  'long',
  'evil-key',
  'odd-text',
  'number',
  'invoke-itself',
] as const

const treeChange = fc.record({
  how: fc.constantFrom(...treeChanges),
  at: fc.nat(5_000),
  other: fc.nat(5_000),
  value: oddValue,
})
type TreeChange = { how: (typeof treeChanges)[number]; at: number; other: number; value: Json }

// A definition in the making: `Map` keeps any key, `__proto__` too, as a member.
type Tree = Json | Tree[] | Map<string, Tree>
type TreePosition = { readonly owner: Tree[] | Map<string, Tree>; readonly key: string | number }

function treeOf(value: Json): Tree {
  if (Array.isArray(value)) return value.map((item: Json) => treeOf(item))
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value as JsonObject).map(([key, one]) => [key, treeOf(one)]))
}

/** JSON text by hand: a member may be called `__proto__`, and a number may be no number. */
export function textOfTree(tree: Tree): string {
  if (Array.isArray(tree)) return `[${(tree as Tree[]).map(textOfTree).join(', ')}]`
  if (tree instanceof Map) {
    const members = [...tree].map(([key, one]) => `${JSON.stringify(key)}: ${textOfTree(one)}`)
    return `{${members.join(', ')}}`
  }
  if (typeof tree === 'number') return String(tree)
  return JSON.stringify(tree) ?? 'null'
}

function placesIn(tree: Tree): TreePosition[] {
  const places: TreePosition[] = []
  const work: Tree[] = [tree]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (Array.isArray(next)) {
      const owner = next as Tree[]
      owner.forEach((item, key) => {
        places.push({ owner, key })
        work.push(item)
      })
    } else if (next instanceof Map) {
      for (const [key, item] of next) {
        places.push({ owner: next, key })
        work.push(item)
      }
    }
  }
  return places
}

function read({ owner, key }: TreePosition): Tree {
  return (owner instanceof Map ? owner.get(key as string) : owner[key as number]) ?? null
}

function write({ owner, key }: TreePosition, value: Tree): void {
  if (owner instanceof Map) owner.set(key as string, value)
  else owner[key as number] = value
}

function rename(place: TreePosition, name: string): void {
  if (!(place.owner instanceof Map)) return
  const members = [...place.owner]
  place.owner.clear()
  for (const [key, value] of members) place.owner.set(key === place.key ? name : key, value)
}

function misspelt(key: string | number, number: number): string {
  const text = String(key)
  const at = text.length === 0 ? 0 : number % text.length
  const forms = [
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + pick(['x', '_', 'S', ' '], number) + text.slice(at),
    text.toUpperCase(),
    text.replaceAll('_', '-'),
    text.replaceAll('_', ''),
  ]
  return pick(forms, number)
}

function retyped(value: Tree, number: number): Tree {
  const forms: readonly Tree[] = [
    [value],
    new Map([['value', value]]),
    null,
    0,
    true,
    '',
    textOfTree(value),
  ]
  return pick(forms, number)
}

function nested(value: Tree, depth: number): Tree {
  let tree = value
  for (let level = 0; level < depth; level += 1)
    tree = level % 2 === 0 ? [tree] : new Map([['x', tree]])
  return tree
}

function changeTree(tree: Tree, change: TreeChange): void {
  const places = placesIn(tree)
  if (places.length === 0) return
  const place = pick(places, change.at)
  const second = pick(places, change.other)
  switch (change.how) {
    case 'drop':
      if (place.owner instanceof Map) place.owner.delete(place.key as string)
      else place.owner.splice(place.key as number, 1)
      return
    case 'duplicate':
      if (place.owner instanceof Map) place.owner.set(`${place.key} `, clone(read(place)))
      else place.owner.splice(place.key as number, 0, clone(read(place)))
      return
    case 'swap': {
      const kept = clone(read(place))
      write(place, clone(read(second)))
      return write(second, kept)
    }
    case 'misspell':
      return rename(place, misspelt(place.key, change.other))
    case 'retype':
      return write(place, retyped(read(place), change.other))
    case 'replace':
      return write(place, treeOf(change.value))
    case 'nest':
      return write(place, nested(read(place), pick([1, 3, 50, 99, 101, 300], change.other)))
    case 'long':
      return write(place, pick(['y', '🙂', '`', '(', '{{x}}', 'a.'], change.other).repeat(20_000))
    case 'evil-key':
      return rename(place, pick([...evilNames, ...oddNames], change.other))
    case 'odd-text':
      return write(place, pick([...evilNames, ...oddNames, '\ud800', '\u0000'], change.other))
    case 'number':
      return write(
        place,
        pick([Number.NaN, Infinity, -0, 1e308, -1, 0, 0.5, 2 ** 53], change.other),
      )
    case 'invoke-itself':
      return write(
        place,
        new Map([
          ['invoke', 'generated'],
          ['on_complete', 'done'],
        ]),
      )
  }
}

function clone(tree: Tree): Tree {
  if (Array.isArray(tree)) return (tree as Tree[]).map(clone)
  return tree instanceof Map ? new Map([...tree].map(([key, one]) => [key, clone(one)])) : tree
}

const textChange = fc.record({
  how: fc.constantFrom('cut', 'insert', 'brackets', 'tabs', 'repeat', 'join' as const),
  at: fc.nat(100_000),
  other: fc.nat(100_000),
})
type TextChange = { how: string; at: number; other: number }

const inserted = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\t',
  '\n',
  '&a ',
  '*a',
  '<<: *a',
  '\u0000',
  '\ud800',
]
const more = [
  '---\n',
  '!!js/function ',
  '/*',
  '//',
  '\ufeff',
  '1e999',
  'NaN',
  '\\u0000',
  '? ',
  '- - - ',
  '%',
]

function changeText(text: string, { how, at, other }: TextChange): string {
  const from = text.length === 0 ? 0 : at % text.length
  const to = Math.min(text.length, from + (other % 40))
  if (how === 'cut') return text.slice(0, from) + text.slice(to)
  if (how === 'insert')
    return text.slice(0, from) + pick([...inserted, ...more], other) + text.slice(from)
  if (how === 'tabs') return text.replaceAll(/\n {2}/g, '\n\t')
  if (how === 'repeat')
    return text.slice(0, to) + text.slice(from, to).repeat(other % 200) + text.slice(to)
  if (how === 'join') return text + pick(['\n---\n', '', ' ', ','], other) + text
  const swap: Record<string, string> = {
    '{': '[',
    '}': ']',
    '[': '{',
    ']': '}',
    ':': ',',
    ',': ':',
  }
  let left = 1 + (other % 4)
  return [...text]
    .map((one, i) => (i >= from && swap[one] && left-- > 0 ? swap[one] : one))
    .join('')
}

export type Mutant = { readonly text: string; readonly format: 'json' | 'yaml' }

const plan = fc.record({
  seed: some,
  tree: fc.array(treeChange, { maxLength: 5, size: 'max' }),
  texts: fc.array(textChange, { maxLength: 3, size: 'max' }),
  isText: rarely(3),
  isYaml: rarely(4),
})

/** A broken definition as text: its tree was changed, or the text itself. */
export const mutant: fc.Arbitrary<Mutant> = plan.map((one) => {
  const tree = treeOf(pick(corpus, one.seed))
  for (const change of one.tree) changeTree(tree, change)
  const format = one.isYaml ? 'yaml' : 'json'
  let text = one.isYaml ? yamlOf(tree) : textOfTree(tree)
  if (one.isText && exampleTexts.length > 0 && one.seed % 2 === 0)
    text = pick(exampleTexts, one.seed)
  if (one.isText) for (const change of one.texts) text = changeText(text, change)
  return { text, format }
})

function yamlOf(tree: Tree): string {
  return stringify(plainOf(tree), { aliasDuplicateObjects: false })
}

function plainOf(tree: Tree): unknown {
  if (Array.isArray(tree)) return (tree as Tree[]).map(plainOf)
  return tree instanceof Map ? new Map([...tree].map(([key, one]) => [key, plainOf(one)])) : tree
}
