/**
 * The ten operators of a guard.
 * Knows JSON values. Must not know scopes: the caller has looked the field up.
 */
import { assertNever } from '../assert.ts'
import { equalJson, type Json } from '../json.ts'
import type { CompareOp } from '../machine/machine.ts'

/**
 * Whether the operator holds for a field's value; undefined is a field that is missing.
 * WHY: what was never set proves nothing, so only `not_exists` holds for a missing field.
 */
export function compare(op: CompareOp, actual: Json | undefined, value: Json): boolean {
  if (op === 'not_exists') return actual === undefined || actual === null
  if (actual === undefined) return false
  switch (op) {
    case 'exists':
      return actual !== null
    case 'eq':
      return equalJson(actual, value)
    case 'neq':
      return !equalJson(actual, value)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(op, actual, value)
    case 'in':
      return Array.isArray(value) && value.some((item: Json) => equalJson(actual, item))
    case 'contains':
      return contains(actual, value)
    default:
      return assertNever(op)
  }
}

function isOrdered(op: 'gt' | 'gte' | 'lt' | 'lte', actual: Json, value: Json): boolean {
  if (typeof actual !== 'number' || typeof value !== 'number') return false
  switch (op) {
    case 'gt':
      return actual > value
    case 'gte':
      return actual >= value
    case 'lt':
      return actual < value
    case 'lte':
      return actual <= value
    default:
      return assertNever(op)
  }
}

function contains(actual: Json, value: Json): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value)
  return Array.isArray(actual) && actual.some((item: Json) => equalJson(item, value))
}
