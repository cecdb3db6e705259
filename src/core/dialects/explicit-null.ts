/**
 * What `null` means in a definition: in a field that may be left out, the same as leaving it out,
 * unless it is a value of its own there. Knows schemas and trees, no field by name.
 */
import type { z } from 'zod'
import { memberOf, type Node } from '../source/source.ts'

export type Def = z.core.$ZodTypes['_zod']['def']

/** What a schema is made of. */
// WHY the cast: zod's public class is wider than the closed union of its own kinds.
export const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def

/**
 * Whether a value is the word `null`.
 * WHY not an empty value of YAML: that is a field somebody has begun to write.
 */
export function isExplicitNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null && (node.start < 0 || node.end > node.start)
}

/** A field that has a value: neither left out, nor `null`. */
export function hasField(node: Node, key: string): boolean {
  const found = memberOf(node, key)?.node
  return found !== undefined && !isExplicitNull(found)
}

/** Whether `null` is a value of its own there. */
export function takesNull(schema: z.core.$ZodType): boolean {
  const def = defOf(schema)
  switch (def.type) {
    case 'unknown':
    case 'any':
    case 'null':
    case 'nullable':
      return true
    case 'optional':
    case 'nonoptional':
    case 'readonly':
      return takesNull(def.innerType)
    default:
      return false
  }
}
