/**
 * What to write instead of a JMESPath comparison that cannot work.
 * Knows how literals are written in JMESPath and CEL. Must not know trees.
 */
import type { Json } from '../json.ts'
import type { ValueKind } from './possible-values.ts'

/** A comparison as a CEL expression; its sides come in backticks. */
export function asCel(sides: readonly string[], sign: string): string {
  const [left = '', right = ''] = sides.map((side) => side.replaceAll('`', ''))
  return `{ type: cel, expression: "${left} ${sign} ${right}" }`
}

/** A literal as one of these kinds is written; null: it says nothing of that kind. */
export function literalText(value: Json, kinds: ReadonlySet<ValueKind>): string | null {
  if (typeof value === 'string') {
    const isNumber = kinds.has('number') && /^-?\d+(?:\.\d+)?$/.test(value)
    const isBoolean = kinds.has('boolean') && (value === 'true' || value === 'false')
    return isNumber || isBoolean ? `\`\` \`${value}\` \`\`, without quotes` : null
  }
  const isText = typeof value === 'number' || typeof value === 'boolean'
  return isText && kinds.has('string') ? `\`'${value}'\` to mean a string` : null
}
