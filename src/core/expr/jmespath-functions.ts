/**
 * The functions of JMESPath, with their signatures; all of them pay for what they do.
 * Knows JSON values. Must not know trees: an expression argument is something to apply.
 */
import { emptyRecord, type Json } from '../json.ts'
import {
  type Argument,
  type Call,
  count,
  type Kind,
  kindOf,
  list,
  number,
  numbers,
  object,
  text,
  type Wanted,
} from './jmespath-call.ts'
import {
  changeCase,
  compareKeys,
  find,
  join,
  pad,
  replace,
  splitText,
  trim,
} from './jmespath-text.ts'
import {
  charge,
  chargeText,
  checkTextChars,
  equalMetered,
  fault,
  jsonText,
  type Meter,
} from './meter.ts'

type Offered = {
  /** What each argument may be. */
  readonly takes: readonly (readonly Wanted[])[]
  /** How many of them may be left out. */
  readonly optional?: number
  /** The last one may come any number of times. */
  readonly repeats?: true
  readonly run: (call: Call) => Json
}

/** Why a call can never work, or null; for the check of a definition. */
export function callProblem(name: string, argsCount: number): string | null {
  const known = functions.get(name)
  if (known === undefined) return `\`${name}\` is not a function of JMESPath`
  const least = known.takes.length - (known.optional ?? 0)
  const most = known.repeats ? Number.POSITIVE_INFINITY : known.takes.length
  if (argsCount >= least && argsCount <= most) return null
  return `\`${name}\` does not take ${argsCount} arguments`
}

/** The value of a call. Throws the reason when its arguments do not fit. */
export function callFunction(name: string, args: readonly Argument[], meter: Meter): Json {
  const problem = callProblem(name, args.length)
  const known = functions.get(name)
  if (problem !== null || known === undefined) return fault(problem ?? name)
  args.forEach((arg, i) => {
    checkArgument({ name, arg, place: i + 1, wanted: known.takes[i] ?? known.takes.at(-1) ?? [] })
    if (arg.kind === 'value') chargeArgument(meter, arg.value)
  })
  const reference = args.find((arg) => arg.kind === 'expression')
  return known.run({
    values: args.map((arg) => (arg.kind === 'value' ? arg.value : null)),
    apply: reference?.kind === 'expression' ? reference.apply : (item) => item,
    meter,
  })
}

function chargeArgument(meter: Meter, value: Json): void {
  if (typeof value === 'string') chargeText(meter, value.length)
  else if (Array.isArray(value)) charge(meter, 1 + value.length / 2)
  else charge(meter, 1)
}

type Checked = {
  readonly name: string
  readonly arg: Argument
  readonly place: number
  readonly wanted: readonly Wanted[]
}

function checkArgument({ name, arg, place, wanted }: Checked): void {
  const kind = arg.kind === 'expression' ? 'expression' : kindOf(arg.value)
  if (wanted.some((one) => fits(arg, kind, one))) return
  fault(`argument ${place} of \`${name}\` is ${kind}, it takes ${wanted.join(' or ')}`)
}

function fits(arg: Argument, kind: Kind, wanted: Wanted): boolean {
  if (wanted === 'any') return kind !== 'expression'
  if (wanted === kind) return true
  if (arg.kind !== 'value' || !Array.isArray(arg.value)) return false
  if (wanted === 'numbers') return arg.value.every((item: Json) => typeof item === 'number')
  if (wanted === 'strings') return arg.value.every((item: Json) => typeof item === 'string')
  return wanted === 'arrays' && arg.value.every((item: Json) => Array.isArray(item))
}

type Keyed = { readonly item: Json; readonly key: Json }

/** Every item with its key; all keys are numbers or all are texts. */
function keyed(call: Call, allowed: readonly Kind[]): readonly Keyed[] {
  const items = list(call, 0).map((item) => ({ item, key: call.apply(item) }))
  const kind = kindOf(items[0]?.key ?? '')
  for (const one of items) {
    if (kindOf(one.key) !== kind || !allowed.includes(kind)) {
      fault(`the key of an item is ${kindOf(one.key)}, it must be ${allowed.join(' or ')}`)
    }
  }
  return items
}

