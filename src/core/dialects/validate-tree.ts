/**
 * Validates a tree against a schema and reports, in the author's words and at the exact position,
 * what does not match. Knows zod schemas and trees. Must not know what any field means.
 * WHY not zod's own errors: they have no position for a key, report every member of a union at
 * once, and drop unknown fields instead of warning about them.
 */
import type { z } from 'zod'
import { closestName, sameLetters } from '../closest-name.ts'
import type { Finding, FindingWords } from '../finding.ts'
import { finding, hasErrors, stepsOf } from '../finding.ts'
import { findingsMax, sourceDepthMax, tooLarge } from '../source/limits.ts'
import type { Node, SourceMember } from '../source/source.ts'
import { memberOf, plainValue } from '../source/source.ts'
import { type Def, defOf, isExplicitNull, takesNull } from './explicit-null.ts'

/** Which member of a union the author meant; words when it can be none of them. */
export type Pick = (node: Node) => z.ZodType | FindingWords

const picks = new WeakMap<object, Pick>()
const aliases = new WeakMap<object, string>()

/** Tells a union how to know which member is meant, so that errors speak of that one only. */
export function withPick<T extends z.ZodType>(union: T, pick: Pick): T {
  // WHY the definition: `describe` makes a new schema around the same one.
  picks.set(union.def, pick)
  return union
}

/** Marks a field as another name of a known one; using it is a warning. */
export function withAlias<T extends z.ZodType>(schema: T, meant: string): T {
  aliases.set(schema.def, meant)
  return schema
}

export type CheckedTree = {
  readonly findings: readonly Finding[]
  /** Fields with an explicit `null` that says the same as leaving them out. */
  readonly absent: ReadonlySet<Node>
}

/** Everything in a tree that does not fit a schema, each at its place. */
export function validateTree(schema: z.ZodType, node: Node): Finding[] {
  return [...checkTree(schema, node).findings]
}

/** The same, with the fields that count as left out. */
export function checkTree(schema: z.ZodType, node: Node): CheckedTree {
  const walk: Walk = {
    findings: [],
    absent: new Set(),
    depth: 0,
    errorsCount: 0,
    warningsCount: 0,
  }
  check(walk, schema, node)
  return walk
}

/** The value of a tree as the schema's type, and what does not fit; null when there are errors. */
export function readTree<T>(
  schema: z.ZodType<T>,
  node: Node,
): { readonly value: T | null; readonly findings: readonly Finding[] } {
  const { findings, absent } = checkTree(schema, node)
  // WHY the cast: the walk below has just proved it, member by member.
  return { value: hasErrors(findings) ? null : (plainValue(node, absent) as T), findings }
}

type Walk = {
  readonly findings: Finding[]
  readonly absent: Set<Node>
  depth: number
  errorsCount: number
  warningsCount: number
}
function check(walk: Walk, schema: z.core.$ZodType, node: Node): void {
  if (walk.errorsCount >= findingsMax) return
  if (walk.depth > sourceDepthMax) {
    const message = `values are nested more than ${sourceDepthMax} levels deep`
    add(walk, tooLarge(node.pointer, node.start, message))
    return
  }
  walk.depth += 1
  checkKind(walk, defOf(schema), node)
  walk.depth -= 1
}

function checkKind(walk: Walk, def: Def, node: Node): void {
  switch (def.type) {
    case 'unknown':
    case 'any':
      return
    case 'optional':
    case 'nonoptional':
    case 'readonly':
      check(walk, def.innerType, node)
      return
    case 'nullable':
      if (node.kind === 'scalar' && node.value === null) return
      check(walk, def.innerType, node)
      return
    case 'lazy':
      check(walk, def.getter(), node)
      return
    case 'object':
      checkObject(walk, def, node)
      return
    case 'record':
      checkRecord(walk, def, node)
      return
    case 'array':
      checkList(walk, def, node)
      return
    case 'union':
      checkUnion(walk, def, node)
      return
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'literal':
      checkScalar(walk, def, node)
      return
    default:
      throw new Error(`bug: shapes of kind ${def.type} are not checked`)
  }
}

function checkObject(walk: Walk, def: z.core.$ZodObjectDef, node: Node): void {
  if (node.kind !== 'object') {
    wrongKind(walk, node, 'an object')
    return
  }
  for (const [key, field] of Object.entries(def.shape)) {
    const found = memberOf(node, key)
    if (found === undefined) {
      if (!isOptional(field)) missing(walk, node, { key, field, shape: def.shape })
      continue
    }
    if (isExplicitNull(found.node) && isOptional(field) && !takesNull(field)) {
      walk.absent.add(found.node)
      continue
    }
    const meant = aliases.get(defOf(field))
    if (meant !== undefined) {
      const message = `\`${key}\` is an alias of \`${meant}\``
      add(walk, finding('FIELD_ALIAS', keyPlace(found), { message, hint: `write \`${meant}\`` }))
    }
    check(walk, field, found.node)
  }
  for (const one of node.members) {
    if (!Object.hasOwn(def.shape, one.key)) unknownField(walk, def, one)
  }
}

