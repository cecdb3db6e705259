/**
 * Which paths of its document a JMESPath expression reads, as far as it can be known without data.
 * Knows the library's tree. Must not know scopes.
 */
import type { JmespathTree } from './jmespath-interpreter.ts'

/** Where a value comes from: keys from the root; null when that depends on data. */
type Path = readonly string[] | null

/** The paths that an expression reads, each as far as its keys are written out. */
export function readsOf(tree: JmespathTree): readonly string[][] {
  const found = new Map<string, string[]>()
  const use = (path: Path): void => {
    // A bare `true` is a mistake and not a read; see `bareLiterals`.
    const isLiteral = path?.length === 1 && /^(?:true|false|null)$/.test(path[0] ?? '')
    if (path !== null && path.length > 0 && !isLiteral) found.set(JSON.stringify(path), [...path])
  }
  use(trace(tree, [], use))
  return [...found.values()]
}

type Use = (path: Path) => void

/** Where the node's value comes from, given where the current value does; marks what is used up. */
function trace(node: JmespathTree, at: Path, use: Use): Path {
  switch (node.type) {
    case 'Identity':
    case 'Current':
      return at
    case 'Root':
      return []
    case 'Field':
      return at === null ? null : [...at, node.name]
    case 'Subexpression':
    case 'Pipe':
    case 'IndexExpression':
      return trace(node.right, trace(node.left, at, use), use)
    case 'Projection':
    case 'ValueProjection':
    case 'FilterProjection':
      use(trace(node.left, at, use))
      if (node.type === 'FilterProjection') use(trace(node.condition, null, use))
      use(trace(node.right, null, use))
      return null
    case 'Index':
    case 'Slice':
      use(at)
      return null
    default:
      for (const child of childrenOf(node)) use(trace(child, at, use))
      return null
  }
}

function childrenOf(node: JmespathTree): readonly JmespathTree[] {
  switch (node.type) {
    case 'OrExpression':
    case 'AndExpression':
    case 'Comparator':
    case 'Arithmetic':
      return [node.left, node.right]
    case 'NotExpression':
    case 'Flatten':
      return [node.child]
    case 'Unary':
      return [node.operand]
    case 'Ternary':
      return [node.condition, node.trueExpr, node.falseExpr]
    case 'MultiSelectList':
      return node.children
    case 'MultiSelectHash':
      return node.children.map((child) => child.value)
    case 'Function':
      // What `&` hides is applied to items, whose place is not known; `$` still is the root.
      return node.children.map((child) =>
        child.type === 'ExpressionReference' ? itemOf(child.child) : child,
      )
    case 'LetExpression':
      return [
        ...node.bindings.map((binding) => binding.reference ?? itemOf(binding)),
        node.expression,
      ]
    default:
      return []
  }
}

/** A tree as if it stood in a projection. */
function itemOf(tree: JmespathTree): JmespathTree {
  return { type: 'Projection', left: { type: 'Literal', value: null }, right: tree }
}