/** Sorting compares more often than there are items. */
function sorted<T>(items: readonly T[], call: Call, order: (a: T, b: T) => number): T[] {
  return items.toSorted((a, b) => {
    charge(call.meter, 1)
    return order(a, b)
  })
}

function extreme(call: Call, sign: 1 | -1): Json {
  let best: Json = null
  for (const item of list(call, 0)) {
    charge(call.meter, 1)
    if (best === null || sign * compareKeys(item, best) > 0) best = item
  }
  return best
}

function extremeBy(call: Call, sign: 1 | -1): Json {
  let best: Keyed | null = null
  for (const one of keyed(call, ['number', 'string'])) {
    if (best === null || sign * compareKeys(one.key, best.key) > 0) best = one
  }
  return best === null ? null : best.item
}

function groupBy(call: Call): Json {
  const groups = emptyRecord<Json[]>()
  for (const { item, key } of keyed(call, ['string'])) {
    const name = String(key)
    groups[name] ??= []
    groups[name].push(item)
  }
  return groups
}

function fromItems(call: Call): Json {
  const record = emptyRecord<Json>()
  for (const pair of list(call, 0)) {
    const [key, value] = Array.isArray(pair) ? pair : []
    if (typeof key !== 'string' || value === undefined) fault('an item must be a name and a value')
    else record[key] = value
  }
  return record
}

function merge(call: Call): Json {
  const merged = emptyRecord<Json>()
  call.values.forEach((_, i) => {
    const entries = Object.entries(object(call, i))
    charge(call.meter, entries.length)
    for (const [key, value] of entries) merged[key] = value
  })
  return merged
}

function zip(call: Call): Json {
  const length = Math.min(...call.values.map((_, i) => list(call, i).length))
  charge(call.meter, length * call.values.length)
  return Array.from({ length }, (_, at) => call.values.map((_, i) => list(call, i)[at] ?? null))
}

function contains(call: Call): Json {
  const [where = null, what = null] = call.values
  if (typeof where === 'string') return typeof what === 'string' && where.includes(what)
  return list(call, 0).some((item) => equalMetered(item, what, call.meter))
}

function members(call: Call): readonly (readonly [string, Json])[] {
  const entries = Object.entries(object(call, 0))
  charge(call.meter, entries.length)
  return entries
}

function lengthOf(call: Call): Json {
  const [value = null] = call.values
  if (typeof value === 'string') return [...value].length
  return Array.isArray(value) ? value.length : members(call).length
}

function reverse(call: Call): Json {
  const [value] = call.values
  return typeof value === 'string' ? [...value].reverse().join('') : list(call, 0).toReversed()
}

/** Only what JSON would read as a number: no blanks, no other bases. */
function toNumber(call: Call): Json {
  const [value = null] = call.values
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : null
}

function toText(call: Call): Json {
  const [value = null] = call.values
  if (typeof value === 'string') return value
  const written = jsonText(value, call.meter)
  checkTextChars(written.length)
  return written
}

function sum(call: Call): number {
  return numbers(call, 0).reduce((total, value) => total + value, 0)
}

const any: readonly Wanted[] = ['any']
const aText: readonly Wanted[] = ['string']
const aNumber: readonly Wanted[] = ['number']
const aList: readonly Wanted[] = ['array']
const anObject: readonly Wanted[] = ['object']
const anExpression: readonly Wanted[] = ['expression']
const orderable: readonly Wanted[] = ['numbers', 'strings']

