/**
 * What in a JMESPath expression can never work, whatever the data: comparisons of kinds that are
 * never equal or have no order, parts of values that have none. Knows the library's tree.
 * Must not know scopes: the caller says what is known about a path.
 */
import type { Json } from '../json.ts'
import { asCel, literalText } from './jmespath-advice.ts'
import { argumentProblem, resultKinds } from './jmespath-functions.ts'
import type { JmespathTree } from './jmespath-interpreter.ts'
import {
  alwaysNull,
  anyValue,
  canEqual,
  canHold,
  eitherValue,
  falsyPart,
  type KnownValue,
  oneOfValues,
  truthyPart,
  type ValueKind,
  valueOfKinds,
} from './possible-values.ts'

/** A part of an expression that can never work: why, and what to write. */
export type TypeMismatch = { readonly message: string; readonly hint: string }

/** What is known about the value at a path of the document. */
export type KnowPath = (path: readonly string[]) => KnownValue

export type TypeCheckedTree = {
  readonly doubts: readonly TypeMismatch[]
  readonly value: KnownValue
}

type Inferred = KnownValue & { readonly path: readonly string[] | null }

type Around = {
  readonly know: KnowPath
  readonly doubts: TypeMismatch[]
}

/** Everything that can be said about a tree without data. */
export function jmespathTypeMismatches(tree: JmespathTree, know: KnowPath): TypeCheckedTree {
  const doubts: TypeMismatch[] = []
  const value = infer(tree, { ...valueOfKinds('object'), path: [] }, { know, doubts })
  return { doubts, value }
}

function infer(node: JmespathTree, at: Inferred, around: Around): Inferred {
  switch (node.type) {
    case 'Identity':
    case 'Current':
      return at
    case 'Root':
      return { ...valueOfKinds('object'), path: [] }
    case 'Literal':
      return placeless(oneOfValues([node.value as Json]))
    case 'Field':
      return fieldOf(node.name, at, around)
    case 'Subexpression':
      return inferMember(node, at, around)
    case 'Pipe':
    case 'IndexExpression':
      return infer(node.right, infer(node.left, at, around), around)
    case 'NotExpression':
      return inferNot(infer(node.child, at, around))
    case 'OrExpression': {
      const left = infer(node.left, at, around)
      const right = infer(node.right, at, around)
      return placeless(eitherValue(truthyPart(left), right))
    }
    case 'AndExpression': {
      const left = infer(node.left, at, around)
      const right = infer(node.right, at, around)
      return placeless(canHold(left) ? eitherValue(falsyPart(left), right) : left)
    }
    case 'Comparator':
      return inferComparison(node, at, around)
    default:
      return inferRest(node, at, around)
  }
}

function inferRest(node: JmespathTree, at: Inferred, around: Around): Inferred {
  const items: Inferred = { ...anyValue, path: null }
  switch (node.type) {
    case 'Ternary': {
      infer(node.condition, at, around)
      const yes = infer(node.trueExpr, at, around)
      return placeless(eitherValue(yes, infer(node.falseExpr, at, around)))
    }
    case 'Arithmetic':
      infer(node.left, at, around)
      infer(node.right, at, around)
      return placeless(valueOfKinds('number'))
    case 'Unary':
      infer(node.operand, at, around)
      return placeless(valueOfKinds('number'))
    case 'Projection':
    case 'ValueProjection':
    case 'FilterProjection':
      infer(node.left, at, around)
      if (node.type === 'FilterProjection') infer(node.condition, items, around)
      infer(node.right, items, around)
      return items
    case 'Flatten':
      infer(node.child, at, around)
      return items
    case 'MultiSelectList':
      for (const child of node.children) infer(child, at, around)
      return placeless(valueOfKinds('array'))
    case 'MultiSelectHash':
      for (const child of node.children) infer(child.value, at, around)
      return placeless(valueOfKinds('object'))
    case 'Function':
      return inferCall(node, at, around)
    default:
      return items
  }
}

const placeless = (known: KnownValue): Inferred => ({ ...known, path: null })

function fieldOf(name: string, at: Inferred, around: Around): Inferred {
  if (!at.kinds.has('object')) return placeless(alwaysNull(at.because))
  if (at.path === null) return placeless(anyValue)
  const path = [...at.path, name]
  return { ...around.know(path), path }
}

type Of<T extends JmespathTree['type']> = Extract<JmespathTree, { readonly type: T }>

type Pair = { readonly left: JmespathTree; readonly right: JmespathTree }

/** WHY: `!` binds more tightly than the dot, so `!a.b` looks for `b` in true or false. */
function inferMember(node: Pair, at: Inferred, around: Around): Inferred {
  const negated = negatedPath(node)
  if (negated === null) return infer(node.right, infer(node.left, at, around), around)
  const { inner, rest } = negated
  const message = `\`!${inner}.${rest}\` is read as \`(!${inner}).${rest}\`, which is always null`
  around.doubts.push({ message, hint: `write \`!(${inner}.${rest})\`` })
  return placeless(alwaysNull())
}

/** `!inputs.address.city`, as it is read: `inputs` is negated, the rest is looked for in it. */
function negatedPath({ left, right }: Pair): { inner: string; rest: string } | null {
  const last = pathText(right)
  if (last === null) return null
  if (left.type === 'Subexpression') {
    const before = negatedPath(left)
    return before === null ? null : { ...before, rest: `${before.rest}.${last}` }
  }
  const inner = left.type === 'NotExpression' ? pathText(left.child) : null
  return inner === null ? null : { inner, rest: last }
}

