/**
 * The functions of JMESPath, with their signatures; each is charged for its work.
 * Knows JSON values. Must not know trees: an expression argument is something to apply.
 */
import { emptyRecord, type Json } from '../json.ts'
import {
  type Argument,
  type ArgumentKind,
  argumentKindOf,
  type ExpectedArguments,
  type FunctionCall,
  listArgument,
  numberArgument,
  numberListArgument,
  numberOfItems,
  objectArgument,
  textArgument,
} from './jmespath-call.ts'
import {
  changeCase,
  compareKeys,
  findText,
  joinTexts,
  padText,
  replaceText,
  splitText,
  trimText,
} from './jmespath-string-functions.ts'
import {
  charge,
  chargeText,
  checkTextChars,
  equalMetered,
  fault,
  jsonText,
  type WorkMeter,
} from './meter.ts'

type Offered = {
  /** What each argument may be. */
  readonly takes: readonly (readonly ExpectedArguments[])[]
  /** How many of them may be left out. */
  readonly optional?: number
  /** The last one may come any number of times. */
  readonly repeats?: true
  readonly run: (call: FunctionCall) => Json
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

/** What an argument of a call has to be, if none of these kinds is; null: one of them may do. */
export function argumentProblem(
  name: string,
  index: number,
  kinds: ReadonlySet<ArgumentKind>,
): string | null {
  const takes = functions.get(name)?.takes
  const wanted = takes?.[index] ?? takes?.at(-1)
  if (wanted === undefined || wanted.includes('any')) return null
  const fitting = wanted.map((one) => (listsOf.has(one) ? 'array' : one)) as ArgumentKind[]
  if (fitting.some((kind) => kinds.has(kind))) return null
  return fitting.map((kind) => (/^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`)).join(' or ')
}

const listsOf: ReadonlySet<ExpectedArguments> = new Set(['numbers', 'strings', 'arrays'])

type ResultKind = Exclude<ArgumentKind, 'expression'>

/** The kinds of what a call gives; null: they depend on its arguments. */
export function resultKinds(name: string): readonly ResultKind[] | null {
  return results.get(name) ?? null
}

const namesByResult: readonly (readonly [names: string, ...kinds: ResultKind[]])[] = [
  ['contains starts_with ends_with', 'boolean'],
  ['abs ceil floor length sum', 'number'],
  ['avg to_number find_first find_last', 'number', 'null'],
  ['join lower upper replace to_string type trim', 'string'],
  ['keys values items sort sort_by map split to_array', 'array'],
]
const results: ReadonlyMap<string, readonly ResultKind[]> = new Map(
  namesByResult.flatMap(([names, ...kinds]) => names.split(' ').map((name) => [name, kinds])),
)

/** The value of a call. Throws the reason when its arguments do not fit. */
export function callFunction(name: string, args: readonly Argument[], meter: WorkMeter): Json {
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

function chargeArgument(meter: WorkMeter, value: Json): void {
  if (typeof value === 'string') chargeText(meter, value.length)
  else if (Array.isArray(value)) charge(meter, 1 + value.length / 2)
  else charge(meter, 1)
}

type Checked = {
  readonly name: string
  readonly arg: Argument
  readonly place: number
  readonly wanted: readonly ExpectedArguments[]
}

function checkArgument({ name, arg, place, wanted }: Checked): void {
  const kind = arg.kind === 'expression' ? 'expression' : argumentKindOf(arg.value)
  if (wanted.some((one) => fits(arg, kind, one))) return
  fault(`argument ${place} of \`${name}\` is ${kind}; expected ${wanted.join(' or ')}`)
}

function fits(arg: Argument, kind: ArgumentKind, wanted: ExpectedArguments): boolean {
  if (wanted === 'any') return kind !== 'expression'
  if (wanted === kind) return true
  if (arg.kind !== 'value' || !Array.isArray(arg.value)) return false
  if (wanted === 'numbers') return arg.value.every((item: Json) => typeof item === 'number')
  if (wanted === 'strings') return arg.value.every((item: Json) => typeof item === 'string')
  return wanted === 'arrays' && arg.value.every((item: Json) => Array.isArray(item))
}

type Keyed = { readonly item: Json; readonly key: Json }

/** Every item with its key; all keys are numbers or all are texts. */
function keyed(call: FunctionCall, allowed: readonly ArgumentKind[]): readonly Keyed[] {
  const items = listArgument(call, 0).map((item) => ({ item, key: call.apply(item) }))
  const kind = argumentKindOf(items[0]?.key ?? '')
  for (const one of items) {
    if (argumentKindOf(one.key) !== kind || !allowed.includes(kind)) {
      fault(`the key of an item is ${argumentKindOf(one.key)}; expected ${allowed.join(' or ')}`)
    }
  }
  return items
}

/** Sorting compares more often than there are items. */
function sorted<T>(items: readonly T[], call: FunctionCall, order: (a: T, b: T) => number): T[] {
  return items.toSorted((a, b) => {
    charge(call.meter, 1)
    return order(a, b)
  })
}

function extreme(call: FunctionCall, sign: 1 | -1): Json {
  let best: Json = null
  for (const item of listArgument(call, 0)) {
    charge(call.meter, 1)
    if (best === null || sign * compareKeys(item, best) > 0) best = item
  }
  return best
}

function extremeBy(call: FunctionCall, sign: 1 | -1): Json {
  let best: Keyed | null = null
  for (const one of keyed(call, ['number', 'string'])) {
    if (best === null || sign * compareKeys(one.key, best.key) > 0) best = one
  }
  return best === null ? null : best.item
}

function groupBy(call: FunctionCall): Json {
  const groups = emptyRecord<Json[]>()
  for (const { item, key } of keyed(call, ['string'])) {
    const name = String(key)
    groups[name] ??= []
    groups[name].push(item)
  }
  return groups
}

function fromItems(call: FunctionCall): Json {
  const record = emptyRecord<Json>()
  for (const pair of listArgument(call, 0)) {
    const [key, value] = Array.isArray(pair) ? pair : []
    if (typeof key !== 'string' || value === undefined)
      fault('each item must be a name and a value')
    else record[key] = value
  }
  return record
}

function merge(call: FunctionCall): Json {
  const merged = emptyRecord<Json>()
  call.values.forEach((_, i) => {
    const entries = Object.entries(objectArgument(call, i))
    charge(call.meter, entries.length)
    for (const [key, value] of entries) merged[key] = value
  })
  return merged
}

function zip(call: FunctionCall): Json {
  const length = Math.min(...call.values.map((_, i) => listArgument(call, i).length))
  charge(call.meter, length * call.values.length)
  return Array.from({ length }, (_, at) =>
    call.values.map((_, i) => listArgument(call, i)[at] ?? null),
  )
}

function contains(call: FunctionCall): Json {
  const [where = null, what = null] = call.values
  if (typeof where === 'string') return typeof what === 'string' && where.includes(what)
  return listArgument(call, 0).some((item) => equalMetered(item, what, call.meter))
}

function members(call: FunctionCall): readonly (readonly [string, Json])[] {
  const entries = Object.entries(objectArgument(call, 0))
  charge(call.meter, entries.length)
  return entries
}

function lengthOf(call: FunctionCall): Json {
  const [value = null] = call.values
  if (typeof value === 'string') return [...value].length
  return Array.isArray(value) ? value.length : members(call).length
}

function reverse(call: FunctionCall): Json {
  const [value] = call.values
  return typeof value === 'string'
    ? [...value].reverse().join('')
    : listArgument(call, 0).toReversed()
}

/** Only what JSON would read as a number: no blanks, no other bases. */
function toNumber(call: FunctionCall): Json {
  const [value = null] = call.values
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : null
}

function toText(call: FunctionCall): Json {
  const [value = null] = call.values
  if (typeof value === 'string') return value
  const written = jsonText(value, call.meter)
  checkTextChars(written.length)
  return written
}

function sum(call: FunctionCall): number {
  return numberListArgument(call, 0).reduce((total, value) => total + value, 0)
}

const any: readonly ExpectedArguments[] = ['any']
const aText: readonly ExpectedArguments[] = ['string']
const aNumber: readonly ExpectedArguments[] = ['number']
const aList: readonly ExpectedArguments[] = ['array']
const anObject: readonly ExpectedArguments[] = ['object']
const anExpression: readonly ExpectedArguments[] = ['expression']
const orderable: readonly ExpectedArguments[] = ['numbers', 'strings']

const functions: ReadonlyMap<string, Offered> = new Map<string, Offered>([
  ['abs', { takes: [aNumber], run: (call) => Math.abs(numberArgument(call, 0)) }],
  ['ceil', { takes: [aNumber], run: (call) => Math.ceil(numberArgument(call, 0)) }],
  ['floor', { takes: [aNumber], run: (call) => Math.floor(numberArgument(call, 0)) }],
  ['sum', { takes: [['numbers']], run: sum }],
  [
    'avg',
    {
      takes: [['numbers']],
      run: (call) =>
        listArgument(call, 0).length === 0 ? null : sum(call) / listArgument(call, 0).length,
    },
  ],
  ['max', { takes: [orderable], run: (call) => extreme(call, 1) }],
  ['min', { takes: [orderable], run: (call) => extreme(call, -1) }],
  ['max_by', { takes: [aList, anExpression], run: (call) => extremeBy(call, 1) }],
  ['min_by', { takes: [aList, anExpression], run: (call) => extremeBy(call, -1) }],
  ['sort', { takes: [orderable], run: (call) => sorted(listArgument(call, 0), call, compareKeys) }],
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
  ['map', { takes: [anExpression, aList], run: (call) => listArgument(call, 1).map(call.apply) }],
  [
    'lower',
    { takes: [aText], run: (call) => changeCase(call, textArgument(call, 0).toLowerCase()) },
  ],
  [
    'upper',
    { takes: [aText], run: (call) => changeCase(call, textArgument(call, 0).toUpperCase()) },
  ],
  [
    'starts_with',
    {
      takes: [aText, aText],
      run: (call) => textArgument(call, 0).startsWith(textArgument(call, 1)),
    },
  ],
  [
    'ends_with',
    { takes: [aText, aText], run: (call) => textArgument(call, 0).endsWith(textArgument(call, 1)) },
  ],
  ['contains', { takes: [['string', 'array'], any], run: contains }],
  [
    'find_first',
    {
      takes: [aText, aText, aNumber, aNumber],
      optional: 2,
      run: (call) => findText(call, 'first'),
    },
  ],
  [
    'find_last',
    { takes: [aText, aText, aNumber, aNumber], optional: 2, run: (call) => findText(call, 'last') },
  ],
  ['join', { takes: [aText, ['strings']], run: joinTexts }],
  [
    'split',
    {
      takes: [aText, aText, aNumber],
      optional: 1,
      run: (call) => splitText(call, textArgument(call, 1), numberOfItems(call, 2)),
    },
  ],
  ['replace', { takes: [aText, aText, aText, aNumber], optional: 1, run: replaceText }],
  [
    'pad_left',
    { takes: [aText, aNumber, aText], optional: 1, run: (call) => padText(call, 'left') },
  ],
  [
    'pad_right',
    { takes: [aText, aNumber, aText], optional: 1, run: (call) => padText(call, 'right') },
  ],
  ['trim', { takes: [aText, aText], optional: 1, run: (call) => trimText(call, 'both') }],
  ['trim_left', { takes: [aText, aText], optional: 1, run: (call) => trimText(call, 'left') }],
  ['trim_right', { takes: [aText, aText], optional: 1, run: (call) => trimText(call, 'right') }],
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
      run: (call) => (Array.isArray(call.values[0]) ? listArgument(call, 0) : [...call.values]),
    },
  ],
  ['to_number', { takes: [any], run: toNumber }],
  ['to_string', { takes: [any], run: toText }],
  ['type', { takes: [any], run: (call) => argumentKindOf(call.values[0] ?? null) }],
])