const functions: ReadonlyMap<string, Offered> = new Map<string, Offered>([
  ['abs', { takes: [aNumber], run: (call) => Math.abs(number(call, 0)) }],
  ['ceil', { takes: [aNumber], run: (call) => Math.ceil(number(call, 0)) }],
  ['floor', { takes: [aNumber], run: (call) => Math.floor(number(call, 0)) }],
  ['sum', { takes: [['numbers']], run: sum }],
  [
    'avg',
    {
      takes: [['numbers']],
      run: (call) => (list(call, 0).length === 0 ? null : sum(call) / list(call, 0).length),
    },
  ],
  ['max', { takes: [orderable], run: (call) => extreme(call, 1) }],
  ['min', { takes: [orderable], run: (call) => extreme(call, -1) }],
  ['max_by', { takes: [aList, anExpression], run: (call) => extremeBy(call, 1) }],
  ['min_by', { takes: [aList, anExpression], run: (call) => extremeBy(call, -1) }],
  ['sort', { takes: [orderable], run: (call) => sorted(list(call, 0), call, compareKeys) }],
  [
    'sort_by',
    {
      takes: [aList, anExpression],
      run: (call) =>
        sorted(keyed(call, ['number', 'string']), call, (a, b) => compareKeys(a.key, b.key)).map(
          (one) => one.item,
        ),
    },
  ],
  ['group_by', { takes: [aList, anExpression], run: groupBy }],
  ['map', { takes: [anExpression, aList], run: (call) => list(call, 1).map(call.apply) }],
  ['lower', { takes: [aText], run: (call) => changeCase(call, text(call, 0).toLowerCase()) }],
  ['upper', { takes: [aText], run: (call) => changeCase(call, text(call, 0).toUpperCase()) }],
  [
    'starts_with',
    { takes: [aText, aText], run: (call) => text(call, 0).startsWith(text(call, 1)) },
  ],
  ['ends_with', { takes: [aText, aText], run: (call) => text(call, 0).endsWith(text(call, 1)) }],
  ['contains', { takes: [['string', 'array'], any], run: contains }],
  [
    'find_first',
    { takes: [aText, aText, aNumber, aNumber], optional: 2, run: (call) => find(call, 'first') },
  ],
  [
    'find_last',
    { takes: [aText, aText, aNumber, aNumber], optional: 2, run: (call) => find(call, 'last') },
  ],
  ['join', { takes: [aText, ['strings']], run: join }],
  [
    'split',
    {
      takes: [aText, aText, aNumber],
      optional: 1,
      run: (call) => splitText(call, text(call, 1), count(call, 2)),
    },
  ],
  ['replace', { takes: [aText, aText, aText, aNumber], optional: 1, run: replace }],
  ['pad_left', { takes: [aText, aNumber, aText], optional: 1, run: (call) => pad(call, 'left') }],
  ['pad_right', { takes: [aText, aNumber, aText], optional: 1, run: (call) => pad(call, 'right') }],
  ['trim', { takes: [aText, aText], optional: 1, run: (call) => trim(call, 'both') }],
  ['trim_left', { takes: [aText, aText], optional: 1, run: (call) => trim(call, 'left') }],
  ['trim_right', { takes: [aText, aText], optional: 1, run: (call) => trim(call, 'right') }],
  ['length', { takes: [['string', 'array', 'object']], run: lengthOf }],
  ['reverse', { takes: [['string', 'array']], run: reverse }],
  ['keys', { takes: [anObject], run: (call) => members(call).map(([key]) => key) }],
  ['values', { takes: [anObject], run: (call) => members(call).map(([, value]) => value) }],
  ['items', { takes: [anObject], run: (call) => members(call) }],
  ['from_items', { takes: [['arrays']], run: fromItems }],
  ['merge', { takes: [anObject], repeats: true, run: merge }],
  ['zip', { takes: [aList], repeats: true, run: zip }],
  [
    'not_null',
    { takes: [any], repeats: true, run: (call) => call.values.find((one) => one !== null) ?? null },
  ],
  [
    'to_array',
    {
      takes: [any],
      run: (call) => (Array.isArray(call.values[0]) ? list(call, 0) : [...call.values]),
    },
  ],
  ['to_number', { takes: [any], run: toNumber }],
  ['to_string', { takes: [any], run: toText }],
  ['type', { takes: [any], run: (call) => kindOf(call.values[0] ?? null) }],
])
