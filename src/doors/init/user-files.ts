/**
 * The hooks of a user, which a host asks in every folder: the same hooks as those of a workspace,
 * in the file that the host reads everywhere, and nothing beside them.
 */
import { homedir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { type AgentHostId, agentHosts } from '../../core/hosts/registry.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { DesiredFile, SetupContext } from './desired-files.ts'
import { hostSetups } from './hosts/host-setups.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The home of the user, in which hosts keep their settings. */
export function userHome(env: Environment): string {
  const named = env.HOME ?? ''
  return isAbsolute(named) ? named : homedir()
}

/** The file that a host reads everywhere: from the home of the user on, else absolute. */
export function userFileOf(host: AgentHostId, home: string, env: Environment): string {
  const { userHooks, title } = agentHosts[host]
  if ('none' in userHooks) {
    throw new PawlError('USAGE', `${title} has no hooks for every folder: ${userHooks.none}`)
  }
  const { folder, variable, file } = userHooks
  const named = 'none' in variable ? '' : (env[variable.name] ?? '')
  const below = 'none' in variable ? '' : variable.below
  const path = isAbsolute(named) ? join(named, below, file) : join(home, folder, file)
  const inside = relative(home, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside
}

/** What goes into it: the hooks of a folder, unless the host has those of its user only. */
export function userFiles(
  host: AgentHostId,
  path: string,
  setting: SetupContext,
): readonly DesiredFile[] {
  const { hooksFile } = agentHosts[host]
  const wanted = typeof hooksFile === 'string' ? hooksFile : path
  return hostSetups[host]
    .wants(setting)
    .filter((file) => file.path === wanted)
    .map(({ content }) => {
      if (content.kind !== 'json') return { path, mode: 'plain', content }
      // The server and the rest are for folders that Pawl guards.
      const entries = content.entries.filter(
        (entry) => entry.kind === 'need' || (entry.kind === 'item' && entry.path[0] === 'hooks'),
      )
      return { path, mode: 'plain', content: { ...content, entries } }
    })
}
