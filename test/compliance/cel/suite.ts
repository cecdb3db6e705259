/**
 * The conformance cases of cel-spec as a flat list, and their values in a form that compares.
 * Knows the JSON of `@bufbuild/cel-spec`. Must not know which cases are excepted.
 */
import {
  type CelValue,
  celList,
  celMap,
  celUint,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
} from '@bufbuild/cel'
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { celResultOf, runCel } from '../../../src/core/expr/cel.ts'
import { newMeter } from '../../../src/core/expr/meter.ts'

/** A value as the suite writes it: `{ int64Value: "1" }` and the like. */
type Written = { readonly [kind: string]: unknown }
export type Case = {
  readonly id: string
  readonly expr: string
  readonly bindings: { readonly [name: string]: { readonly value?: Written } }
  readonly container: string
  readonly checkOnly: boolean
  /** Null: an error is expected. */
  readonly expected: Written | null
}

type Suite = {
  readonly name: string
  readonly suites?: readonly Suite[]
  readonly tests?: readonly { readonly original: Original }[]
}
type Original = {
  readonly name?: string
  readonly expr: string
  readonly bindings?: unknown
  readonly container?: unknown
  readonly checkOnly?: unknown
  readonly value?: unknown
  readonly typedResult?: unknown
  readonly evalError?: unknown
}

export const suiteNames = (tests as Suite).suites?.map((suite) => suite.name) ?? []

/** Every case of a suite, with a name that is its own. */
export function casesOf(suiteName: string): readonly Case[] {
  const suite = (tests as Suite).suites?.find((one) => one.name === suiteName)
  const seen = new Map<string, number>()
  return flat(suite ?? { name: suiteName }).map(({ path, original }) => {
    const name = `${path}/${original.name ?? original.expr}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return caseOf(times === 1 ? name : `${name}#${times}`, original)
  })
}

type SuiteCase = { readonly path: string; readonly original: Original }

function flat(suite: Suite, prefix = ''): readonly SuiteCase[] {
  const path = prefix === '' ? suite.name : `${prefix}/${suite.name}`
  const own = (suite.tests ?? []).map(({ original }) => ({ path, original }))
  return [...own, ...(suite.suites ?? []).flatMap((inner) => flat(inner, path))]
}

function caseOf(id: string, original: Original): Case {
  const typed = original.typedResult as { result?: Written } | undefined
  const value = (original.value ?? typed?.result ?? { boolValue: true }) as Written
  return {
    id,
    expr: original.expr,
    bindings: (original.bindings ?? {}) as Case['bindings'],
    container: String(original.container ?? ''),
    checkOnly: original.checkOnly === true,
    expected: original.evalError === undefined ? value : null,
  }
}

/** Null when our CEL does what the case says, else what it did instead. */
export function failureOf(one: Case): string | null {
  if (one.checkOnly) return 'there is no type checker'
  if (one.container !== '') return 'there are no containers'
  const found = outcomeOf(one)
  const expected = one.expected === null ? 'error' : textOfWritten(one.expected)
  return found === expected ? null : `${found} instead of ${expected}`
}

function outcomeOf(one: Case): string {
  try {
    const bound = (name: string): CelValue | undefined => {
      const binding = Object.hasOwn(one.bindings, name) ? one.bindings[name]?.value : undefined
      return binding === undefined ? undefined : celOf(binding)
    }
    const result = celResultOf(one.expr, bound, newMeter())
    return result.ok ? textOfValue(result.value) : 'error'
  } catch (problem) {
    return `thrown: ${String(problem)}`
  }
}

type Entry = { readonly key: Written; readonly value: Written }

function entriesOf(value: unknown): readonly Entry[] {
  return (value as { entries?: readonly Entry[] }).entries ?? []
}

function itemsOf(value: unknown): readonly Written[] {
  return (value as { values?: readonly Written[] }).values ?? []
}

function celOf(written: Written): CelValue {
  const [kind, value] = Object.entries(written)[0] ?? ['nullValue', null]
  switch (kind) {
    case 'int64Value':
      return BigInt(String(value))
    case 'uint64Value':
      return celUint(BigInt(String(value)))
    case 'doubleValue':
      return Number(value)
    case 'boolValue':
      return value === true
    case 'stringValue':
      return String(value)
    case 'bytesValue':
      return new Uint8Array(Buffer.from(String(value), 'base64'))
    case 'listValue':
      return celList(itemsOf(value).map(celOf))
    case 'mapValue':
      return celMap(
        new Map(entriesOf(value).map((entry) => [celOf(entry.key) as string, celOf(entry.value)])),
      )
    case 'nullValue':
      return null
    case 'objectValue':
      return timeOf(value as { '@type'?: string; value?: unknown })
    default:
      throw new Error(`a binding of kind ${kind} ${JSON.stringify(value)}`)
  }
}

function timeOf(message: { '@type'?: string; value?: unknown }): CelValue {
  const name = message['@type']?.endsWith('.Duration') ? 'duration' : 'timestamp'
  const made = celResultOf(`${name}(${JSON.stringify(message.value)})`, () => undefined, newMeter())
  if (!made.ok) throw new Error(`a binding of ${JSON.stringify(message)}`)
  return made.value
}

function textOfWritten(written: Written): string {
  const [kind, value] = Object.entries(written)[0] ?? ['nullValue', null]
  if (kind === 'listValue') return `[${itemsOf(value).map(textOfWritten).join(', ')}]`
  if (kind === 'mapValue') {
    const members = entriesOf(value).map(
      (entry) => `${textOfWritten(entry.key)}: ${textOfWritten(entry.value)}`,
    )
    return `{${members.sort().join(', ')}}`
  }
  if (kind === 'typeValue') return `type ${String(value)}`
  if (kind === 'objectValue') {
    const message = value as { '@type'?: string; value?: unknown }
    return `text ${JSON.stringify(message.value)}`
  }
  return textOfValue(celOf(written))
}

function textOfValue(value: CelValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `int ${value}`
  if (typeof value === 'number') return `double ${Object.is(value, -0) ? '-0' : value}`
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`
  if (isCelUint(value)) return `uint ${value.value}`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (isCelList(value)) return `[${[...value].map(textOfValue).join(', ')}]`
  if (isCelType(value)) return `type ${value.name}`
  if (isCelMap(value)) {
    const members = [...value].map(([key, one]) => `${textOfValue(key)}: ${textOfValue(one)}`)
    return `{${members.sort().join(', ')}}`
  }
  const written = runCel('value', () => value, newMeter())
  return written.ok ? `text ${JSON.stringify(written.value)}` : `message: ${written.reason}`
}
