/**
 * All that is to be done for one host in one workspace. Reads files, writes none.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkInstall } from './check-install.ts'
import type { FoundHost } from './find-hosts.ts'
import { excludeFile } from './git-exclude.ts'
import { hosts } from './hosts/hosts.ts'
import type { HostName, Install, InstalledFile } from './install.ts'
import { type Plan, type PlannedFile, planInit, planUninit, type ReadFile } from './plan.ts'
import type { SetupDoor } from './setup-door.ts'
import type { Host, Setting } from './wanted.ts'
import { readWorkspaceFile } from './write-files.ts'

export type HostPlan = Plan & {
  readonly host: Host
  readonly found: FoundHost
  readonly workspace: string
  /** What was written last time; null: nothing. */
  readonly known: Install | null
  readonly wire: 'http' | 'command'
}

/** Plans for several hosts, each for what the ones before it will have left. */
export function planHosts(
  found: readonly FoundHost[],
  wish: HostWish,
  planOne: (found: FoundHost, wish: HostWish, readFile: ReadFile) => HostPlan,
): readonly HostPlan[] {
  const { workspace } = wish
  const planned = new Map<string, string | null>()
  const readFile: ReadFile = (path) => {
    const text = planned.get(path)
    return text === undefined ? readWorkspaceFile(workspace, path) : text
  }
  return found.map((one) => {
    const plan = planOne(one, wish, readFile)
    for (const { path, after } of plan.files) planned.set(path, after)
    return plan
  })
}

export type HostWish = {
  readonly setup: SetupDoor
  readonly workspace: string
  readonly http: Setting['http']
  readonly installs: readonly Install[]
}

/** What brings a host under Pawl. */
export function planHost(found: FoundHost, wish: HostWish, readFile: ReadFile): HostPlan {
  const { workspace } = wish
  const host = hosts[found.name]
  const setting = settingOf(found, wish)
  const known = installOf(wish.installs, workspace, found.name)
  const plan = planInit(host.wants(setting), withoutExclude(known), readFile)
  const exclude = excludeFile(workspace, found.name, madeBy(plan.files, workspace))
  const more = exclude === null ? null : planInit([exclude], onlyExclude(known), readFile)
  const files = [...plan.files, ...(more?.files ?? [])]
  const off = checkInstall(installFrom(files, { host: found.name, workspace }), (path) => {
    return files.find((one) => one.path === path)?.after ?? null
  })
  return {
    host,
    found,
    workspace,
    known,
    wire: host.wireOf(setting),
    files,
    remarks: [
      ...plan.remarks,
      ...host.remarks(setting),
      ...off.map(({ message }) => `${message}: its hooks will not run`),
    ],
  }
}

/** What takes Pawl out of a host again. */
export function planHostRemoval(found: FoundHost, wish: HostWish, readFile: ReadFile): HostPlan {
  const { workspace } = wish
  const host = hosts[found.name]
  const setting = settingOf(found, wish)
  const known = installOf(wish.installs, workspace, found.name)
  const exclude = excludeFile(workspace, found.name, [])
  const wanted = [...host.wants(setting), ...(exclude === null ? [] : [exclude])]
  const plan = planUninit(wanted, known, readFile)
  return { host, found, workspace, known, wire: host.wireOf(setting), ...plan }
}

/** Whether a host is as it should be already. */
export function isDone({ files }: HostPlan): boolean {
  return files.every(({ before, after }) => before === after)
}

/** The install of a host in a workspace; null: there is none. */
export function installOf(
  installs: readonly Install[],
  workspace: string,
  host: HostName,
): Install | null {
  return installs.find((one) => one.workspace === workspace && one.host === host) ?? null
}

function settingOf({ name, version }: FoundHost, { setup, workspace, http }: HostWish): Setting {
  return {
    workspace,
    version,
    node: setup.node,
    program: setup.program,
    home: setup.home,
    hookCommand: setup.hookCommand({ host: name, workspace, failure: 'blocks' }),
    stopCommand: setup.hookCommand({ host: name, workspace, failure: 'passes' }),
    http,
    isThere: (path) => existsSync(join(workspace, path)),
  }
}

/** Files of the workspace that are there because of us. */
function madeBy(files: readonly PlannedFile[], workspace: string): readonly string[] {
  return files
    .filter(({ note, path }) => note?.undo === null && !path.startsWith(workspace))
    .map(({ path }) => path)
}

const isExclude = ({ path }: InstalledFile): boolean => path.endsWith('info/exclude')

function withoutExclude(known: Install | null): Install | null {
  return known && { ...known, files: known.files.filter((one) => !isExclude(one)) }
}

function onlyExclude(known: Install | null): Install | null {
  return known && { ...known, files: known.files.filter(isExclude) }
}

function installFrom(
  files: readonly PlannedFile[],
  who: { readonly host: HostName; readonly workspace: string },
): Install {
  const notes = files.flatMap(({ note }) => (note === null ? [] : [{ ...note, mode: null }]))
  return { ...who, hostVersion: null, wire: 'command', at: 0, files: notes, folders: [] }
}
