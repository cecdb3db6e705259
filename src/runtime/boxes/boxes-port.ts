/** Sessions of hosts in boxes, as doors see them. */

import type { RanPrograms } from '../../core/engine/call.ts'
import type { StageFiles } from '../../core/engine/stage-files.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { IsolationLevel } from '../../core/machine/isolation-levels.ts'

/** What a person starts in a box. */
export type BoxWish = {
  readonly runId: string
  /** Null: some other program, which asks no hooks. */
  readonly host: AgentHostId | null
  readonly program: readonly string[]
  /** In the workspace of the run. */
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Files for the folder with the sockets, by name: settings of the host. */
  readonly files: Readonly<Record<string, string>>
  /** Files that guide agents, and the text with which the box shows them. */
  readonly settingsFiles: readonly { readonly path: string; readonly text: string }[]
  /** What has to be visible for the program to run. */
  readonly programPaths: readonly string[]
  /** The address that leads the host to its model; null: as its descriptor says. */
  readonly modelUrl: string | null
  /** Other servers that it may connect to: a host, or a host and a port. */
  readonly connect: readonly string[]
}

/** A box that waits for its caller to start it. */
export type OpenedBox = {
  readonly id: string
  /** The program that makes it, and what it is told. */
  readonly helper: string
  readonly words: readonly string[]
  readonly level: IsolationLevel
  readonly mode: StageFiles['mode']
  /** What is weaker here than it could be. */
  readonly notes: readonly string[]
}

/** What the box of a session knows that its hooks do not. */
export type BoxHints = {
  /** How files are open now. */
  readonly files: () => StageFiles
  /** Servers to which connections were refused since this was asked last. */
  readonly takeRefused: () => readonly string[]
  /** Programs that start from now on may be those of the call with this key. Never rejects. */
  readonly beginPrograms: (key: string) => Promise<void>
  /** What has started since; null: nothing, or nobody knows. Never rejects. */
  readonly endPrograms: (key: string) => Promise<RanPrograms | null>
}

export type BoxSummary = {
  readonly id: string
  readonly runId: string
  readonly host: string | null
  readonly workspace: string
  readonly startedAt: number
  readonly mode: StageFiles['mode']
}

export type Boxes = {
  /** Fault `SpawnFailed`: this machine has no boxes, or the workspace cannot be in one. */
  readonly open: (wish: BoxWish) => Promise<OpenedBox>
  readonly list: () => readonly BoxSummary[]
}
