/**
 * How each host's model does the things that a guard has to stop: the same acts, spelled as the
 * host's own tools. Knows tools and their inputs. Must not know Pawl.
 */
import type { JsonObject } from '../core/json.ts'
import type { HostName } from './hosts/host.ts'
import type { ScriptedCall, Turn } from './model/script.ts'

export type Edit = { readonly path: string; readonly before: string; readonly after: string }
export type McpUse = { readonly server: string; readonly tool: string; readonly input: McpInput }
type McpInput = JsonObject

export type Hand = {
  readonly shell: (command: string) => ScriptedCall
  /** Null: the host has no tool for it beside the shell or a patch. */
  readonly read: ((path: string) => ScriptedCall) | null
  readonly write: ((path: string, text: string) => ScriptedCall) | null
  /** Takes several turns where a file has to be read before. */
  readonly edit: (edit: Edit) => readonly Turn[]
  /** A new file by a patch, as a tool of its own; the name is relative to the project. */
  readonly patch: ((name: string, line: string) => ScriptedCall) | null
  /** The same as text that the shell hands to a program. */
  readonly heredoc: (name: string, line: string) => ScriptedCall
  readonly mcp: (use: McpUse) => ScriptedCall
  readonly agent: (prompt: string) => ScriptedCall
  /** Ends a sub-agent. */
  readonly agentEnd: Turn
  /** Opens a terminal and types into it; null: the host has none. */
  readonly typing: ((typed: string) => readonly Turn[]) | null
}

function one(...tools: readonly ScriptedCall[]): Turn {
  return { tools }
}

const end: Turn = { text: 'done' }

function gitPatch(name: string, line: string): string {
  return [
    `git apply <<'END'`,
    '--- /dev/null',
    `+++ b/${name}`,
    '@@ -0,0 +1 @@',
    `+${line}`,
    'END',
  ].join('\n')
}

const claude: Hand = {
  shell: (command) => ({ name: 'Bash', input: { command, description: 'work' } }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  edit: ({ path, before, after }) => [
    one({ name: 'Read', input: { file_path: path } }),
    one({
      name: 'Edit',
      input: { file_path: path, old_string: before, new_string: after },
    }),
  ],
  patch: null,
  heredoc: (name, line) => claude.shell(gitPatch(name, line)),
  mcp: ({ server, tool, input }) => ({ name: `mcp__${server}__${tool}`, input }),
  agent: (prompt) => ({
    name: 'Agent',
    input: {
      description: 'work',
      prompt,
      subagent_type: 'general-purpose',
      run_in_background: false,
    },
  }),
  agentEnd: end,
  typing: null,
}

const codex: Hand = {
  shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  read: null,
  write: null,
  edit: ({ path, before, after }) => [
    one(codexPatch([`*** Update File: ${path}`, '@@', `-${before}`, `+${after}`])),
  ],
  patch: (name, line) => codexPatch([`*** Add File: ${name}`, `+${line}`]),
  heredoc: (name, line) =>
    codex.shell(`apply_patch <<'END'\n${patchText([`*** Add File: ${name}`, `+${line}`])}END`),
  // Codex knows servers by names without dashes.
  mcp: ({ server, tool, input }) => {
    return { name: tool, namespace: `mcp__${server.replaceAll('-', '_')}`, input }
  },
  agent: (message) => ({ name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message } }),
  agentEnd: end,
  typing: (typed) => [
    one({ name: 'exec_command', input: { cmd: 'sh', tty: true, yield_time_ms: 500 } }),
    one({
      name: 'write_stdin',
      input: {
        session_id: { $last: 'session ID (\\d+)', as: 'number' },
        chars: `${typed}\nexit\n`,
        yield_time_ms: 1_000,
      },
    }),
  ],
}

function patchText(lines: readonly string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}

function codexPatch(lines: readonly string[]): ScriptedCall {
  return { name: 'apply_patch', kind: 'custom', input: patchText(lines) }
}

const gemini: Hand = {
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'work' } }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  edit: ({ path, before, after }) => [
    one({
      name: 'replace',
      input: { file_path: path, instruction: 'work', old_string: before, new_string: after },
    }),
  ],
  patch: null,
  heredoc: (name, line) => gemini.shell(gitPatch(name, line)),
  mcp: ({ server, tool, input }) => ({ name: `mcp_${server}_${tool}`, input }),
  agent: (prompt) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }),
  agentEnd: one({ name: 'complete_task', input: { result: { response: 'done' } } }),
  typing: null,
}

const opencode: Hand = {
  shell: (command) => ({ name: 'bash', input: { command, description: 'work' } }),
  read: (path) => ({ name: 'read', input: { filePath: path } }),
  write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
  edit: ({ path, before, after }) => [
    one({ name: 'read', input: { filePath: path } }),
    one({ name: 'edit', input: { filePath: path, oldString: before, newString: after } }),
  ],
  patch: null,
  heredoc: (name, line) => opencode.shell(gitPatch(name, line)),
  mcp: ({ server, tool, input }) => ({ name: `${server}_${tool}`, input }),
  agent: (prompt) => ({
    name: 'task',
    input: { description: 'work', prompt, subagent_type: 'general' },
  }),
  agentEnd: end,
  typing: null,
}

export const hands: Readonly<Record<HostName, Hand>> = { claude, codex, gemini, opencode }
