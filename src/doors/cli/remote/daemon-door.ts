/**
 * The daemon as the command line reaches it; passed in by `main`. Knows nothing of sockets or
 * files.
 */
import type { AgentHostId } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'

export type TokenRole = 'agent' | 'gateway' | 'person'

export type DaemonDoor = {
  /** The data directory. */
  readonly folder: string
  readonly socket: string
  /** Where it listens for hooks. */
  readonly hookSocket: string
  /** The daemon that serves it now; null: none does. */
  readonly find: () => FoundDaemon | null
  /** Sockets on which another program answers although no daemon runs. */
  readonly strangers: () => Promise<readonly string[]>
  readonly token: (role: TokenRole) => string
  /** Makes sure that one answers: starts it in the background where there is none. */
  readonly ensure: () => Promise<void>
  /** Asks it to end and waits until it has; null: there was none. */
  readonly stop: () => Promise<FoundDaemon | null>
  /** Is the daemon until somebody ends it; gives the exit code. */
  readonly serve: (wish: ServeWish, io: Io) => Promise<number>
  /** Is an MCP server on the standard streams until its client goes; gives the exit code. */
  readonly mcp: (wish: McpWish, io: Io) => Promise<number>
  /** Is a gateway on the standard streams until its client goes; gives the exit code. */
  readonly gateway: (wish: GatewayWish, io: Io) => Promise<number>
  /** Looks after the store itself, which no daemon may serve meanwhile. */
  readonly care: (task: CareTask, against: string | null) => Promise<CareReport>
  /** Removes the passkeys of a person, or everybody's, on record; gives how many. */
  readonly resetPasskeys: (person: string | null) => Promise<number>
  /** People with tokens of their own. */
  readonly people: () => Promise<PeopleDoor>
}

/**
 * Where to ask a daemon what it has noticed. WHY not on the socket: its file can be replaced while
 * the daemon runs, and its port cannot.
 */
export function ownAddress({
  socket,
  find,
}: DaemonDoor): { readonly url: string } | { readonly socket: string } {
  const url = find()?.http ?? null
  return url === null ? { socket } : { url }
}

/** What it means that somebody else answers on a socket. */
export function strangerText(socket: string): string {
  const what = `another program answers on \`${socket}\` although no daemon runs`
  return `${what}: calls are not held; end that program, then run \`pawl doctor\``
}

export type PeopleDoor = {
  readonly list: () => readonly { readonly name: string; readonly addedAt: number }[]
  /** Gives the token, which is not kept; with a file it is written there as well. */
  readonly add: (name: string, file: string | null) => string
  readonly remove: (name: string) => void
}

export type FoundDaemon = {
  readonly pid: number
  readonly version: string
  /** Null while it starts. */
  readonly http: string | null
  /** Where people open the page; absent while it starts. */
  readonly page?: string
}

export type ServeWish = {
  /** Null: as the configuration says. */
  readonly port: number | null
  /** What is said on the standard output beside the log file. */
  readonly voice: 'text' | 'json' | 'quiet'
  /** All but `nothing` have a scripted agent and a data directory of their own. */
  readonly shows: 'nothing' | 'sample' | 'large-sample' | 'demo'
}

export type McpWish = {
  /** Where the agent works, as an absolute path. */
  readonly workspace: string
  /** In front of the names of tools. */
  readonly prefix: string
  /** The host that starts it; null: not told. */
  readonly host: AgentHostId | null
  /** Which tools there are: all of them, or those for unattended routines. */
  readonly endpoint: 'runs' | 'process'
}

export type GatewayWish = {
  /** Where the agent works, as an absolute path. */
  readonly workspace: string
}

export type CareTask = 'rebuild' | 'check' | 'status' | 'anchor'

export type CareReport = {
  readonly store: string
  readonly runsCount: number
  readonly bytes: number
  /** Runs whose projections were rewritten. */
  readonly rebuiltCount: number
  /** Anchors that the store was checked against. */
  readonly anchorsCount?: number
  /** The anchor that was taken, as a line of text. */
  readonly anchor?: string
  /** What is wrong, a line for each. */
  readonly problems: readonly { readonly runId: string; readonly problem: string }[]
}

/** The daemon of this program. */
export function daemonOf(io: Io): DaemonDoor {
  if (io.daemon !== undefined) return io.daemon
  throw new PawlError('DAEMON_UNREACHABLE', 'this program has no data directory', {
    hint: 'start Pawl with `pawl`',
  })
}