type MissingField = { key: string; field: z.core.$ZodType; shape: z.core.$ZodLooseShape }

function missing(walk: Walk, node: Node, what: MissingField): void {
  const { key, field, shape } = what
  if (node.kind !== 'object') return
  const unknown = node.members.map((one) => one.key).filter((name) => !Object.hasOwn(shape, name))
  const guess = closestName(key, unknown)
  const hint = guess !== null ? `did you mean \`${guess}\` to be it?` : hintFor(field)
  invalid(walk, node, { message: `${named(node)} needs \`${key}\``, hint })
}

/** WHY an error: whoever writes one of these in the wrong place relies on it. */
const limitNames: ReadonlySet<string> = new Set([
  'session_budget_usd',
  'email_config',
  'min_isolation',
])

function unknownField(walk: Walk, def: z.core.$ZodObjectDef, one: SourceMember): void {
  const { key } = one
  // WHY: these are for tools and for the author's own notes.
  if (key === '$schema' || key === '$comment' || key.startsWith('x-')) return
  const known = Object.keys(def.shape)
  const catchall = def.catchall === undefined ? 'none' : defOf(def.catchall).type
  const isFree = catchall === 'unknown'
  if (!isFree && isExplicitNull(one.node)) {
    walk.absent.add(one.node)
    return
  }
  const meant = isFree ? sameLetters(key, known) : closestName(key, known)
  if (meant !== null) {
    const message = `unknown field \`${shown(key)}\`: did you mean \`${meant}\`?`
    const hint = `write \`${meant}\`, or \`x-${shown(key)}\` for a note of your own`
    add(walk, finding('FIELD_MISSPELT', keyPlace(one), { message, hint }))
    return
  }
  if (limitNames.has(key)) {
    const message = `\`${key}\` has no effect here, and it is a limit`
    const hint = 'move it to the top level of the definition (`email_config`: only of a process)'
    add(walk, finding('SCHEMA_INVALID', keyPlace(one), { message, hint }))
    return
  }
  if (isFree) return
  const words = {
    message: `unknown field \`${shown(key)}\``,
    hint: `known here: ${known.filter((name) => !name.startsWith('$')).join(', ')}`,
  }
  const code = catchall === 'never' ? 'SCHEMA_INVALID' : 'FIELD_UNKNOWN'
  add(walk, finding(code, keyPlace(one), words))
}

function checkRecord(walk: Walk, def: z.core.$ZodRecordDef, node: Node): void {
  if (node.kind !== 'object') {
    wrongKind(walk, node, 'an object')
    return
  }
  for (const one of node.members) check(walk, def.valueType, one.node)
}

function checkList(walk: Walk, def: z.core.$ZodArrayDef, node: Node): void {
  if (node.kind !== 'list') {
    wrongKind(walk, node, 'a list')
    return
  }
  for (const one of def.checks ?? []) {
    const rule = one._zod.def as CheckDef
    if (rule.check === 'min_length' && node.items.length < rule.minimum) {
      const message = `${named(node)} needs at least ${rule.minimum} item`
      invalid(walk, node, { message })
    }
    if (rule.check === 'max_length' && node.items.length > rule.maximum) {
      invalid(walk, node, { message: `${named(node)} has more than ${rule.maximum} items` })
    }
  }
  for (const item of node.items) check(walk, def.element, item)
}

function checkUnion(walk: Walk, def: z.core.$ZodUnionDef, node: Node): void {
  const pick = picks.get(def)
  if (pick === undefined) throw new Error('bug: a union without a pick')
  const picked = pick(node)
  if ('message' in picked) {
    invalid(walk, node, picked)
    return
  }
  check(walk, picked, node)
}

/** The checks of zod that our schemas use. */
type CheckDef =
  | { check: 'greater_than'; value: number; inclusive: boolean }
  | { check: 'less_than'; value: number; inclusive: boolean }
  | { check: 'number_format'; format: string }
  | { check: 'min_length'; minimum: number }
  | { check: 'max_length'; maximum: number }
  | { check: 'string_format'; pattern?: RegExp; error?: () => unknown }

function checkScalar(walk: Walk, def: Def, node: Node): void {
  const value = node.kind === 'scalar' ? node.value : undefined
  switch (def.type) {
    case 'string':
      if (typeof value !== 'string') {
        wrongKind(walk, node, 'a string')
        return
      }
      checkText(walk, def, { node, value })
      return
    case 'number':
      if (typeof value !== 'number') {
        wrongKind(walk, node, 'a number')
        return
      }
      checkNumber(walk, def, { node, value })
      return
    case 'boolean':
      if (typeof value !== 'boolean') wrongKind(walk, node, '`true` or `false`')
      return
    case 'null':
      if (value !== null) wrongKind(walk, node, '`null`')
      return
    case 'enum':
    case 'literal': {
      const allowed = def.type === 'enum' ? Object.values(def.entries) : def.values
      if (!allowed.some((one) => one === value)) notAmong(walk, node, allowed.map(String))
    }
  }
}

