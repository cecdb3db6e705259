/**
 * Where the programs of hosts are on this machine, and which versions they are.
 * Knows files and processes. Must not start a session.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import {
  type AgentHostId,
  agentHosts,
  fromAgentHosts,
  type ProvableHostId,
} from '../../core/hosts/registry.ts'

export type HostProgram = {
  readonly name: ProvableHostId
  readonly program: string
  /** Null: it did not say. */
  readonly version: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

const versionMsMax = 20_000

/**
 * The program of a host: in the folder that `PAWL_HOSTS_ROOT` names, else on the PATH, else where
 * `npm run test:hosts` installs it.
 */
export function findProgram(name: ProvableHostId, env: Environment): string | null {
  const named = env.PAWL_HOSTS_ROOT ?? ''
  const places = [
    ...(named === '' ? [] : [installedProgram(named, name)]),
    ...(env.PATH ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, agentHosts[name].program)),
    installedProgram(hostsRoot(env), name),
  ]
  return places.find(isProgram) ?? null
}

/** Where programs are installed for tests; each in a folder of its own. */
export function hostsRoot(env: Environment): string {
  const named = env.PAWL_HOSTS_ROOT ?? ''
  return named === '' ? join(env.HOME ?? '/', '.cache', 'pawl-clients', 'pk') : named
}

/** The program of a host that npm has put under a root. */
export function installedProgram(root: string, name: AgentHostId): string {
  return join(root, name, 'node_modules', '.bin', agentHosts[name].program)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not there, or not ours to start: no program.
    return false
  }
}

/** The version of a program: of the package that npm brought it with, else as it says itself. */
export async function versionOf(program: string, env: Environment): Promise<string | null> {
  return packageVersion(realpathOr(program)) ?? (await toldVersion(program, env))
}

const hostPackages = fromAgentHosts((host) => host.packages)

/** WHY: a host takes seconds to say its own version, and a proof has a minute. */
function packageVersion(file: string): string | null {
  const folder = dirname(file)
  if (folder === file) return null
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (hostPackages.includes(name)) return version
  } catch {
    // No package here; perhaps one above.
  }
  return packageVersion(folder)
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Not there: whoever starts it will be told.
    return path
  }
}

async function toldVersion(program: string, env: Environment): Promise<string | null> {
  const child = spawn(program, ['--version'], {
    env: { ...env, PATH: hostPath(env) },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: versionMsMax,
    killSignal: 'SIGKILL',
  })
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  await new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    child.on('error', () => resolve())
  })
  return /\d+\.\d+\.\d+[\w.-]*/.exec(said)?.[0] ?? null
}

/** A PATH on which hosts that are scripts of Node find ours first. */
export function hostPath(env: Environment): string {
  return [dirname(process.execPath), env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter)
}
