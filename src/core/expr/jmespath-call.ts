/**
 * A call of a JMESPath function: its arguments, and how they are read.
 * Knows JSON values. Must not know which functions there are.
 */
import { asObject, emptyRecord, type Json, type JsonObject } from '../json.ts'
import { fault, type Meter } from './meter.ts'

/** What stands between the brackets: a value, or an expression to apply. */
export type Argument =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'expression'; readonly apply: (item: Json) => Json }

/** The kinds of values that the language knows. */
export type Kind = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'null' | 'expression'
/** What a signature may ask for: a kind, or a list of one kind. */
export type Wanted = Kind | 'any' | 'numbers' | 'strings' | 'arrays'
/** The checked arguments of a call; `apply` is its expression argument. */
export type Call = {
  readonly values: readonly Json[]
  readonly apply: (item: Json) => Json
  readonly meter: Meter
}

/** The kind of a value. */
export function kindOf(value: Json): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

// WHY: the signatures are checked before `run`, so these only say to the compiler what is known.

/** An argument as a text. */
export const text = (call: Call, i: number): string => {
  const value = call.values[i]
  return typeof value === 'string' ? value : ''
}
/** An argument as a number. */
export const number = (call: Call, i: number): number => {
  const value = call.values[i]
  return typeof value === 'number' ? value : 0
}
/** An argument as a list. */
export const list = (call: Call, i: number): readonly Json[] => {
  const value = call.values[i]
  return Array.isArray(value) ? value : []
}
/** An argument as an object. */
export const object = (call: Call, i: number): JsonObject =>
  asObject(call.values[i]) ?? emptyRecord<Json>()
/** An argument as a list of numbers. */
export const numbers = (call: Call, i: number): readonly number[] =>
  list(call, i) as readonly number[]
/** An argument as a list of texts. */
export const strings = (call: Call, i: number): readonly string[] =>
  list(call, i) as readonly string[]

/** A whole number from 0, or undefined when the argument was left out. */
export function count(call: Call, i: number): number | undefined {
  if (call.values.length <= i) return undefined
  const value = number(call, i)
  if (!Number.isInteger(value) || value < 0)
    fault(`argument ${i + 1} must be a whole number from 0`)
  return value
}
