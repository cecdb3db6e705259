/**
 * The fields that a signal must carry: collected over several signals, and validated. Values are
 * never coerced: digits in quotes are text.
 */
import { assertNever } from '../assert.ts'
import { matchesFormat } from '../expr/json-schema-formats.ts'
import { matchesPattern } from '../expr/pattern.ts'
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import type { Field } from '../machine/machine.ts'
import { isGiven } from './run-operations.ts'
import type { FieldIssue } from './types.ts'

type Absorbed = { readonly inputs: JsonObject; readonly unknown: readonly string[] }

/** Sorts what was sent into fields the stage asks for and names nobody knows. */
export function absorb(fields: readonly Field[], data: JsonObject): Absorbed {
  const names = new Set(fields.map((field) => field.name))
  const inputs: Record<string, Json> = {}
  const unknown: string[] = []
  for (const [name, value] of Object.entries(data)) {
    if (!names.has(name)) unknown.push(name)
    else if (isGiven(value)) inputs[name] = value
  }
  return { inputs, unknown }
}

export type Checked = {
  readonly missing: readonly string[]
  readonly issues: readonly FieldIssue[]
}

/** What still has to be collected, and what was collected but is wrong. */
export function checkFields(fields: readonly Field[], inputs: JsonObject): Checked {
  const missing: string[] = []
  const issues: FieldIssue[] = []
  for (const field of fields) {
    const value = own(inputs, field.name)
    if (value === undefined || !isGiven(value)) {
      if (field.isRequired) missing.push(field.name)
      continue
    }
    const issue = checkField(field, value)
    if (issue !== null) issues.push(issue)
  }
  return { missing, issues }
}

function checkField(field: Field, value: Json): FieldIssue | null {
  if (!hasType(field, value)) {
    return issueOf(field, 'type', `must be ${article(field.type)}, got ${describe(value)}`)
  }
  if (field.enum !== null && !field.enum.includes(value as string)) {
    return issueOf(
      field,
      'enum',
      `must be one of ${field.enum.map((one) => `\`${one}\``).join(', ')}`,
    )
  }
  if (typeof value !== 'string') return null
  if (field.pattern !== null && !matchesPattern(field.pattern, value)) {
    return issueOf(field, 'pattern', `must match \`${field.pattern}\``)
  }
  if (field.format !== null && matchesFormat(field.format, value) === false) {
    return issueOf(field, 'format', `must be a valid ${field.format}`)
  }
  return null
}

function hasType(field: Field, value: Json): boolean {
  switch (field.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === field.type
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return asObject(value) !== null
    case 'null':
      return value === null
    default:
      return assertNever(field.type)
  }
}

function issueOf(field: Field, rule: string, message: string): FieldIssue {
  return { field: field.name, rule, message: `\`${field.name}\` ${message}` }
}

function article(type: string): string {
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`
}

function describe(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  return value === null ? 'null' : article(typeof value)
}
