/**
 * What can be said about a value before there is one: its kinds, or the only values it can have.
 * Knows JSON. Must not know expressions or scopes.
 */
import { equalJson, type Json } from '../json.ts'
import { isTruthy } from './is-truthy.ts'
import { type ArgumentKind, argumentKindOf } from './jmespath-call.ts'

export type ValueKind = Exclude<ArgumentKind, 'expression'>

export type KnownValue = {
  readonly kinds: ReadonlySet<ValueKind>
  /** The only values that are possible; null: any of these kinds. */
  readonly values: readonly Json[] | null
  /** Why it has no other: nothing sets it, say; empty: there is nothing to say. */
  readonly because: string
}

const everyKind: readonly ValueKind[] = ['number', 'string', 'boolean', 'array', 'object', 'null']

/** A value of which nothing is known. */
export const anyValue: KnownValue = { kinds: new Set(everyKind), values: null, because: '' }

/** A value of one of these kinds. */
export function valueOfKinds(...kinds: readonly ValueKind[]): KnownValue {
  return { kinds: new Set(kinds), values: null, because: '' }
}

/** More values than this are known by their kinds only. */
const valuesMax = 100

/** One of these values. */
export function oneOfValues(values: readonly Json[], because = ''): KnownValue {
  const kinds = new Set(values.map(argumentKindOf) as ValueKind[])
  return { kinds, values: values.length > valuesMax ? null : values, because }
}

/** Always null. */
export function alwaysNull(because = ''): KnownValue {
  return oneOfValues([null], because)
}

/** Either of the two. */
export function eitherValue(one: KnownValue, other: KnownValue): KnownValue {
  const because = one.because || other.because
  if (one.values !== null && other.values !== null) {
    return oneOfValues([...one.values, ...other.values], because)
  }
  return { kinds: new Set([...one.kinds, ...other.kinds]), values: null, because }
}

/** What is left of it where it holds as a condition. */
export function truthyPart({ kinds, values, because }: KnownValue): KnownValue {
  if (values !== null) return oneOfValues(values.filter(isTruthy), because)
  return { kinds: without(kinds, 'null'), values: null, because }
}

/** What is left of it where it does not. Zero holds, like every number. */
export function falsyPart({ kinds, values, because }: KnownValue): KnownValue {
  if (values !== null)
    return oneOfValues(
      values.filter((one) => !isTruthy(one)),
      because,
    )
  return { kinds: without(kinds, 'number'), values: null, because }
}

/** Whether it can hold as a condition. */
export function canHold(known: KnownValue): boolean {
  return truthyPart(known).kinds.size > 0
}

/** Whether the two can be equal. */
export function canEqual(one: KnownValue, other: KnownValue): boolean {
  const { values } = one
  if (values !== null && other.values !== null) {
    return values.some((value) => other.values?.some((two) => equalJson(value, two)))
  }
  return [...one.kinds].some((kind) => other.kinds.has(kind))
}

function without(kinds: ReadonlySet<ValueKind>, left: ValueKind): ReadonlySet<ValueKind> {
  return new Set([...kinds].filter((kind) => kind !== left))
}
