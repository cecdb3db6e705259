/** Plans everything to do for one host in one workspace. Reads files, writes none. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { checkInstall } from './check-install.ts'
import type { DesiredFile, SetupContext } from './desired-files.ts'
import type { FoundHost } from './find-hosts.ts'
import { gatewayPath, gatewayWith, gatewayWithout, moveServers } from './gateway-servers.ts'
import { excludeFile } from './git-exclude.ts'
import { hostSetups } from './hosts/host-setups.ts'
import type { Install, InstalledFile, Moved } from './install.ts'
import {
  baseFolderOf,
  type FilePlan,
  type PlannedFile,
  planInit,
  planUninit,
  type ReadFile,
} from './plan-files.ts'
import type { SetupDoor } from './setup-door.ts'
import { userFileOf, userFiles } from './user-files.ts'
import { readWorkspaceFile } from './write-files.ts'

export type HostPlan = FilePlan & {
  readonly host: AgentHostId
  readonly found: FoundHost
  readonly workspace: string
  /** The hooks of the user, for every folder; `workspace` is the user's home. */
  readonly scope?: 'user'
  /** They are written, and removed, with the hooks of folders. */
  readonly withFolders?: true
  /** What was written last time; null: nothing. */
  readonly known: Install | null
  readonly wire: 'http' | 'command'
  /** Servers that stand behind the gateway; absent: the host has no gateway. */
  readonly moved?: readonly Moved[]
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

type HostWish = {
  readonly setup: SetupDoor
  readonly workspace: string
  readonly http: SetupContext['http']
  readonly installs: readonly Install[]
  /** The hooks of the user; `workspace` is the user's home. */
  readonly scope?: 'user'
  /** A folder needs them, and nobody asked for them. */
  readonly withFolders?: true
  /** `stays`: as it was last time. */
  readonly gateway?: 'wanted' | 'stays'
}

/** What brings a host under Pawl. */
export function planHost(found: FoundHost, wish: HostWish, readFile: ReadFile): HostPlan {
  const { workspace } = wish
  const { wireOf, remarks: remarksOn } = hostSetups[found.name]
  const setting = settingOf(found, wish)
  const known = installOf(wish.installs, { ...wish, host: found.name })
  const before = withoutExclude(known)
  const moving = movingOf(wantedFiles(found.name, setting), { wish, known: before, readFile })
  const plan = planInit(moving.wanted, before, readFile)
  const made = madeBy(plan.files, workspace)
  const exclude = wish.scope === 'user' ? null : excludeFile(workspace, found.name, made)
  const more = exclude === null ? null : planInit([exclude], onlyExclude(known), readFile)
  const files = [...plan.files, ...(more?.files ?? []), ...moving.files]
  const off = checkInstall(installFrom(files, { host: found.name, workspace }), (path) => {
    return files.find((one) => one.path === path)?.after ?? null
  })
  return {
    host: found.name,
    found,
    workspace,
    ...scopeOf(wish),
    known,
    wire: wireOf(setting),
    files,
    ...(moving.moved === null ? {} : { moved: moving.moved }),
    remarks: [
      ...plan.remarks,
      ...moving.remarks,
      ...remarksOn(setting),
      ...off.map(({ message }) => `${message}: the hooks will not run`),
    ],
  }
}

/** What takes Pawl out of a host again. */
export function planHostRemoval(found: FoundHost, wish: HostWish, readFile: ReadFile): HostPlan {
  const { workspace } = wish
  const { wireOf } = hostSetups[found.name]
  const setting = settingOf(found, wish)
  const known = installOf(wish.installs, { ...wish, host: found.name })
  const exclude = wish.scope === 'user' ? null : excludeFile(workspace, found.name, [])
  const wanted = [...wantedFiles(found.name, setting), ...(exclude === null ? [] : [exclude])]
  const { files, remarks } = planUninit(wanted, known, readFile)
  const others = wish.installs.filter((one) => one !== known && one.workspace === workspace)
  const kept = new Set(others.flatMap(({ moved = [] }) => moved.map(({ as }) => as)))
  const gone = (known?.moved ?? []).filter(({ as }) => !kept.has(as))
  const text = readFile(gatewayPath)
  const more = gatewayFile(text, gatewayWithout(text, gone))
  const wire = wireOf(setting)
  const all = [...files, ...more]
  return { host: found.name, found, workspace, ...scopeOf(wish), known, wire, files: all, remarks }
}

