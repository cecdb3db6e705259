/**
 * Evaluates the tree of a JMESPath expression on data, and meters every step.
 * Knows the tree that the library parses and JSON. Must not know scopes or Pawl's definitions.
 * WHY: the library's own interpreter reads inherited keys, sorts numbers as text and cannot be
 * stopped; its parser is good. See docs/adr/0004-expressions.md.
 */
import type { compile } from '@jmespath-community/jmespath'
import { asObject, emptyRecord, type Json, type JsonObject, own } from '../json.ts'
import { isTruthy } from './is-truthy.ts'
import type { Argument } from './jmespath-call.ts'
import { callFunction } from './jmespath-functions.ts'
import { charge, checkListItems, equalMetered, fault, type WorkMeter } from './meter.ts'

export type JmespathTree = ReturnType<typeof compile>

type Variables = { readonly name: string; readonly value: Json; readonly outer: Variables } | null
/** What stays the same below a node: the whole document, the bound variables, the meter. */
type World = { readonly root: Json; readonly variables: Variables; readonly meter: WorkMeter }

/** The value of a tree for a document. Throws the reason when there is none. */
export function walkTree(tree: JmespathTree, root: Json, meter: WorkMeter): Json {
  return visit(tree, root, { root, variables: null, meter })
}

function visit(node: JmespathTree, value: Json, world: World): Json {
  charge(world.meter, 1)
  switch (node.type) {
    case 'Identity':
    case 'Current':
      return value
    case 'Root':
      return world.root
    case 'Literal':
      return node.value as Json
    case 'Field':
      return own(asObject(value) ?? nothing, node.name) ?? null
    case 'Variable':
      return variable(node.name, world)
    case 'Subexpression': {
      const left = visit(node.left, value, world)
      return left === null ? null : visit(node.right, left, world)
    }
    case 'Pipe':
    case 'IndexExpression':
      return visit(node.right, visit(node.left, value, world), world)
    case 'Index':
      return Array.isArray(value) ? (value.at(node.value) ?? null) : null
    case 'OrExpression': {
      const left = visit(node.left, value, world)
      return isTruthy(left) ? left : visit(node.right, value, world)
    }
    case 'AndExpression': {
      const left = visit(node.left, value, world)
      return isTruthy(left) ? visit(node.right, value, world) : left
    }
    case 'NotExpression':
      return !isTruthy(visit(node.child, value, world))
    case 'Ternary':
      return isTruthy(visit(node.condition, value, world))
        ? visit(node.trueExpr, value, world)
        : visit(node.falseExpr, value, world)
    default:
      return visitRest(node, value, world)
  }
}

const nothing: JsonObject = emptyRecord<Json>()

function visitRest(node: JmespathTree, value: Json, world: World): Json {
  switch (node.type) {
    case 'Slice':
      return slice(node, value, world)
    case 'Projection':
    case 'ValueProjection':
    case 'FilterProjection':
      return project(
        { ...node, condition: node.type === 'FilterProjection' ? node.condition : null },
        value,
        world,
      )
    case 'Flatten':
      return flatten(visit(node.child, value, world), world)
    case 'Comparator':
      return comparison(node, value, world)
    case 'Arithmetic': {
      const left = visit(node.left, value, world)
      const right = visit(node.right, value, world)
      return arithmetic(String(node.operator), left, right)
    }
    case 'Unary': {
      const operand = visit(node.operand, value, world)
      return node.operator === 'Minus' ? arithmetic('Minus', 0, operand) : numberOf(operand)
    }
    case 'MultiSelectList':
      return node.children.map((child) => visit(child, value, world))
    case 'MultiSelectHash': {
      const record = emptyRecord<Json>()
      for (const child of node.children) record[child.name] = visit(child.value, value, world)
      return record
    }
    case 'LetExpression':
      return bind(node, value, world)
    case 'Function':
      return call(node, value, world)
    case 'ExpressionReference':
      return fault('`&` is only allowed in function arguments')
    default:
      return fault('the expression has a part that is not supported')
  }
}

type Of<T extends JmespathTree['type']> = Extract<JmespathTree, { readonly type: T }>

function variable(name: string, world: World): Json {
  for (let at = world.variables; at !== null; at = at.outer) {
    charge(world.meter, 1)
    if (at.name === name) return at.value
  }
  return fault(`\`$${name}\` is not bound by a \`let\``)
}

