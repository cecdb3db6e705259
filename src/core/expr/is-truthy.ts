/**
 * What counts as true, in every language and dialect.
 */
import type { Json } from '../json.ts'

/** Whether a condition with this value holds: all but null, false and what is empty. 0 holds. */
export function isTruthy(value: Json): boolean {
  if (value === null || value === false || value === '') return false
  if (typeof value !== 'object') return true
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0
}
