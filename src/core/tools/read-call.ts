/**
 * A tool call as the host spells it, read into what the engine judges: which files it would
 * change, and whether the tool is Pawl's own. Names are compared exactly.
 */

import type { Call } from '../engine/types.ts'
import { normalisePath } from '../expr/glob.ts'
import type { Json, JsonObject } from '../json.ts'
import { asObject, own } from '../json.ts'
import type { Machine } from '../machine/machine.ts'

/** Where a host puts the tools of Pawl's server; a name alone proves nothing. */
const ownServer = 'mcp__pawl__'

const editTools: ReadonlySet<string> = new Set([
  'Edit',
  'Write',
  'MultiEdit',
  'NotebookEdit',
  'edit_file',
  'write_file',
  'create_or_update_file',
])

const pathKeys = ['file_path', 'notebook_path', 'path', 'file'] as const

/** The call, as the engine needs it. */
export function readCall(
  spoken: { readonly tool: string; readonly input: JsonObject },
  machine: Machine,
  workspace: string,
): Call {
  const { tool, input } = spoken
  return { tool, input, edits: editsOf(tool, input, workspace), isOwn: isOwnTool(tool, machine) }
}

function isOwnTool(tool: string, machine: Machine): boolean {
  if (!tool.startsWith(ownServer)) return false
  const name = tool.slice(ownServer.length)
  return name.startsWith('pawl_') || name === 'process_step' || machine.ownTools.includes(name)
}

function editsOf(tool: string, input: JsonObject, workspace: string): readonly string[] {
  if (!editTools.has(tool)) return []
  const paths = pathKeys.map((key) => own(input, key)).filter(isText)
  const files = paths.map((path) => normalisePath(path, workspace)).filter((path) => path !== null)
  return [...new Set(files)]
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && asObject(value) === null
}
