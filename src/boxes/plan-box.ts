/**
 * What a box is told: the same paths as a job, a home with the host's own state, and the folder
 * with its sockets. Makes nothing.
 */
import { existsSync, realpathSync } from 'node:fs'
import { extname, isAbsolute, join } from 'node:path'
import type { StageFiles } from '../core/engine/stage-files.ts'
import type { HostDescriptor } from '../core/hosts/host-descriptor.ts'
import { type AgentHostId, agentHosts } from '../core/hosts/registry.ts'
import { type Destination, portDefault, readPattern, readTarget } from '../runner/destinations.ts'
import { foldersBetween, guideNames, hiddenPaths } from '../runner/hidden-paths.ts'
import { findJobPlace, isPathInside } from '../runner/job-workspace.ts'
import { socketsBeside } from '../runner/open-sockets.ts'
import type { RunnerSettings } from '../runner/runner-settings.ts'
import { visibleHome } from '../runner/visible-home.ts'
import type { BoxWish } from '../runtime/boxes/boxes-port.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import {
  doorInBox,
  doorName,
  guideInHome,
  guideInWorkspace,
  type Placeholder,
} from './box-folder.ts'
import { gitPlacesOf } from './git-places.ts'

export type BoxSettings = Pick<
  RunnerSettings,
  'own' | 'userFolders' | 'homePaths' | 'path' | 'limits' | 'helper' | 'folder' | 'now'
>

export type BoxPlan = {
  readonly workspace: string
  readonly cwd: string
  /** Guides in the workspace and in the home, and folders that the host works in. */
  readonly places: readonly Placeholder[]
  readonly destinations: readonly Destination[] | null
  readonly words: (more: BoxDetails) => readonly string[]
}

type BoxDetails = {
  readonly folder: string
  readonly files: StageFiles
  readonly cgroups: readonly string[]
}

/** Faults `PathOutOfScope`, `InvalidInput`. */
export function planBox(
  settings: BoxSettings,
  wish: BoxWish,
  place: { readonly workspace: string; readonly network: readonly Destination[] | 'none' | 'all' },
): BoxPlan {
  const { own, limits } = settings
  const { workspace, cwd } = findJobPlace({ workspace: place.workspace, folder: wish.cwd, own })
  const host = wish.host === null ? null : agentHosts[wish.host]
  const none: HomeOfHost = { state: [], guides: [], folders: [] }
  const inHome = host === null ? none : homeOf(host, settings, wish.environment)
  const { state } = inHome
  const inWorkspace = guideNames
    .filter((name) => !name.startsWith('.git/'))
    .map((name) => guideInWorkspace(join(workspace, name)))
  const git = gitPlacesOf(workspace)
  const record = git.record === null ? [] : [git.record]
  if (git.record !== null) refuseRecord(git.record, settings)
  const guides = [...inWorkspace, ...git.guides, ...inHome.guides]
  const paths = guides.map(({ path }) => path)
  const folders = inHome.folders.map((path) => ({ path, text: null }))
  // Git in the box does not see them so: they are not files there, but a device.
  const unseen = inWorkspace
    .filter(({ path, text }) => text === '' && !existsSync(path))
    .map(({ path }) => path)
  const destinations = destinationsOf(wish, place.network)
  refuseOtherThanGuides(wish, paths)
  const variables = environmentOf(settings, wish)
  return {
    ...{ workspace, cwd, destinations },
    places: [...guides, ...folders],
    words: ({ folder, files, cgroups }) => {
      const hidden = [...hiddenPaths(settings), ...socketsBeside(workspace)].filter(
        // What the host keeps of its own is there for it; secrets of others are not.
        (path) => !state.some((one) => isPathInside(one, path) || isPathInside(path, one)),
      )
      const homePaths = [...settings.homePaths, ...wish.programPaths]
      const home = visibleHome({ ...settings, homePaths })
      const pins = [workspace, ...record].flatMap((one) =>
        foldersBetween(one, [...hidden, ...paths]),
      )
      return [
        ...[`folder=${folder}`, `door=${join(folder, doorName)}`, `mode=${files.mode}`],
        ...files.folders.map((name) => `writes=${join(workspace, name)}`),
        ...files.programsDenied.map((name) => `denied=${name}`),
        ...neededPrograms(variables, wish).map((one) => `needed=${one}`),
        ...[`workspace=${workspace}`, `cwd=${cwd}`, 'filter=1'],
        ...(place.network === 'all' ? ['network=1'] : []),
        ...(destinations === null ? [] : ['relay=1']),
        ...[`tmp=${limits.tmpBytes}`, `home=${limits.tmpBytes}`, `file=${limits.fileBytes}`],
        `processes=${cgroups.length === 0 ? limits.processes : 0}`,
        ...cgroups.map((path) => `cgroup=${path}`),
        ...home.covered.map((path) => `covered=${path}`),
        ...home.kept.map((path) => `kept=${path}`),
        ...[...state, ...record].map((path) => `state=${path}`),
        ...record.map((path) => `record=${path}`),
        ...pins.map((path) => `pinned=${path}`),
        ...paths.filter((path) => existsSync(path)).map((path) => `readonly=${path}`),
        ...wish.settingsFiles.map(({ path }) => `instead=${path}`),
        ...[...hidden, ...unseen].map((path) => `hidden=${path}`),
        ...Object.entries(variables).map(([k, v]) => `variable=${k}=${v}`),
        '--',
        ...wish.program,
      ]
    },
  }
}