function notAmong(walk: Walk, node: Node, allowed: readonly string[]): void {
  const list = allowed.map((one) => `\`${one}\``).join(', ')
  const wanted = allowed.length === 1 ? list : `one of ${list}`
  if (node.kind !== 'scalar') {
    wrongKind(walk, node, wanted)
    return
  }
  const meant = typeof node.value === 'string' ? closestName(node.value, allowed) : null
  const message = `${named(node)} must be ${wanted}, not \`${shown(String(node.value))}\``
  const hint = meant === null ? '' : `did you mean \`${meant}\`?`
  invalid(walk, node, { message, hint })
}

type Checked = { readonly checks?: readonly z.core.$ZodCheck<never>[] | undefined }

function checkText(walk: Walk, def: Checked, at: { node: Node; value: string }): void {
  for (const one of def.checks ?? []) {
    const rule = one._zod.def as CheckDef
    if (rule.check === 'min_length' && at.value.length < rule.minimum) {
      invalid(walk, at.node, { message: `${named(at.node)} is empty` })
    } else if (rule.check === 'max_length' && at.value.length > rule.maximum) {
      const message = `${named(at.node)} has ${at.value.length} characters`
      invalid(walk, at.node, { message, hint: `the limit is ${rule.maximum}` })
    } else if (rule.check === 'string_format' && rule.pattern?.test(at.value) === false) {
      const message = `${named(at.node)} does not have the expected format: \`${shown(at.value)}\``
      invalid(walk, at.node, {
        message,
        hint: `expected: ${String(rule.error?.() ?? rule.pattern.source)}`,
      })
    }
  }
}

function checkNumber(walk: Walk, def: Checked, at: { node: Node; value: number }): void {
  // WHY both: `z.int()` keeps its format on the definition, `min` adds a check.
  const rules = [def, ...(def.checks ?? []).map((one) => one._zod.def)] as CheckDef[]
  for (const rule of rules) {
    const problem = numberProblem(rule, at.value)
    if (problem === null) continue
    const message = `${named(at.node)} must be ${problem}, not ${at.value}`
    const hint = 'leave it out for no limit'
    add(walk, finding('LIMIT_INVALID', at.node.pointer, { message, hint }))
    return
  }
}

function numberProblem(rule: CheckDef, value: number): string | null {
  if (rule.check === 'number_format') return Number.isSafeInteger(value) ? null : 'a whole number'
  if (rule.check === 'greater_than') {
    const holds = rule.inclusive ? value >= rule.value : value > rule.value
    return holds ? null : `${rule.inclusive ? 'at least' : 'more than'} ${rule.value}`
  }
  if (rule.check === 'less_than') {
    const holds = rule.inclusive ? value <= rule.value : value < rule.value
    return holds ? null : `${rule.inclusive ? 'at most' : 'less than'} ${rule.value}`
  }
  return null
}

function wrongKind(walk: Walk, node: Node, wanted: string): void {
  const message = `${named(node)} must be ${wanted}, not ${nodeKindOf(node)}`
  const isLiteral = node.kind === 'scalar' && node.value !== null && typeof node.value !== 'string'
  const hint = wanted === 'a string' && isLiteral ? 'put it in quotes' : ''
  invalid(walk, node, { message, hint })
}

/** What a node is, in an author's words. */
export function nodeKindOf(node: Node): string {
  if (node.kind === 'list') return 'a list'
  if (node.kind === 'object') return 'an object'
  if (node.value === null) return '`null`'
  if (typeof node.value === 'boolean') return `\`${node.value}\``
  return typeof node.value === 'number' ? 'a number' : 'a string'
}

/** How a message calls a node: by its name, or as an item of a list. */
function named(node: Node): string {
  const [last, before] = stepsOf(node.pointer).toReversed()
  if (last === undefined) return 'the definition'
  if (/^\d+$/.test(last) && before !== undefined) return `item ${Number(last) + 1} of \`${before}\``
  return `\`${shown(last)}\``
}

function hintFor(field: z.core.$ZodType): string {
  const about = (field as z.ZodType).description
  if (about === undefined) return ''
  return (about.charAt(0).toLowerCase() + about.slice(1)).replace(/\.$/, '')
}

function isOptional(schema: z.core.$ZodType): boolean {
  const def = defOf(schema)
  return def.type === 'optional' || def.type === 'unknown'
}

function keyPlace(one: SourceMember): { pointer: string; atKey: true } {
  return { pointer: one.node.pointer, atKey: true }
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function invalid(walk: Walk, node: Node, words: FindingWords): void {
  add(walk, finding('SCHEMA_INVALID', node.pointer, words))
}

/** WHY two counts: however many warnings there are, an error behind them must be seen. */
function add(walk: Walk, one: Finding): void {
  const isError = one.severity === 'error'
  if (isError) walk.errorsCount += 1
  else walk.warningsCount += 1
  if ((isError ? walk.errorsCount : walk.warningsCount) <= findingsMax) walk.findings.push(one)
}
