/**
 * Whether what holds the hosts is still what Pawl has put there: the client of hooks, by its hash,
 * the sockets of the daemon, and no setting of any scope that switches hooks off.
 */
import { lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type AgentHostId, agentHosts } from '../core/hosts/registry.ts'
import { offSwitchIn } from '../doors/init/check-install.ts'
import type { Home } from '../home/home.ts'
import { readStamp } from './install-program.ts'
import { fileHash } from './native-programs.ts'

/** What is wrong with the client of hooks; null: it is as it was installed, or never was. */
export function openClientCheck(home: Home): () => string | null {
  const path = join(home.bin, 'pawl-hook')
  let last = { key: '', problem: null as string | null }
  return () => {
    const stamp = readStamp(join(home.bin, 'hook.stamp'))
    if (stamp === null) return null
    const stats = statSync(path, { throwIfNoEntry: false })
    // WHY with the time of the change: a program can set the other time as it likes.
    const key = `${stats?.ino} ${stats?.size} ${stats?.ctimeMs} ${stats?.mode} ${stamp.sha256}`
    if (key !== last.key) last = { key, problem: clientProblem(path, stats?.mode, stamp.sha256) }
    return last.problem
  }
}

function clientProblem(path: string, mode: number | undefined, wanted: string): string | null {
  const again = 'run `pawl stop`, then `pawl doctor`'
  if (mode === undefined) return `the hook client \`${path}\` is gone: ${again}`
  if ((mode & 0o100) === 0) return `the hook client \`${path}\` cannot be run: ${again}`
  return fileHash(path) === wanted ? null : `the hook client \`${path}\` was replaced: ${again}`
}

/** What is wrong with sockets that are the daemon's now; nothing: they still are. */
export function openSocketCheck(paths: readonly string[]): () => readonly string[] {
  const own = paths.map((path) => ({ path, file: fileAt(path) }))
  return () =>
    own.flatMap(({ path, file }) => {
      const now = fileAt(path)
      if (now === file) return []
      const what = now === null ? 'is gone' : 'was replaced, and another program may answer hooks'
      return [`the socket \`${path}\` ${what}: run \`pawl stop\`, then \`pawl doctor\``]
    })
}

/** WHY this is enough: as long as we listen there, the system gives its number to no other file. */
function fileAt(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev} ${stats.ino}`
}

type HostFolder = { readonly host: AgentHostId; readonly workspace: string }

/** Settings of other scopes that a host reads as well. */
export function otherSettingsOf({ host, workspace }: HostFolder): readonly string[] {
  const { otherSettings } = agentHosts[host]
  if ('none' in otherSettings) return []
  return otherSettings.map((name) => {
    const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : name
    return path.startsWith('/') ? path : join(workspace, path)
  })
}

/** Files of other scopes in which a host was told not to use hooks. */
export function switchedOff(
  install: HostFolder,
  read: (path: string) => string | null,
): readonly string[] {
  return otherSettingsOf(install).flatMap((path) => {
    const text = read(path)
    const off = text === null ? null : offSwitchIn(text)
    const inside = `${install.workspace}/`
    const shown = path.startsWith(inside) ? path.slice(inside.length) : path
    return off === null ? [] : [`\`${shown}\` has ${off}`]
  })
}