function scopeOf({ scope, withFolders }: HostWish): Pick<HostPlan, 'scope' | 'withFolders'> {
  if (scope === undefined) return {}
  return withFolders === undefined ? { scope } : { scope, withFolders }
}

function wantedFiles(host: AgentHostId, setting: SetupContext): readonly DesiredFile[] {
  const { userFile } = setting
  return userFile === null ? hostSetups[host].wants(setting) : userFiles(host, userFile, setting)
}

type Looking = {
  readonly wish: HostWish
  readonly known: Install | null
  readonly readFile: ReadFile
}
type Movement = {
  readonly wanted: readonly DesiredFile[]
  /** Null: the host has no gateway. */
  readonly moved: readonly Moved[] | null
  readonly files: readonly PlannedFile[]
  readonly remarks: readonly string[]
}

/** What changes where the servers of a host stand behind the gateway, or already do. */
function movingOf(wanted: readonly DesiredFile[], { wish, known, readFile }: Looking): Movement {
  const isProject = wish.scope === undefined
  const isWanted = isProject && (wish.gateway === 'wanted' || known?.moved !== undefined)
  if (!isWanted) return { wanted, moved: null, files: [], remarks: [] }
  const gateway = readFile(gatewayPath)
  const result = moveServers({
    wanted,
    gateway,
    baseOf: (file) => baseFolderOf(file, known, readFile),
  })
  const files = gatewayFile(gateway, gatewayWith(gateway, result.moved))
  return { ...result, files }
}

/** It may hold what was secret before, so only its owner reads it. */
function gatewayFile(before: string | null, after: string | null): readonly PlannedFile[] {
  if (before === after) return []
  return [{ path: gatewayPath, before, after, mode: 'secret', note: null }]
}

/** Whether a host is as it should be already. */
export function isDone({ files }: HostPlan): boolean {
  return files.every(({ before, after }) => before === after)
}

type InstallName = Pick<Install, 'workspace' | 'host' | 'scope'>

/** Whether two are the same hooks. */
export function isSameInstall(one: InstallName, other: InstallName): boolean {
  const { workspace, host, scope } = other
  return one.workspace === workspace && one.host === host && one.scope === scope
}

/** The install of a host in a workspace; null: there is none. */
export function installOf(installs: readonly Install[], name: InstallName): Install | null {
  return installs.find((one) => isSameInstall(one, name)) ?? null
}

function settingOf(
  { name, version }: FoundHost,
  { setup, workspace, http, scope }: HostWish,
): SetupContext {
  const userFile = scope === 'user' ? userFileOf(name, workspace, setup.env) : null
  const place = scope === 'user' ? null : workspace
  return {
    workspace,
    userFile,
    version,
    node: setup.node,
    program: setup.program,
    home: setup.home,
    hookCommand: setup.hookCommand({ host: name, workspace: place, failure: 'blocks' }),
    stopCommand: setup.hookCommand({ host: name, workspace: place, failure: 'passes' }),
    http: scope === 'user' ? null : http,
    isThere: (path) => existsSync(resolve(workspace, userFile ?? path)),
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
  who: { readonly host: AgentHostId; readonly workspace: string },
): Install {
  const notes = files.flatMap(({ note }) => (note === null ? [] : [{ ...note, mode: null }]))
  return { ...who, hostVersion: null, wire: 'command', at: 0, files: notes, folders: [] }
}
