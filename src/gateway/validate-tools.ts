/**
 * Validates the tools that a server lists, before anybody sees them: which of them can be offered
 * at all.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'
import { lookalikeName } from '../core/lookalike-names.ts'
import { isReservedToolName } from '../core/tools/pawl-tool-names.ts'

export type ValidatedTool = { readonly tool: string; readonly definition: JsonObject }

type SeenTools = {
  readonly tools: readonly ValidatedTool[]
  /** Tools that are never offered, and why. */
  readonly refused: readonly string[]
}

/** Tools of one server. */
const toolsMax = 500
const definitionCharsMax = 200_000
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$/

export function validateTools(listed: readonly Json[]): SeenTools {
  const tools: ValidatedTool[] = []
  const refused: string[] = []
  const names = new Set<string>()
  for (const one of listed) {
    const definition = asObject(one)
    const name = definition?.name
    if (definition === null || typeof name !== 'string') {
      refused.push('an entry in the list is not a tool')
      continue
    }
    const why =
      tools.length >= toolsMax ? `there are more than ${toolsMax}` : refuse(name, definition)
    const plain = name.toLowerCase()
    const twice = names.has(plain) ? 'another tool of the server has that name' : null
    names.add(plain)
    const problem = why ?? twice
    if (problem === null) tools.push({ tool: name, definition })
    else refused.push(`the tool ${JSON.stringify(name.slice(0, 100))} is not offered: ${problem}`)
  }
  return { tools, refused }
}

function refuse(name: string, definition: JsonObject): string | null {
  const alike = lookalikeName(name)
  if (alike !== null) return `it only looks like \`${alike.slice(0, 100)}\``
  if (!namePattern.test(name)) return 'a name has 1 to 100 letters, digits, `_`, `-`, `.` and `/`'
  if (isReservedToolName(name)) return "it is the name of one of Pawl's own tools"
  if (asObject(definition.inputSchema) === null) return 'it has no input schema'
  if (JSON.stringify(definition).length > definitionCharsMax) return 'its definition is too long'
  return null
}