function inferNot(child: KnownValue): Inferred {
  if (!canHold(child)) return placeless(oneOfValues([true]))
  return placeless(falsyPart(child).kinds.size === 0 ? oneOfValues([false]) : booleans)
}

const booleans = valueOfKinds('boolean')

const signs: Readonly<Record<string, string>> = {
  GT: '>',
  GTE: '>=',
  LT: '<',
  LTE: '<=',
  EQ: '==',
  NE: '!=',
}

function inferComparison(node: Of<'Comparator'>, at: Inferred, around: Around): Inferred {
  const left = infer(node.left, at, around)
  const right = infer(node.right, at, around)
  const sides = [
    { node: node.left, known: left },
    { node: node.right, known: right },
  ] as const
  const sign = signs[node.name] ?? node.name
  if (node.name === 'EQ' || node.name === 'NE') {
    if (canEqual(left, right)) return placeless(booleans)
    around.doubts.push(unequalDoubt(sides, sign))
    return placeless(oneOfValues([node.name === 'NE']))
  }
  const unordered = sides.find(({ known }) => !known.kinds.has('number'))
  if (unordered === undefined) return placeless(eitherValue(booleans, alwaysNull()))
  around.doubts.push(orderDoubt(sides, unordered, sign))
  return placeless(alwaysNull())
}

type Side = { readonly node: JmespathTree; readonly known: KnownValue }
type Sides = readonly [Side, Side]

function orderDoubt(sides: Sides, unordered: Side, sign: string): TypeMismatch {
  const what = describeSide(unordered)
  const message = `\`${sign}\` compares numbers, but ${what}: the result is always null`
  const other = sides[0] === unordered ? sides[1] : sides[0]
  return { message, hint: orderHint(unordered, other, { sides, sign }) }
}

function orderHint(
  { node, known }: Side,
  other: Side,
  { sides, sign }: { readonly sides: Sides; readonly sign: string },
): string {
  if (known.because !== '') return 'correct the name, or set it before'
  const [value] = known.values ?? []
  if (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)) {
    return `write the number in backticks: \`\` \`${value}\` \`\``
  }
  if (known.kinds.has('string')) {
    const isNumber = other.known.values?.every((one) => typeof one === 'number') ?? false
    const path = pathText(node)
    if (isNumber && path !== null) return `declare \`${path}\` with \`type: number\``
    const cel = asCel(
      sides.map((side) => sideText(side.node)),
      sign,
    )
    return `CEL compares strings, too: \`${cel}\``
  }
  return 'compare a number'
}

function unequalDoubt(sides: Sides, sign: string): TypeMismatch {
  const [left, right] = sides
  const effect = sign === '==' ? 'never' : 'always'
  const because = `${describeSide(left)}, and ${describeSide(right)}`
  const message = `\`${sign}\` is ${effect} true here: ${because}`
  const missing = sides.find(({ known }) => known.because !== '')
  if (missing !== undefined) return { message, hint: 'correct the name, or set it before' }
  const literal = sides.find(({ node }) => node.type === 'Literal')
  const value = literal?.known.values?.[0]
  const kinds = (literal === left ? right : left).known.kinds
  const meant = value === undefined ? null : literalText(value, kinds)
  const hint = meant === null ? 'compare values of the same type' : `write ${meant}`
  return { message, hint }
}

function describeSide({ node, known }: Side): string {
  if (known.because !== '') return known.because
  const text = sideText(node)
  if (node.type === 'Literal') return `${text} is ${kindsText(known.kinds)}`
  const { values } = known
  const listed = values?.filter((one) => one !== null) ?? []
  if (listed.length > 0 && listed.every((one) => typeof one === 'string')) {
    const shown = listed.slice(0, listedMax).map((one) => `\`${one}\``)
    const more = listed.length > listedMax ? ' …' : ''
    return `${text} is one of ${shown.join(', ')}${more}`
  }
  return `${text} is ${kindsText(known.kinds)}`
}

/** Values that a message lists. */
const listedMax = 8

function kindsText(kinds: ReadonlySet<ValueKind>): string {
  const names = [...kinds].filter((kind) => kind !== 'null' || kinds.size === 1)
  return names.map((kind) => (kind === 'null' ? kind : article(kind))).join(' or ')
}

function article(kind: string): string {
  return /^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function sideText(node: JmespathTree): string {
  const path = pathText(node)
  if (path !== null) return `\`${path}\``
  if (node.type !== 'Literal') return 'the other side'
  const value = node.value as Json
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${JSON.stringify(value)}\``
}

/** `inputs.address.city`; null: it is not a path. */
function pathText(node: JmespathTree): string | null {
  if (node.type === 'Field') return node.name
  if (node.type !== 'Subexpression') return null
  const [left, right] = [pathText(node.left), pathText(node.right)]
  return left === null || right === null ? null : `${left}.${right}`
}

function inferCall(node: Of<'Function'>, at: Inferred, around: Around): Inferred {
  const items: Inferred = { ...anyValue, path: null }
  for (const [index, child] of node.children.entries()) {
    if (child.type === 'ExpressionReference') {
      infer(child.child, items, around)
      continue
    }
    const known = infer(child, at, around)
    const wanted = argumentProblem(node.name, index, known.kinds)
    if (wanted === null) continue
    const what = describeSide({ node: child, known })
    const message = `\`${node.name}\` needs ${wanted}, but ${what}: it always fails`
    around.doubts.push({ message, hint: `give it ${wanted}` })
  }
  const kinds = resultKinds(node.name)
  return placeless(kinds === null ? anyValue : valueOfKinds(...kinds))
}
