/** What init needs from the program and its data directory. */
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { Install } from './install.ts'

export type SetupDoor = {
  /** The program that runs Pawl, and Pawl itself. */
  readonly node: string
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The data directory. */
  readonly home: string
  /** The shell text of a hook that asks Pawl, and what becomes of a step when that fails. */
  readonly hookCommand: (hook: {
    /** Where the client is; absent: in the data directory. */
    readonly bin?: string
    readonly host: AgentHostId
    /** Null: the hook of a user, for every folder. */
    readonly workspace: string | null
    readonly failure: 'blocks' | 'passes'
  }) => string
  /** Puts what hooks and jobs call into the data directory, or newer ones in their place. */
  readonly installPrograms: () => Promise<void>
  /** The secret for hooks of a folder; null: the data directory has no key yet. */
  readonly hookSecret: (workspace: string) => string | null
  /** The port that HTTP hooks are told; 0: none was set. */
  readonly readPort: () => number
  readonly keepPort: (port: number) => void
  readonly readInstalls: () => readonly Install[]
  readonly writeInstalls: (installs: readonly Install[]) => void
  /** What is wrong with the settings of the machine, a line for each. */
  readonly settingsProblems: () => readonly string[]
}
