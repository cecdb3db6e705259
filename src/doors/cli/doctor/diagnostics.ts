/**
 * What `pawl doctor` finds without starting a session: the program, its daemon, the hosts, and
 * whether Pawl's hooks are in force here.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, openClient } from '../../../client/open-client.ts'
import { type AgentHostId, agentHosts } from '../../../core/hosts/registry.ts'
import { knownPrices } from '../../../core/prices.ts'
import { readPrices } from '../../../runtime/costs/prices.ts'
import type { Isolation } from '../../../runtime/jobs/jobs-port.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { PawlProblem } from '../../api/problem.ts'
import { checkInstall, type InstallProblem } from '../../init/check-install.ts'
import { type FoundHost, findHosts } from '../../init/find-hosts.ts'
import { hostSetups } from '../../init/hosts/host-setups.ts'
import { installOf } from '../../init/plan-host.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import { readWorkspaceFile } from '../../init/write-files.ts'
import { hasUserHooksOnly, initWorkspace, setupOf, userPlace } from '../init/choose-hosts.ts'
import type { Io } from '../io.ts'
import { daemonOf, ownAddress, strangerText } from '../remote/daemon-door.ts'
import { versionText } from '../version.ts'

export type HostState = {
  readonly host: AgentHostId
  readonly program: string | null
  readonly version: string | null
  /** How its hooks reach Pawl in this folder; null: none were put here. */
  readonly wire: 'http' | 'command' | null
  /** The hooks of the user, which hold what the hooks of a folder do not reach. */
  readonly user: 'none' | 'active' | 'broken'
  /** What is wrong with them; nothing: they are in force. */
  readonly problems: readonly string[]
  /** What hooks cannot enforce on this host. */
  readonly limits: readonly string[]
}

export type Diagnostics = {
  readonly version: string
  readonly node: string
  readonly workspace: string
  readonly folder: string
  /** Null: none is running, which is fine: hooks start it. */
  readonly daemon: { readonly pid: number; readonly version: string } | null
  readonly problems: readonly string[]
  /** What the daemon has noticed: changed hooks, and attempts that it refused. */
  readonly noticed: readonly string[]
  /** How jobs are isolated here; a text: why that is unknown. */
  readonly jobs: Isolation | string
  readonly hosts: readonly HostState[]
}

/** Looks at this machine and this folder; changes nothing. */
export async function collectDiagnostics(io: Io): Promise<Diagnostics> {
  const setup = await setupOf(io)
  const workspace = initWorkspace(io)
  const version = versionText()
  const running = daemonOf(io).find()
  const found = await findHosts(workspace, setup.env)
  const hosts = await Promise.all(found.map((one) => stateOf(one, workspace, setup)))
  const isUsed = hosts.some(({ wire }) => wire !== null)
  const client = join(setup.home, 'bin', 'pawl-hook')
  const strangers = running === null ? await daemonOf(io).strangers() : []
  const problems = [
    ...strangers.map(strangerText),
    ...(running !== null && running.version !== version
      ? [`the daemon is version ${running.version}, this program is ${version}: run \`pawl stop\``]
      : []),
    ...(isUsed && !existsSync(client)
      ? ['the hook client is missing, so every call is blocked: run `pawl init` again']
      : []),
    ...setup.settingsProblems(),
    ...pricesProblems(workspace),
  ]
  return {
    ...{ version, workspace, problems, hosts, folder: setup.home },
    noticed: running === null ? [] : await noticedBy(io),
    jobs: running === null ? 'unknown: no daemon is running' : await isolationHere(io),
    node: process.version,
    daemon: running === null ? null : { pid: running.pid, version: running.version },
  }
}

function pricesProblems(workspace: string): readonly string[] {
  try {
    readPrices(join(workspace, '.pawl'), knownPrices)
    return []
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    return [`${fault.message}; ${fault.hint}`]
  }
}

/** A daemon that runs is asked; it tries by a real job. */
function isolationHere(io: Io): Promise<Isolation | string> {
  return askDaemon(io, (client) => client.call('jobs.isolation', {}))
}

/** What a daemon that runs has noticed: changed hooks, and attempts that it refused. */
async function noticedBy(io: Io): Promise<readonly string[]> {
  const answer = await askDaemon(io, (client) => client.call('status', {}))
  return typeof answer === 'string' ? [answer] : answer.found
}

/** Its answer, or why there is none. */
async function askDaemon<T>(io: Io, ask: (client: Client) => Promise<T>): Promise<T | string> {
  const daemon = daemonOf(io)
  const client = openClient({ ...ownAddress(daemon), token: daemon.token('agent'), retriesMax: 0 })
  try {
    return await ask(client)
  } catch (fault) {
    if (!(fault instanceof PawlProblem)) throw fault
    return fault.detail
  } finally {
    client.close()
  }
}

async function stateOf(found: FoundHost, workspace: string, setup: SetupDoor): Promise<HostState> {
  const { name: host, program, version } = found
  const own = installOf(setup.readInstalls(), { host, workspace }) ?? undefined
  const { limits } = agentHosts[host]
  const { user, problems: userProblems } = userState(host, setup)
  const whose = { host, program, version, user, limits }
  if (own === undefined) return { ...whose, wire: null, problems: userProblems }
  const broken = checkInstall(own, (path) => readWorkspaceFile(workspace, path))
  const isFree = user === 'none' && hasUserHooksOnly(host)
  const problems = [
    ...userProblems,
    ...(isFree ? [`the hooks of its user are missing: run \`pawl init ${host}\``] : []),
    ...broken.map(problemText),
    ...((await hostSetups[host].trust?.problems({ program, workspace, env: setup.env })) ?? []),
  ]
  return { ...whose, wire: own.wire, problems }
}

/** What is wrong, and what to do: a file that was damaged is for its owner to mend. */
function problemText({ kind, message }: InstallProblem): string {
  const isOurs = kind === 'missing' || kind === 'changed'
  return isOurs
    ? `${message}: run \`pawl init --restore\``
    : `not guarded: ${message}; correct that file`
}

type UserState = Pick<HostState, 'user' | 'problems'>

function userState(host: AgentHostId, setup: SetupDoor): UserState {
  const install = installOf(setup.readInstalls(), { host, ...userPlace(setup) })
  if (install === null) return { user: 'none', problems: [] }
  const broken = checkInstall(install, (path) => readWorkspaceFile(install.workspace, path))
  const problems = broken.map(problemText)
  return { user: problems.length === 0 ? 'active' : 'broken', problems }
}
