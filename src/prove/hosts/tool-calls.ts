/**
 * The actions that a guard has to stop, spelled as calls of a host's own tools. Each host defines
 * them in its own file. Must not know Pawl.
 */
import type { JsonObject } from '../../core/json.ts'
import type { ScriptedCall, Turn } from '../model/script.ts'

export type Edit = { readonly path: string; readonly before: string; readonly after: string }
type McpUse = { readonly server: string; readonly tool: string; readonly input: McpInput }
type McpInput = JsonObject

/** The same acts, spelled as the tools of one host. */
export type HostToolCalls = {
  readonly shell: (command: string) => ScriptedCall
  /** The same as a job that the host runs while its model goes on; null: it has none. */
  readonly background: ((command: string) => ScriptedCall) | null
  /** Null: the host has no tool for it beside the shell or a patch. */
  readonly read: ((path: string) => ScriptedCall) | null
  readonly write: ((path: string, text: string) => ScriptedCall) | null
  /** Takes several turns where a file has to be read before. */
  readonly edit: (edit: Edit) => readonly Turn[]
  /** A new file by a patch, as a tool of its own; the name is relative to the project. */
  readonly patch: ((name: string, line: string) => ScriptedCall) | null
  /** The same as text that the shell hands to a program. */
  readonly heredoc: (name: string, line: string) => ScriptedCall
  /** Null: the host has no tool that fetches a page by itself. */
  readonly fetch: ((url: string) => ScriptedCall) | null
  readonly mcp: (use: McpUse) => ScriptedCall
  readonly agent: (prompt: string) => ScriptedCall
  /** Ends a sub-agent. */
  readonly agentEnd: Turn
  /** Opens a terminal and types into it; null: the host has none. */
  readonly typing: ((typed: string) => readonly Turn[]) | null
}

/** A turn in which the model makes some calls. */
export function turnOf(...tools: readonly ScriptedCall[]): Turn {
  return { tools }
}

/** A turn in which the model ends. */
export const lastTurn: Turn = { text: 'done' }

/** A shell command that makes a file by a patch, from a here-document. */
export function gitPatch(name: string, line: string): string {
  return [
    `git apply <<'END'`,
    '--- /dev/null',
    `+++ b/${name}`,
    '@@ -0,0 +1 @@',
    `+${line}`,
    'END',
  ].join('\n')
}
