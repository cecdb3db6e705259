/**
 * Where the programs of hosts are on this machine.
 * Knows files. Must not start a session.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type AgentHostId, agentHosts, type ProvableHostId } from '../../core/hosts/registry.ts'

export type HostProgram = {
  readonly name: ProvableHostId
  readonly program: string
  /** Null: it did not say. */
  readonly version: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

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

/** A PATH on which hosts that are scripts of Node find ours first. */
export function hostPath(env: Environment): string {
  return [dirname(process.execPath), env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter)
}
