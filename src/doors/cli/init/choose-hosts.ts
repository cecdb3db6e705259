/** Which hosts a command line means: those it names, otherwise those installed here. */
import { realpathSync } from 'node:fs'
import { type AgentHostId, agentHostIds, agentHosts } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { type FoundHost, findHosts } from '../../init/find-hosts.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import { userHome } from '../../init/user-files.ts'
import type { Io } from '../io.ts'
import { oneWord } from '../options.ts'

/** What init needs of the program; a fault where it was not given. */
export async function setupOf({ setup }: Io): Promise<SetupDoor> {
  if (setup !== undefined) return setup()
  throw new PawlError('DAEMON_UNREACHABLE', 'this program has no data directory', {
    hint: 'start Pawl with `pawl`',
  })
}

/** The folder that hooks are put into: the current one, as it is really called. */
export function initWorkspace(io: Io): string {
  return realpathSync(io.cwd)
}

/** Where hooks are put: into a folder, or into the settings of the user for every folder. */
export type InitPlace = {
  readonly workspace: string
  readonly scope?: 'user'
  /** A folder needs them, and nobody asked for them. */
  readonly withFolders?: true
}

/** The home of the user, in whose settings hooks for every folder are. */
export function userPlace({ env }: SetupDoor): InitPlace {
  return { workspace: realpathSync(userHome(env)), scope: 'user' }
}

/** Whether a host reads no hooks of a folder, so that those of its user have to hold it there. */
export function hasUserHooksOnly(host: AgentHostId): boolean {
  return typeof agentHosts[host].hooksFile !== 'string'
}

type HostChoice = {
  readonly names: readonly string[]
  readonly workspace: string
  /** Whether a host is meant where none is named. */
  readonly isMeant: (found: FoundHost) => boolean
}

/** The hosts that are named; without names, those that are meant. */
export async function chooseHosts(
  verb: string,
  { names, workspace, isMeant }: HostChoice,
  { env }: SetupDoor,
): Promise<readonly FoundHost[]> {
  const wanted = new Set(names.map((name) => oneWord(verb, name, agentHostIds)))
  const found = await findHosts(workspace, env)
  return found.filter((one) => (names.length === 0 ? isMeant(one) : wanted.has(one.name)))
}