function bind(node: Of<'LetExpression'>, value: Json, world: World): Json {
  let variables = world.variables
  for (const binding of node.bindings) {
    // The parser takes any expression for a binding; only an assignment is one.
    if (binding.type !== 'Binding') return fault('`let` binds names such as `$x = …`')
    const bound = visit(binding.reference, value, world)
    variables = { name: binding.variable, value: bound, outer: variables }
  }
  return visit(node.expression, value, { ...world, variables })
}

function call(node: Of<'Function'>, value: Json, world: World): Json {
  const args: Argument[] = node.children.map((child) => {
    if (child.type !== 'ExpressionReference') {
      return { kind: 'value', value: visit(child, value, world) }
    }
    return { kind: 'expression', apply: (item) => visit(child.child, item, world) }
  })
  return callFunction(node.name, args, world.meter)
}

type Projection = {
  readonly type: JmespathTree['type']
  readonly left: JmespathTree
  readonly right: JmespathTree
  readonly condition: JmespathTree | null
}

function project(node: Projection, value: Json, world: World): Json {
  const base = visit(node.left, value, world)
  // A slice of a text is a text: there is nothing to project over.
  if (typeof base === 'string' && isSliced(node)) return visit(node.right, base, world)
  const items = node.type === 'ValueProjection' ? valuesOf(base) : base
  if (!Array.isArray(items)) return null
  const kept: Json[] = []
  for (const item of items) {
    if (node.condition !== null && !isTruthy(visit(node.condition, item, world))) continue
    const projected = visit(node.right, item, world)
    if (projected !== null) kept.push(projected)
  }
  return kept
}

function isSliced(node: Projection): boolean {
  if (node.type !== 'Projection' || node.left.type !== 'IndexExpression') return false
  return node.left.right.type === 'Slice'
}

function valuesOf(value: Json): Json {
  const object = asObject(value)
  return object === null ? null : Object.values(object)
}

function flatten(value: Json, world: World): Json {
  if (!Array.isArray(value)) return null
  const flat: Json[] = []
  for (const item of value) {
    const parts = Array.isArray(item) ? item : [item]
    checkListItems(flat.length + parts.length)
    charge(world.meter, 1 + parts.length / 4)
    for (const part of parts) flat.push(part)
  }
  return flat
}

function slice(node: Of<'Slice'>, value: Json, world: World): Json {
  if (!Array.isArray(value) && typeof value !== 'string') return null
  charge(world.meter, 1 + value.length / 4)
  const items: readonly Json[] = typeof value === 'string' ? [...value] : value
  const step = node.step ?? 1
  if (step === 0) fault('the step of a slice cannot be 0')
  const first = step > 0 ? 0 : items.length - 1
  const beyond = step > 0 ? items.length : -1
  const start = node.start === null ? first : cap(node.start, items.length, step)
  const stop = node.stop === null ? beyond : cap(node.stop, items.length, step)
  const kept: Json[] = []
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) kept.push(items[i] ?? null)
  return typeof value === 'string' ? kept.join('') : kept
}

function cap(index: number, length: number, step: number): number {
  const low = step < 0 ? -1 : 0
  const high = step < 0 ? length - 1 : length
  return Math.min(Math.max(index < 0 ? index + length : index, low), high)
}

function comparison(node: Of<'Comparator'>, value: Json, world: World): Json {
  const left = visit(node.left, value, world)
  const right = visit(node.right, value, world)
  if (node.name === 'EQ') return equalMetered(left, right, world.meter)
  if (node.name === 'NE') return !equalMetered(left, right, world.meter)
  // Only numbers have an order: that is the language's rule, and what it gives else is null.
  if (typeof left !== 'number' || typeof right !== 'number') return null
  if (node.name === 'GT') return left > right
  if (node.name === 'GTE') return left >= right
  return node.name === 'LT' ? left < right : left <= right
}

function arithmetic(operator: string, left: Json, right: Json): Json {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (b === 0 && (operator === 'Divide' || operator === 'Div' || operator === 'Modulo')) {
    return fault('division by zero')
  }
  const result = calculate(operator, a, b)
  return Number.isFinite(result) ? result : fault('the number is too large')
}

function calculate(operator: string, a: number, b: number): number {
  switch (operator) {
    case 'Plus':
      return a + b
    case 'Minus':
      return a - b
    case 'Multiply':
    case 'Star':
      return a * b
    case 'Divide':
      return a / b
    case 'Div':
      return Math.floor(a / b)
    case 'Modulo':
      return a % b
    default:
      return fault('the expression has an operator that is not supported')
  }
}

function numberOf(value: Json): number {
  return typeof value === 'number' ? value : fault('arithmetic needs numbers')
}
