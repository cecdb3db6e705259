/**
 * What a job must not see, wherever it lies: Pawl's own folder, and where people and their programs
 * store keys. A home is covered as a whole (`visible-home.ts`); this holds where a workspace is a
 * home, or a person lists too much.
 * Knows names. Must not know how they are hidden.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromAgentHosts } from '../core/hosts/registry.ts'
import { errorCodeOf } from '../runtime/error-code.ts'

/** Below the home of the user. */
const inHome = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.npmrc', '.pypirc'],
  ...['.git-credentials', '.pgpass', '.my.cnf', '.vault-token', '.password-store', '.terraform.d'],
  ...fromAgentHosts((host) => host.hiddenInHome),
  ...['.m2/settings.xml', '.config/gcloud', '.config/gh', '.config/git/credentials'],
  ...['.config/op', '.config/rclone', '.config/sops', '.config/hub', '.local/share/keyrings'],
  ...['.cargo/credentials', '.cargo/credentials.toml'],
  ...['.gem/credentials', '.bash_history', '.zsh_history', '.python_history', '.mozilla'],
  ...['.config/google-chrome', '.config/chromium', 'Library/Keychains'],
]
/** Of the machine; only root could read them anyway. */
const inSystem = [
  ...['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/sudoers.d', '/etc/ssh', '/etc/shadow-'],
  ...['/etc/gshadow-', '/etc/ssl/private', '/etc/krb5.keytab', '/etc/wireguard', '/etc/docker'],
  ...['/etc/kubernetes', '/etc/NetworkManager/system-connections', '/var/lib/docker'],
  ...['/var/lib/kubelet', '/var/lib/postgresql', '/var/lib/mysql', '/var/spool', '/var/backups'],
  ...['/var/log', '/var/mail'],
]
/** What tells agents what to do: a job may read it and not change it. */
export const guideNames = [
  '.pawl',
  ...fromAgentHosts((host) => host.readOnlyInWorkspace),
  ...['.git/hooks', '.git/config', '.git/config.worktree', '.git/commondir'],
]

export type HiddenPaths = {
  readonly userFolders: readonly string[]
  readonly own: readonly string[]
}

/** Files and folders to hide, by their real names, those that exist. */
export function hiddenPaths({ userFolders, own }: HiddenPaths): readonly string[] {
  const secrets = userFolders.flatMap((home) => inHome.map((name) => join(home, name)))
  return realPaths([...own, ...secrets, ...inSystem])
}

/** What of a workspace stays as it is. */
export function guidePaths(workspace: string): readonly string[] {
  return realPaths(guideNames.map((name) => join(workspace, name))).filter((path) =>
    path.startsWith(`${workspace}/`),
  )
}

/**
 * Folders between a workspace and what is covered or closed in it, the outer ones first. Whoever
 * could rename one would find it open at the next job.
 */
export function foldersBetween(workspace: string, kept: readonly string[]): readonly string[] {
  const between = new Set<string>()
  for (const path of kept) {
    if (!path.startsWith(`${workspace}/`)) continue
    for (let one = dirname(path); one.length > workspace.length; one = dirname(one)) {
      between.add(one)
    }
  }
  return [...between].sort((one, two) => one.length - two.length)
}

function realPaths(paths: readonly string[]): readonly string[] {
  const real = paths.flatMap((path) => {
    // What is not there needs no cover; asked for so, since a fault for each would take long.
    try {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return []
      return [realpathSync(path)]
    } catch (fault) {
      // Links in a circle lead nowhere, for a job as well.
      if (errorCodeOf(fault) === 'ELOOP') return []
      throw fault
    }
  })
  return [...new Set(real)]
}

const entriesMax = 20_000

/**
 * Everything below the root but the hidden, as few paths as can be: for a system where only what
 * may be seen can be named.
 */
export function visiblePaths(hidden: readonly string[]): readonly string[] {
  const visible: string[] = []
  const open = ['/']
  for (let count = 0; open.length > 0 && count < entriesMax; count += 1) {
    const path = open.pop() ?? '/'
    if (hidden.includes(path)) continue
    const near = path === '/' ? '/' : `${path}/`
    if (!hidden.some((one) => one.startsWith(near))) {
      visible.push(path)
      continue
    }
    for (const name of entriesOf(path)) open.push(`${near}${name}`)
  }
  return visible
}

function entriesOf(folder: string): readonly string[] {
  try {
    return statSync(folder).isDirectory() ? readdirSync(folder) : []
  } catch {
    // What we cannot list, the job cannot either.
    return []
  }
}
