/** The smallest JSON that a schema takes, for a scripted model that is asked for JSON. */
import { asObject, type Json, type JsonObject } from '../../core/json.ts'

export function sampleJson(schema: JsonObject): Json {
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  // WHY lower case: Google's own schemas say `OBJECT`.
  switch (String(schema.type).toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(asObject(schema.properties) ?? {}).map(([name, one]) => [
          name,
          sampleJson(asObject(one) ?? {}),
        ]),
      )
    case 'array':
      return []
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return false
    default:
      return 'ok'
  }
}
