/**
 * Writes comparisons of values as JMESPath that holds for exactly the same values.
 * Knows the ten operators and the expression language. Must not know when they are evaluated.
 */
import { assertNever } from '../../assert.ts'
import type { Json } from '../../json.ts'
import type { CompareOp } from '../../machine/machine.ts'

type Comparison = { readonly field: string; readonly op: CompareOp; readonly value: Json }

/**
 * The comparison as a condition.
 * WHY so careful: to JMESPath what is missing is null, but only `not_exists` holds for a missing
 *     value; and a function on a value of the wrong type is a fault, where a guard just fails.
 */
export function printComparison({ field, op, value }: Comparison): string {
  const actual = `vars.${quoted(field)}`
  const isThere = `contains(keys(vars), ${literal(field)})`
  switch (op) {
    case 'exists':
      return `${actual} != \`null\``
    case 'not_exists':
      return `${actual} == \`null\``
    case 'eq': {
      const isEqual = `${actual} == ${literal(value)}`
      return value === null ? allOf([isThere, isEqual]) : isEqual
    }
    case 'neq': {
      const isOther = `${actual} != ${literal(value)}`
      return value === null ? isOther : allOf([isThere, isOther])
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof value === 'number' ? `${actual} ${signs[op]} ${literal(value)}` : never
    case 'in':
      return printMembership(value, actual, isThere)
    case 'contains':
      return printContains(value, actual)
    default:
      return assertNever(op)
  }
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Holds for nothing. */
const never = '`false`'

function printMembership(value: Json, actual: string, isThere: string): string {
  if (!Array.isArray(value)) return never
  const isMember = `contains(${literal(value)}, ${actual})`
  return value.includes(null) ? allOf([isThere, isMember]) : isMember
}

function printContains(value: Json, actual: string): string {
  const isList = `type(${actual}) == 'array'`
  const kinds = typeof value === 'string' ? `(type(${actual}) == 'string' || ${isList})` : isList
  return `${kinds} && contains(${actual}, ${literal(value)})`
}

/** Both conditions; parentheses only where they are needed. */
export function allOf(conditions: readonly string[]): string {
  if (conditions.length === 1) return conditions[0] as string
  return conditions.map((one) => (isSimple(one) ? one : `(${one})`)).join(' && ')
}

/** The opposite of a condition. */
export function noneOf(condition: string): string {
  return `!(${condition})`
}

function isSimple(condition: string): boolean {
  return !condition.includes('||')
}

/** A JSON value inside an expression. */
export function literal(value: Json): string {
  if (typeof value === 'string' && /^[\w .:/@-]*$/.test(value)) return `'${value}'`
  // A backtick would end the literal; inside JSON it can only stand in a text.
  return `\`${JSON.stringify(value).replaceAll('`', '\\u0060')}\``
}

function quoted(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}
