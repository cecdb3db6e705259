/**
 * Which variables a CEL expression reads, and what in it can never work.
 * Knows the library's tree. Must not know scopes.
 */
import { type CelTree, celChildren, hasFunction } from './cel-limits.ts'

const typeNames: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
])

/** Operators that the planner builds itself. */
const builtIn: ReadonlySet<string> = new Set([
  '_[_]',
  '_?_:_',
  '_&&_',
  '_||_',
  '@not_strictly_false',
  '__not_strictly_false__',
])

/** Why an expression cannot be used although it can be read; null: nothing is known against it. */
export function celProblem(tree: CelTree): string | null {
  const open: CelTree[] = [tree]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.exprKind.case === 'callExpr') {
      const name = node.exprKind.value.function
      if (!builtIn.has(name) && !hasFunction(name)) return `\`${name}\` is not a function of CEL`
    }
    open.push(...celChildren(node))
  }
  return null
}

type Open = { readonly node: CelTree; readonly bound: ReadonlySet<string> }

/** Whether a path is the name of a type, unless somebody has a variable of that name. */
export function isTypeName(path: readonly string[]): boolean {
  return path.length === 1 && typeNames.has(path[0] ?? '')
}

/**
 * The paths that an expression reads, each as far as its keys are written out. Names of types are
 * among them: only the data tell whether a variable is called so.
 */
export function celReads(tree: CelTree): readonly string[][] {
  const found = new Map<string, string[]>()
  const open: Open[] = [{ node: tree, bound: new Set() }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, bound } = next
    const path = celPathOf(node)
    if (path !== null) {
      const [first = ''] = path
      if (!bound.has(first)) found.set(JSON.stringify(path), path)
      continue
    }
    open.push(...below(node, bound))
  }
  return [...found.values()].reverse()
}

function below(node: CelTree, bound: ReadonlySet<string>): readonly Open[] {
  if (node.exprKind.case !== 'comprehensionExpr') {
    return celChildren(node).map((child) => ({ node: child, bound }))
  }
  const macro = node.exprKind.value
  const inner = new Set([...bound, macro.iterVar, macro.iterVar2, macro.accuVar])
  return celChildren(node).map((child) => ({
    node: child,
    bound: child === macro.iterRange ? bound : inner,
  }))
}

/** `a.b["c"]` as its keys; null for everything else. */
export function celPathOf(node: CelTree): string[] | null {
  const keys: string[] = []
  for (let at: CelTree | undefined = node; at !== undefined; ) {
    const kind: CelTree['exprKind'] = at.exprKind
    if (kind.case === 'identExpr') return [kind.value.name, ...keys.reverse()]
    if (kind.case === 'selectExpr') {
      keys.push(kind.value.field)
      at = kind.value.operand
    } else if (kind.case === 'callExpr' && kind.value.function === '_[_]') {
      const [target, index]: CelTree[] = kind.value.args
      const constant = index?.exprKind.case === 'constExpr' ? index.exprKind.value : null
      if (constant?.constantKind.case !== 'stringValue') return null
      keys.push(constant.constantKind.value)
      at = target
    } else {
      return null
    }
  }
  return null
}
