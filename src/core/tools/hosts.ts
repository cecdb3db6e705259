/**
 * What the tools of each agent host are: one table per host, and when a name that an author wrote
 * means a call. Names are compared exactly: no folding of case, blanks or letters.
 * Knows tool names. Must not know inputs, stages or policies.
 */
import type { Act, Call } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import { type McpName, mcpNameOf, spelledMcpName } from './mcp-name.ts'

export const hosts = ['claude', 'codex', 'gemini', 'opencode', 'cursor', 'mcp'] as const
export type Host = (typeof hosts)[number]

export type Tool = {
  readonly act: Act
  /** The name that means this tool on every host; null: only its own name does. */
  readonly commonName: string | null
  readonly capability: string
  /** The tool its input is shaped like, by its name on plain servers; null: nobody knows. */
  readonly shape: string | null
  readonly server: McpName | null
  /** Its name says a server, but not which. */
  readonly isOdd: boolean
}

type Common = { readonly act: Act; readonly capability: string }

/** The tools that several hosts have, under the name used in messages and definitions. */
const commons: ReadonlyMap<string, Common> = new Map([
  ['Bash', { act: 'shell', capability: 'bash' }],
  ['PowerShell', { act: 'shell', capability: 'powershell' }],
  ['Monitor', { act: 'shell', capability: 'bash' }],
  ['process.run', { act: 'shell', capability: 'process.run' }],
  ['process.monitor', { act: 'other', capability: 'process.monitor' }],
  ['process.kill', { act: 'other', capability: 'process.kill' }],
  ['process.list', { act: 'other', capability: 'process.list' }],
  ['process.logs', { act: 'other', capability: 'process.logs' }],
  ['Read', { act: 'read', capability: 'read' }],
  ['Edit', { act: 'edit', capability: 'edit' }],
  ['MultiEdit', { act: 'edit', capability: 'edit' }],
  ['NotebookEdit', { act: 'edit', capability: 'edit' }],
  ['Delete', { act: 'edit', capability: 'edit' }],
  ['Move', { act: 'edit', capability: 'edit' }],
  ['MakeDirectory', { act: 'write', capability: 'write' }],
  ['Write', { act: 'write', capability: 'write' }],
  ['Grep', { act: 'search', capability: 'search' }],
  ['Glob', { act: 'search', capability: 'search' }],
  ['LS', { act: 'search', capability: 'search' }],
  ['WebFetch', { act: 'web', capability: 'web' }],
  ['WebSearch', { act: 'web', capability: 'web' }],
  ['Agent', { act: 'agent', capability: 'agent' }],
  ['TodoWrite', { act: 'other', capability: 'todo' }],
  ['Skill', { act: 'other', capability: 'skill' }],
  ['AskUserQuestion', { act: 'other', capability: 'question' }],
])

/** `Read: read_file, view` on each line: the host's names of a common tool. */
const processTools = [
  'process.run: process.run, process_run, process__run',
  'process.monitor: process.monitor, process_monitor, process__monitor',
  'process.kill: process.kill, process_kill, process__kill',
  'process.list: process.list, process_list, process__list',
  'process.logs: process.logs, process_logs, process__logs',
]

const namesByHost: Readonly<Record<Host, readonly string[]>> = {
  claude: [
    'Bash: Bash',
    'PowerShell: PowerShell',
    'Monitor: Monitor',
    'Read: Read, NotebookRead',
    'Edit: Edit',
    'MultiEdit: MultiEdit',
    'NotebookEdit: NotebookEdit',
    'Write: Write',
    'Grep: Grep',
    'Glob: Glob',
    'LS: LS',
    'WebFetch: WebFetch',
    'WebSearch: WebSearch',
    'Agent: Agent, Task',
    'TodoWrite: TodoWrite',
    'Skill: Skill',
    'AskUserQuestion: AskUserQuestion',
  ],
  codex: [
    'Bash: Bash, shell, local_shell, shell_command, exec_command, write_stdin, container.exec',
    'Edit: apply_patch',
    'Read: view_image, read_file',
    'Grep: grep_files',
    'LS: list_dir',
    'WebSearch: web_search',
    'Agent: spawn_agent',
    'TodoWrite: update_plan',
    'AskUserQuestion: request_user_input',
  ],
  gemini: [
    'Bash: run_shell_command',
    'Read: read_file, read_many_files',
    'Edit: replace, edit',
    'Write: write_file',
    'Grep: search_file_content, grep_search',
    'Glob: glob',
    'LS: list_directory',
    'WebFetch: web_fetch',
    'WebSearch: google_web_search',
    'Agent: delegate_to_agent, invoke_agent, codebase_investigator',
    'TodoWrite: write_todos',
    'Skill: activate_skill',
    'AskUserQuestion: ask_user',
  ],
  opencode: [
    'Bash: bash',
    'Read: read',
    'Edit: edit, patch, apply_patch',
    'MultiEdit: multiedit',
    'Write: write',
    'Grep: grep',
    'Glob: glob',
    'LS: list',
    'WebFetch: webfetch',
    'WebSearch: websearch',
    'Agent: task',
    'TodoWrite: todowrite',
    'Skill: skill',
    'AskUserQuestion: question',
  ],
  cursor: [
    'Bash: Shell, run_terminal_cmd',
    'Read: Read, read_file',
    'Edit: Edit, edit_file, search_replace, StrReplace, ApplyPatch',
    'MultiEdit: MultiEdit',
    'NotebookEdit: edit_notebook, EditNotebook',
    'Delete: Delete, delete_file',
    'Write: Write, write',
    'Grep: Grep, grep, grep_search',
    'Glob: Glob, glob_file_search, file_search',
    'LS: LS, list_dir',
    'WebFetch: WebFetch',
    'WebSearch: WebSearch, web_search',
    'Agent: Task',
    'TodoWrite: TodoWrite, todo_write',
  ],
  mcp: [
    'Read: read_file, read_text_file, read_media_file, read_multiple_files',
    'Edit: edit_file, str_replace, str_replace_editor, str_replace_based_edit_tool, apply_patch',
    'Write: write_file, create_file, create_or_update_file, push_files',
    'Delete: delete_file',
    'Move: move_file, rename_file, copy_file',
    'MakeDirectory: create_directory',
    'Glob: search_files',
    'LS: list_directory, list_directory_with_sizes, directory_tree, get_file_info',
  ],
}

function tableOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const pairs = [...lines, ...processTools].flatMap((line) => {
    const [common = '', names = ''] = line.split(': ')
    return names.split(', ').map((name) => [name, common] as const)
  })
  return new Map(pairs)
}

const tables: ReadonlyMap<Host, ReadonlyMap<string, string>> = new Map(
  hosts.map((host) => [host, tableOf(namesByHost[host])]),
)

/** What a name means on any host. INVARIANT (tested): no name means two tools. */
const everywhere: ReadonlyMap<string, string> = new Map([
  ...[...commons.keys()].map((name) => [name, name] as const),
  ...hosts.flatMap((host) => [...(tables.get(host) ?? [])]),
])

/** Tools that change files by a patch: both `Edit` and `Write` mean them. */
const patchTools: ReadonlySet<string> = new Set(['apply_patch', 'ApplyPatch', 'patch'])
const patchNames: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit'])

/** Whether a tool takes a patch. */
export function takesPatch(shape: string | null): boolean {
  return shape !== null && patchTools.has(shape)
}

/** The common tool of a plain name, on whatever host; null: nobody calls a tool so. */
export function commonToolOf(name: string): string | null {
  return everywhere.get(name) ?? null
}

/** What a tool is on a host. `server` is what the host itself says about its origin. */
export function toolOf(name: string, host: Host, server: McpName | null = null): Tool {
  const common = server === null ? tables.get(host)?.get(name) : undefined
  if (common !== undefined) {
    const { act, capability } = commons.get(common) as Common
    return { act, commonName: common, capability, shape: name, server: null, isOdd: false }
  }
  const mcp = server ?? mcpNameOf(name, host)
  if (mcp === 'odd') {
    return { ...unknownTool(name, 'mcp'), isOdd: true }
  }
  if (mcp !== null) return serverTool(mcp)
  // WHY: a name that another host uses is unknown here and no entry but its own means it. What it
  // would do is still judged as if it were that tool: the guard must not go blind.
  const likely = everywhere.get(name)
  const act = likely === undefined ? 'other' : (commons.get(likely)?.act ?? 'other')
  return unknownTool(name, act)
}

function unknownTool(name: string, act: Act): Tool {
  const shape = everywhere.has(name) ? name : null
  return { act, commonName: null, capability: name, shape, server: null, isOdd: false }
}

/** Pawl's own runner speaks in capabilities of its own; every other server is a stranger. */
function serverTool(mcp: McpName): Tool {
  const likely = everywhere.get(mcp.tool)
  if (mcp.server === 'pawl' && likely?.startsWith('process.')) {
    const { act, capability } = commons.get(likely) as Common
    const shape = mcp.tool
    return { act, commonName: likely, capability, shape, server: mcp, isOdd: false }
  }
  const capability = `mcp:${mcp.server}:${mcp.tool}`
  const shape = likely === undefined ? null : mcp.tool
  return { act: 'mcp', commonName: capability, capability, shape, server: mcp, isOdd: false }
}

/**
 * Whether a name that an author wrote means this call: the tool exactly as the host spells it, or
 * any host's name of the same tool.
 */
export function namesMatch(written: string, call: Call): boolean {
  if (written === call.tool) return true
  if (call.commonName === null) return false
  if (written === call.commonName) return true
  const common = everywhere.get(written)
  if (common === undefined) {
    const mcp = spelledMcpName(written)
    return mcp !== null && `mcp:${mcp.server}:${mcp.tool}` === call.commonName
  }
  if (common === call.commonName) return true
  return patchTools.has(call.tool) && call.commonName === 'Edit' && patchNames.has(common)
}

/** Whether the call is to start a job of Pawl's own runner. */
export function startsJob({ commonName }: Pick<Call, 'commonName'>): boolean {
  return commonName === 'process.run'
}

/** Whether the call is of a tool that reaches files by their paths. */
export function isFileTool(call: Pick<Call, 'act' | 'commonName'>): boolean {
  if (call.act !== 'mcp') return fileActs.has(call.act)
  const inner = call.commonName?.split(':').slice(2).join(':') ?? ''
  const common = everywhere.get(inner)
  return common !== undefined && fileActs.has(commons.get(common)?.act ?? 'other')
}

const fileActs: ReadonlySet<Act> = new Set(['read', 'edit', 'write', 'search'])

/** The act of a plain tool name, on whatever host. */
export function actOfShape(shape: string): Act {
  return commons.get(everywhere.get(shape) ?? '')?.act ?? 'other'
}

/** An input that is really an object: a door may be handed anything. */
export function objectInput(input: unknown): JsonObject | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as JsonObject)
    : null
}
