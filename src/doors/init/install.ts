/**
 * The record of what `pawl init` wrote, shared by init, uninit, doctor and the daemon. Knows no
 * host's settings.
 */
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** The hooks of one host in one workspace. */
export type Install = {
  readonly workspace: string
  /** The hooks of a user, which count in every folder; `workspace` is the user's home. */
  readonly scope?: 'user'
  /** The hooks of a user that nobody asked for: they go with the last folder. Absent: they stay. */
  readonly withFolders?: true
  readonly host: AgentHostId
  /** Null: the host was not found, or did not tell. */
  readonly hostVersion: string | null
  readonly wire: 'http' | 'command'
  readonly at: number
  readonly files: readonly InstalledFile[]
  /** Folders that were made for the files, the outermost first. */
  readonly folders: readonly string[]
  /** Servers that stand behind the gateway now; absent: the host has no gateway. */
  readonly moved?: readonly Moved[]
}

/** An MCP server that was taken out of a host's file. */
export type Moved = {
  readonly file: string
  /** The member that holds the servers. */
  readonly key: string
  readonly name: string
  /** As it was. */
  readonly value: Json
  /** Its name and entry behind the gateway. */
  readonly as: string
  readonly entry: JsonObject
}

export type InstalledFile = {
  readonly path: string
  /** `entries` and `tables` of TOML: ours are among others; `whole`: all of it is ours. */
  readonly kind: 'entries' | 'tables' | 'whole'
  /** Of our entries in one spelling, or of the whole text: tells tampering from other edits. */
  readonly sha256: string
  /** Of the whole text as it was left: while it holds, `undo` gives back what was there before. */
  readonly after: string
  /** Null: there was no such file before. */
  readonly undo: Undo | null
  /** The permissions it had before; null: they were not changed. */
  readonly mode: number | null
}

/** One stretch of a text to put another in place of. */
export type Undo = { readonly start: number; readonly length: number; readonly text: string }

/** How a text becomes another one that differs in one stretch. */
export function undoOf(before: string, after: string): Undo {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let same = 0
  while (same < most - start && before.at(-1 - same) === after.at(-1 - same)) same += 1
  const text = before.slice(start, before.length - same)
  return { start, length: after.length - same - start, text }
}

/** The text before. */
export function undone(after: string, { start, length, text }: Undo): string {
  return `${after.slice(0, start)}${text}${after.slice(start + length)}`
}
