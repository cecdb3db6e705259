/**
 * What in a CEL expression can never work: comparisons of kinds that are never equal, or that have
 * no common order. Knows the library's tree. Must not know scopes.
 */
import { type CelTree, celChildren } from './cel-limits.ts'
import { celPathOf } from './cel-referenced-variables.ts'
import type { KnowPath, TypeMismatch } from './jmespath-type-mismatches.ts'
import type { ValueKind } from './possible-values.ts'

const signs: Readonly<Record<string, string>> = {
  '_==_': '==',
  '_!=_': '!=',
  '_<_': '<',
  '_<=_': '<=',
  '_>_': '>',
  '_>=_': '>=',
}

/** Comparisons that never hold, or always fail, by what is known about the paths they read. */
export function celTypeMismatches(tree: CelTree, know: KnowPath): readonly TypeMismatch[] {
  const doubts: TypeMismatch[] = []
  const open: CelTree[] = [tree]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    // What a macro binds hides variables: nothing is known in there.
    if (node.exprKind.case === 'comprehensionExpr') continue
    const doubt = node.exprKind.case === 'callExpr' ? doubtCall(node.exprKind.value, know) : null
    if (doubt !== null) doubts.push(doubt)
    open.push(...celChildren(node))
  }
  return doubts
}

type CelCall = { readonly function: string; readonly args: readonly CelTree[] }

function doubtCall(call: CelCall, know: KnowPath): TypeMismatch | null {
  const sign = signs[call.function]
  const [left, right] = call.args.map((arg) => sideOf(arg, know))
  if (sign === undefined || left == null || right == null) return null
  if (left.kinds.some((kind) => right.kinds.includes(kind))) return null
  const isEquality = sign === '==' || sign === '!='
  const words = `${left.text} is ${kindText(left)}, and ${right.text} is ${kindText(right)}`
  const effect = sign === '!=' ? 'is always true here' : 'is never true here'
  const message = isEquality
    ? `\`${sign}\` ${effect}: ${words}`
    : `\`${sign}\` fails here: ${words}`
  return { message, hint: 'compare values of the same type' }
}

type Side = { readonly text: string; readonly kinds: readonly ValueKind[] }

/** A side of which the kinds are known; null: they are not. A missing value is a fault anyway. */
function sideOf(node: CelTree, know: KnowPath): Side | null {
  const path = celPathOf(node)
  if (path !== null) {
    const kinds = [...know(path).kinds].filter((kind) => kind !== 'null')
    const isKnown = kinds.length > 0 && kinds.length < 5
    return isKnown ? { text: `\`${path.join('.')}\``, kinds } : null
  }
  if (node.exprKind.case !== 'constExpr') return null
  const constant = node.exprKind.value.constantKind
  switch (constant.case) {
    case 'stringValue':
      return { text: `\`'${constant.value}'\``, kinds: ['string'] }
    case 'boolValue':
      return { text: `\`${constant.value}\``, kinds: ['boolean'] }
    case 'int64Value':
    case 'uint64Value':
    case 'doubleValue':
      return { text: `\`${constant.value}\``, kinds: ['number'] }
    default:
      return null
  }
}

function kindText({ kinds }: Side): string {
  return kinds.map((kind) => (/^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`)).join(' or ')
}
