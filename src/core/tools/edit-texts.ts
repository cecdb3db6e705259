/** The texts that a call for editing takes away and puts there, by its input. */
import { asObject, type JsonObject } from '../json.ts'

export type EditTexts = { readonly before: string; readonly after: string }

/** Every replacement of a call, in its order; empty: it is not an edit, or a patch. */
export function editTextsIn(input: JsonObject): readonly EditTexts[] {
  const list = Array.isArray(input.edits) ? input.edits : [input]
  return list.flatMap((one) => {
    const edit = asObject(one)
    const after = edit?.new_string ?? edit?.content
    const before = edit?.old_string
    if (typeof after !== 'string') return []
    return [{ before: typeof before === 'string' ? before : '', after }]
  })
}
