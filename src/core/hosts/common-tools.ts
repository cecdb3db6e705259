/**
 * The tools that several hosts have, under the names used in definitions and messages.
 * Knows what each one does. Must not know how a host spells it.
 */
import type { ToolAction } from '../engine/types.ts'

type ToolKind = { readonly act: ToolAction; readonly capability: string }

const tools = {
  Bash: { act: 'shell', capability: 'bash' },
  PowerShell: { act: 'shell', capability: 'powershell' },
  Monitor: { act: 'shell', capability: 'bash' },
  'process.run': { act: 'shell', capability: 'process.run' },
  'process.monitor': { act: 'other', capability: 'process.monitor' },
  'process.kill': { act: 'other', capability: 'process.kill' },
  'process.list': { act: 'other', capability: 'process.list' },
  'process.logs': { act: 'other', capability: 'process.logs' },
  Read: { act: 'read', capability: 'read' },
  Edit: { act: 'edit', capability: 'edit' },
  MultiEdit: { act: 'edit', capability: 'edit' },
  NotebookEdit: { act: 'edit', capability: 'edit' },
  Delete: { act: 'edit', capability: 'edit' },
  Move: { act: 'edit', capability: 'edit' },
  MakeDirectory: { act: 'write', capability: 'write' },
  Write: { act: 'write', capability: 'write' },
  Grep: { act: 'search', capability: 'search' },
  Glob: { act: 'search', capability: 'search' },
  LS: { act: 'search', capability: 'search' },
  WebFetch: { act: 'web', capability: 'web' },
  WebSearch: { act: 'web', capability: 'web' },
  Agent: { act: 'agent', capability: 'agent' },
  TodoWrite: { act: 'other', capability: 'todo' },
  Skill: { act: 'other', capability: 'skill' },
  AskUserQuestion: { act: 'other', capability: 'question' },
} as const satisfies Readonly<Record<string, ToolKind>>

export type CommonTool = keyof typeof tools

/** What each common tool does, and the capability that policies know it by. */
export const commonTools: Readonly<Record<CommonTool, ToolKind>> = tools

/** WHY the cast: the keys of a literal are its names, which the type of `keys` does not say. */
export const commonToolNames = Object.keys(tools) as readonly CommonTool[]
