/**
 * What a verb of the command line can access, and what a verb is.
 * Must not know what any verb does.
 */
import type { SetupDoor } from '../init/setup-door.ts'
import type { DoctorDoor } from './doctor/doctor-door.ts'
import type { VerbHelp } from './help.ts'
import type { DaemonDoor } from './remote/daemon-door.ts'

export type Io = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Output that is not text, byte by byte; absent: only text can be printed. */
  readonly bytes?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void
  /** Colours and clearing only where a person looks. */
  readonly hasColour: boolean
  readonly isTerminal: boolean
  readonly columns: number
  readonly cwd: string
  readonly input: NodeJS.ReadableStream
  /** Absent: there is no data directory to work on, as in a test of a verb by itself. */
  readonly daemon?: DaemonDoor
  /** What `pawl init` needs of the program; absent as the daemon may be. */
  readonly setup?: () => Promise<SetupDoor>
  /** Proves what is held; absent as the daemon may be. */
  readonly doctor?: () => Promise<DoctorDoor>
  /** The environment, which tells whether an agent's host has started this; absent: empty. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Shows an address to the person, where there is a desktop; absent: nowhere to show it. */
  readonly openUrl?: (url: string) => void
  /** Runs a box in this terminal; gives the exit code. Absent as `daemon` is. */
  readonly runBox?: (box: {
    readonly helper: string
    readonly words: readonly string[]
  }) => Promise<number>
  /** Carries what a host gave to its hook to the daemon. Never rejects; absent as `daemon` is. */
  readonly askHook?: (ask: HookCommandRequest) => Promise<HookAnswer>
}

export type HookCommandRequest = {
  readonly host: string
  readonly workspace: string | null
  /** The hook of a user, which is started in every folder. */
  readonly scope?: 'user'
}
type HookAnswer = {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export type Verb = {
  readonly help: VerbHelp
  /** Runs the verb; gives the exit code: 0 done, 1 findings or failures, 2 could not do it. */
  readonly run: (args: readonly string[], io: Io) => Promise<number>
}

/** A verb in the table of verbs. */
export type VerbEntry = {
  readonly name: string
  /** One line for the list of verbs and the first line of the verb's help. */
  readonly summary: string
  /** Called by agent hosts, not by people; help lists it only with `--all`. */
  readonly isInternal?: true
  readonly load: () => Promise<Verb>
}
