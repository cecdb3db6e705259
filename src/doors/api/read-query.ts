/**
 * Turns the query string of a URL into the input of an operation. The schema says which values are
 * numbers and lists.
 */
import { z } from 'zod'
import { contract, streamContract } from './contract.ts'
import { isOperation, type OperationName, type StreamName } from './operations-table.ts'

type Kind = 'integer' | 'boolean' | 'array' | 'other'
type Kinds = ReadonlyMap<string, Kind>
type Values = { readonly [field: string]: unknown }

const known = new Map<string, Kinds>()

/** What the query says; what is not as it should be stays a text, and the schema will say so. */
export function readQuery(name: OperationName | StreamName, query: URLSearchParams): Values {
  const kinds = known.get(name) ?? kindsOf(name)
  known.set(name, kinds)
  const values: Record<string, unknown> = {}
  for (const field of new Set(query.keys())) {
    const texts = query.getAll(field)
    values[field] = readValue(texts, kinds.get(field) ?? 'other')
  }
  return values
}

function readValue(texts: readonly string[], kind: Kind): unknown {
  if (kind === 'array') return texts.flatMap((text) => text.split(','))
  const [text = '', ...more] = texts
  // WHY: of two values one would be left out without a word; a list is refused by the schema.
  if (more.length > 0) return texts
  if (kind === 'integer') return /^\d{1,16}$/.test(text) ? Number(text) : text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

function kindsOf(name: OperationName | StreamName): Kinds {
  const { input } = isOperation(name) ? contract[name] : streamContract[name]
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', reused: 'inline' })
  return new Map(
    Object.entries(properties).map(([field, schema]) => {
      const type = typeof schema === 'object' ? schema.type : undefined
      const isKnown = type === 'integer' || type === 'boolean' || type === 'array'
      return [field, isKnown ? type : 'other']
    }),
  )
}
