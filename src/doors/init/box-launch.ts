/**
 * How a host is started in a box with Pawl's hooks in force and nothing written into the project:
 * its settings are files in the box's own folder, or words on its command line.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { assertNever } from '../../core/assert.ts'
import type { BoxSettingsWay } from '../../core/hosts/host-descriptor.ts'
import { agentHosts } from '../../core/hosts/registry.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { DesiredFile, SetupContext } from './desired-files.ts'
import type { FoundHost } from './find-hosts.ts'
import { codexOverrides } from './hosts/codex.ts'
import { readHookHashes } from './hosts/codex-trust.ts'
import { hostSetups } from './hosts/host-setups.ts'
import { mergeEntries } from './merge-entries.ts'
import type { SetupDoor } from './setup-door.ts'

export type BoxLaunch = {
  /** Files in the box's own folder, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Stand in front of the arguments of the user. */
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

type LaunchPlace = { readonly setup: SetupDoor; readonly workspace: string }

/** Where a box has the folder of its own. */
const door = '/run/pawl'
const settingsName = 'settings.json'
const serversName = 'mcp.json'

/** Null: Pawl knows no way to start this host so. Fault `USAGE`: its hooks would not run. */
export async function boxLaunchOf(
  host: Omit<FoundHost, 'hasFolder'>,
  { setup, workspace }: LaunchPlace,
): Promise<BoxLaunch | null> {
  const { name, version } = host
  const way = agentHosts[name].box.settings
  if ('none' in way) return null
  const hook = { bin: `${door}/bin`, host: name, workspace } as const
  const setting: SetupContext = {
    ...{ workspace, version, node: setup.node, program: setup.program, home: door },
    ...{ userFile: null, http: null },
    hookCommand: setup.hookCommand({ ...hook, failure: 'blocks' }),
    stopCommand: setup.hookCommand({ ...hook, failure: 'passes' }),
    isThere: (path) => existsSync(resolve(workspace, path)),
  }
  if (way.kind === 'overrides') return withOverrides(way, { host, setting, env: setup.env })
  return withFiles(way, { host, setting, env: setup.env })
}

type Launching = {
  readonly host: Omit<FoundHost, 'hasFolder'>
  readonly setting: SetupContext
  readonly env: SetupDoor['env']
}

type FilesWay = Exclude<BoxSettingsWay, { kind: 'overrides' }>

function withFiles(way: FilesWay, { host, setting, env }: Launching): BoxLaunch {
  const { hooksFile, serversFile } = agentHosts[host.name]
  const wanted = hostSetups[host.name].wants({ ...setting, isThere: () => false })
  const [hooks, servers] = [hooksFile, serversFile].map((path) =>
    wanted.find((file) => file.path === path),
  )
  const inBox = (name: string): string => `${door}/${name}`
  switch (way.kind) {
    case 'files': {
      const args = [way.hooks, inBox(settingsName), way.servers, inBox(serversName)]
      const files = { [settingsName]: textOf(hooks, null), [serversName]: textOf(servers, null) }
      return { files, args, environment: {} }
    }
    case 'variable': {
      const text = textOf(hooks, textAt(env[way.name] ?? way.instead))
      const environment = { [way.name]: inBox(settingsName) }
      return { files: { [settingsName]: text }, args: [], environment }
    }
    case 'plugins': {
      const base = textAt(env[way.variable])
      const plugin = { kind: 'item', path: [way.list], value: inBox(pluginName) } as const
      const listed = servers === undefined ? undefined : withEntry(servers, plugin)
      const files = { [pluginName]: textOf(hooks, null), [settingsName]: textOf(listed, base) }
      return { files, args: [], environment: { [way.variable]: inBox(settingsName) } }
    }
    default:
      return assertNever(way)
  }
}

const pluginName = 'pawl.js'

function textOf(file: DesiredFile | undefined, base: string | null): string {
  return file === undefined ? '{}' : mergeEntries(file, base).text
}

type JsonContent = Extract<DesiredFile['content'], { kind: 'json' }>

function withEntry(file: DesiredFile, entry: JsonContent['entries'][number]): DesiredFile {
  if (file.content.kind !== 'json') return file
  return { ...file, content: { ...file.content, entries: [...file.content.entries, entry] } }
}

/** What stood there before, which still holds; null: nothing. */
function textAt(path: string | undefined): string | null {
  try {
    return path === undefined ? null : readFileSync(path, 'utf8')
  } catch {
    // Not there, which is the rule.
    return null
  }
}

type OverridesWay = Extract<BoxSettingsWay, { kind: 'overrides' }>

/** WHY asked of the host each time: hooks whose hash is not the right one are skipped silently. */
async function withOverrides(
  { flag, trust }: OverridesWay,
  { host, setting, env }: Launching,
): Promise<BoxLaunch> {
  const { program } = host
  const { title } = agentHosts[host.name]
  if (program === null) throw new PawlError('USAGE', `${title} was not found on the PATH`)
  const { hooks, servers } = codexOverrides(setting)
  const hookArgs = hooks.flatMap((one) => [flag, one])
  const asked = { program, args: hookArgs, workspace: setting.workspace, env }
  const hashes = await readHookHashes(asked)
  if (typeof hashes === 'string' || hashes.count < hooks.length) {
    const why = typeof hashes === 'string' ? hashes : 'it does not list all of them'
    throw new PawlError('USAGE', `${title} would skip the hooks of the box: ${why}`, {
      hint: `update ${title}, or install the hooks with \`pawl init\` and start it without a box`,
    })
  }
  const trusted = [flag, `${trust}=${hashes.state}`]
  return {
    ...{ files: {}, environment: {} },
    args: [...hookArgs, ...trusted, ...servers.flatMap((one) => [flag, one])],
  }
}
