/**
 * What a server says of its tools, looked at before anybody else sees it: which of them can be
 * offered at all, the hash that a person's word is bound to, and what makes one doubtful.
 */
import { asObject, type Json, type JsonObject } from '../core/json.ts'
import { hashJson } from '../core/machine/hash.ts'
import { lookAlike } from '../core/policy/look-alike.ts'
import { isControlTool } from '../core/tools/own-tools.ts'
import type { SeenThing } from '../runtime/gateway.ts'

export type SeenTool = SeenThing & { readonly tool: string; readonly definition: JsonObject }

export type SeenTools = {
  readonly tools: readonly SeenTool[]
  /** Tools that are never offered, and why. */
  readonly refused: readonly string[]
}

/** Tools of one server. */
const toolsMax = 500
const definitionCharsMax = 200_000
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}$/
/** Letters that a person does not see and a model reads: tags, marks of direction, empty ones. */
const invisible = /[\u{E0000}-\u{E0FFF}\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/u
const aboutCharsMax = 300

export function seeTools(listed: readonly Json[]): SeenTools {
  const tools: SeenTool[] = []
  const refused: string[] = []
  const names = new Set<string>()
  for (const one of listed) {
    const definition = asObject(one)
    const name = definition?.name
    if (definition === null || typeof name !== 'string') {
      refused.push('something in the list is no tool')
      continue
    }
    const why = tools.length >= toolsMax ? `there are over ${toolsMax}` : refuse(name, definition)
    const plain = name.toLowerCase()
    const twice = names.has(plain) ? 'another tool of the server has that name' : null
    names.add(plain)
    const problem = why ?? twice
    if (problem === null) tools.push(seen(name, definition))
    else refused.push(`the tool ${JSON.stringify(name.slice(0, 100))} is not offered: ${problem}`)
  }
  return { tools, refused }
}

function refuse(name: string, definition: JsonObject): string | null {
  const alike = lookAlike(name)
  if (alike !== null) return `it only looks like \`${alike.slice(0, 100)}\``
  if (!namePattern.test(name)) return 'a name has 1 to 100 letters, digits, `_`, `-`, `.` and `/`'
  if (isControlTool(name)) return "it is the name of one of Pawl's own tools"
  if (asObject(definition.inputSchema) === null) return 'it has no schema of its input'
  if (JSON.stringify(definition).length > definitionCharsMax) return 'its definition is too long'
  return null
}

function seen(tool: string, definition: JsonObject): SeenTool {
  // What is not told to a model may change at will.
  const { _meta: _, ...told } = definition
  const text = JSON.stringify(told)
  const doubts = invisible.test(text) ? ['it says something in letters that cannot be seen'] : []
  const words = typeof definition.description === 'string' ? definition.description : ''
  const about = words.replace(/\s+/g, ' ').slice(0, aboutCharsMax)
  return { tool, definition, hash: hashJson(told), about, doubts }
}
