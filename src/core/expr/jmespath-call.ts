/**
 * A call of a JMESPath function: its arguments, and how they are read.
 * Knows JSON values. Must not know which functions there are.
 */
import { asObject, emptyRecord, type Json, type JsonObject } from '../json.ts'
import { fault, type WorkMeter } from './meter.ts'

/** What stands between the brackets: a value, or an expression to apply. */
export type Argument =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'expression'; readonly apply: (item: Json) => Json }

/** The kinds of values that the language knows. */
export type ArgumentKind =
  | 'number'
  | 'string'
  | 'boolean'
  | 'array'
  | 'object'
  | 'null'
  | 'expression'
/** What a signature may ask for: a kind, or a list of one kind. */
export type ExpectedArguments = ArgumentKind | 'any' | 'numbers' | 'strings' | 'arrays'
/** The checked arguments of a call; `apply` is its expression argument. */
export type FunctionCall = {
  readonly values: readonly Json[]
  readonly apply: (item: Json) => Json
  readonly meter: WorkMeter
}

/** The kind of a value. */
export function argumentKindOf(value: Json): ArgumentKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

// WHY: the signatures are checked before `run`, so these only say to the compiler what is known.

/** An argument as a text. */
export const textArgument = (call: FunctionCall, i: number): string => {
  const value = call.values[i]
  return typeof value === 'string' ? value : ''
}
/** An argument as a number. */
export const numberArgument = (call: FunctionCall, i: number): number => {
  const value = call.values[i]
  return typeof value === 'number' ? value : 0
}
/** An argument as a list. */
export const listArgument = (call: FunctionCall, i: number): readonly Json[] => {
  const value = call.values[i]
  return Array.isArray(value) ? value : []
}
/** An argument as an object. */
export const objectArgument = (call: FunctionCall, i: number): JsonObject =>
  asObject(call.values[i]) ?? emptyRecord<Json>()
/** An argument as a list of numbers. */
export const numberListArgument = (call: FunctionCall, i: number): readonly number[] =>
  listArgument(call, i) as readonly number[]
/** An argument as a list of texts. */
export const textListArgument = (call: FunctionCall, i: number): readonly string[] =>
  listArgument(call, i) as readonly string[]

/** A whole number from 0, or undefined when the argument was left out. */
export function numberOfItems(call: FunctionCall, i: number): number | undefined {
  if (call.values.length <= i) return undefined
  const value = numberArgument(call, i)
  if (!Number.isInteger(value) || value < 0)
    fault(`argument ${i + 1} must be a whole number, 0 or more`)
  return value
}
