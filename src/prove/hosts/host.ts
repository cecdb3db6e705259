/**
 * What a driver of a host knows: how the real program is started without a person, with a home
 * of its own and a model on loopback. Each host has a file of its own.
 * Must not know Pawl's hooks or runs.
 */
import type { DeclaredPathId, PathId } from '../canaries.ts'
import type { ScriptedCall } from '../model/script.ts'
import type { HostToolCalls } from './tool-calls.ts'

/** Where a host is started. */
export type HostPlace = {
  /** The folder that the agent works in. */
  readonly project: string
  /** The home of the user and of the host's settings; never the real one. */
  readonly home: string
}

/** A server that the host is told about beside those in the project. */
export type McpServer = { readonly command: string; readonly args: readonly string[] }

type Sitting = HostPlace & {
  readonly modelUrl: string
  readonly prompt: string
  readonly mcp: Readonly<Record<string, McpServer>>
  /** `skipped`: Codex runs hooks that nobody trusted, as a hand-written one in a test. */
  readonly hookTrust: 'asked' | 'skipped'
  /** Goes on with the last session of the folder. */
  readonly isResumed: boolean
  /** Has a host that compacts new sessions only do so early. */
  readonly hasLittleRoom: boolean
  /** Has the host let its model send programs that make calls, if it can. */
  readonly isCodeMode: boolean
}

export type Driver = {
  /** Variables of the environment that keep the host to its own home. */
  readonly env: (place: HostPlace) => Readonly<Record<string, string>>
  /** Writes what the host needs in its home to start unasked; once, before `pawl init`. */
  readonly prepare: (place: HostPlace) => void
  readonly start: (sitting: Sitting) => Start
  readonly toolCalls: HostToolCalls
  /** A shell command inside of a program of code mode; null: it has none, or it is not tried. */
  readonly codeMode: ((command: string) => ScriptedCall) | null
  /** The tokens at which it compacts its context. */
  readonly compactsAt: number
  /** A resumed session is never compacted, so that is tried in a new one with little room. */
  readonly compactsNew?: boolean
  /** Paths that end in no hook of the host, whoever installs it, and what covers them. */
  readonly unenforceable: Readonly<Partial<Record<PathId, string>>>
  /** What is said without a try: how a host does it past its hooks; absent: it asks a hook. */
  readonly declared: Readonly<Partial<Record<DeclaredPathId, string>>>
}

/** A command line beside the name of the program. */
export type Start = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What an editor would send it (JSON-RPC), each when the one before is answered. */
  readonly requests?: readonly EditorRequest[]
}

export type EditorRequest = { readonly method: string; readonly params: object }