/** WHY: whatever else were covered could hide the work from its agent. */
function refuseOtherThanGuides({ settingsFiles }: BoxWish, guides: readonly string[]): void {
  const other = settingsFiles.find(({ path }) => !guides.some((one) => isPathInside(one, path)))
  if (other === undefined) return
  throw new JobFault('InvalidInput', `\`${other.path}\` does not guide agents`)
}

/** A repository is visible as a whole, so that nothing else may be in it. */
function refuseRecord(record: string, { own, userFolders }: BoxSettings): void {
  const inside = [...own, ...userFolders].find((one) => isPathInside(record, one))
  const around = own.find((one) => isPathInside(one, record))
  if (inside === undefined && around === undefined) return
  throw new JobFault('PathOutOfScope', `the repository \`${record}\` cannot be in a box`)
}

type HomeOfHost = {
  /** Where it keeps its sessions and settings; it may write there. */
  readonly state: readonly string[]
  /** What configures it there, and stays as it is. */
  readonly guides: readonly Placeholder[]
  /** Folders of its state, which are made where they are missing. */
  readonly folders: readonly string[]
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function homeOf(
  { box, userHooks }: HostDescriptor,
  { userFolders }: BoxSettings,
  environment: BoxWish['environment'],
): HomeOfHost {
  const home = environment.HOME ?? userFolders[0] ?? '/'
  /** Where a path from the home on is, if a variable names another folder of the host. */
  const placeOf = (path: string): string => {
    if ('none' in userHooks || 'none' in userHooks.variable) return join(home, path)
    const { folder, variable } = userHooks
    const named = environment[variable.name]
    if (named === undefined || !isAbsolute(named) || !isPathInside(folder, path)) {
      return join(home, path)
    }
    return join(named, variable.below, path.slice(folder.length))
  }
  // A folder that is missing is made, since what the host keeps in it should last.
  const states = box.state
    .map((name) => ({ name, path: realOf(placeOf(name)) }))
    .filter(({ path }) => extname(path) === '' || existsSync(path))
  const guides = box.guides.flatMap((guide) => {
    const state = states.find(({ name }) => isPathInside(name, guide))
    return state === undefined ? [] : [join(state.path, guide.slice(state.name.length))]
  })
  return {
    state: states.map(({ path }) => path),
    guides: guides.map(guideInHome),
    folders: states.filter(({ path }) => extname(path) === '').map(({ path }) => path),
  }
}

/** The servers of the model, and what a person lists. */
function destinationsOf(
  { host, modelUrl, connect }: BoxWish,
  network: readonly Destination[] | 'none' | 'all',
): readonly Destination[] | null {
  if (network === 'all') return null
  const listed = network === 'none' ? [] : network
  const endpoints = host === null ? [] : endpointsOf(host, modelUrl)
  const all = [...endpoints, ...listed, ...connect.map(destinationOf)]
  return all.length === 0 ? null : all
}

function destinationOf(text: string): Destination {
  const target = readTarget(text, portDefault)
  if (target !== null) return { host: target.host, ports: [target.port] }
  throw new JobFault('InvalidInput', `\`${text}\` is no server: name it as HOST or HOST:PORT`)
}

function endpointsOf(host: AgentHostId, modelUrl: string | null): readonly Destination[] {
  const { endpoints } = agentHosts[host].model as HostDescriptor['model']
  const own = 'none' in endpoints ? [] : endpoints
  const named = own
    .flatMap((name) => readPattern(name) ?? [])
    .map((one) => ({ host: one, ports: [443] }))
  if (modelUrl === null || !URL.canParse(modelUrl)) return named
  const { hostname, port, protocol } = new URL(modelUrl)
  const found = readPattern(hostname)
  const portOf = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
  return found === null ? named : [...named, { host: found, ports: [portOf] }]
}

/** What the session and its hooks are run by, besides what every host needs. */
function neededPrograms(variables: Record<string, string>, { program }: BoxWish) {
  return [variables.SHELL, program[0], process.execPath].filter((one) => one)
}

function environmentOf({ userFolders, path }: BoxSettings, wish: BoxWish): Record<string, string> {
  return {
    HOME: userFolders[0] ?? '/',
    PATH: path,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    ...wish.environment,
    TMPDIR: '/tmp',
    PAWL_HOME: doorInBox,
    PAWL_RUN: wish.runId,
    PAWL_BOX: '1',
  }
}
