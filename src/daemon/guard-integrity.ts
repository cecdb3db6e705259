/**
 * Whether what holds the hosts is still what Pawl has put there: the client of hooks, by its hash,
 * and no setting of any scope that switches hooks off.
 */
import { statSync } from 'node:fs'
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

/** Files of other scopes in which a host was told not to use hooks. */
export function switchedOff(
  { host, workspace }: { readonly host: AgentHostId; readonly workspace: string },
  read: (path: string) => string | null,
): readonly string[] {
  const { otherSettings } = agentHosts[host]
  if ('none' in otherSettings) return []
  return otherSettings.flatMap((name) => {
    const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : name
    const text = read(path.startsWith('/') ? path : join(workspace, path))
    const off = text === null ? null : offSwitchIn(text)
    return off === null ? [] : [`\`${path}\` has ${off}`]
  })
}
