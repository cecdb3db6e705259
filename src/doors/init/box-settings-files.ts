/**
 * Settings of a host as they are in a box: without the entries that `pawl init` wrote, because the
 * box brings its own, and never with hooks switched off. Reads files, writes none.
 */
import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { HostDescriptor } from '../../core/hosts/host-descriptor.ts'
import { agentHosts, listIn } from '../../core/hosts/registry.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { offSwitchIn } from './check-install.ts'
import type { FoundHost } from './find-hosts.ts'
import { gatewayPath } from './gateway-servers.ts'
import { planHostRemoval } from './plan-host.ts'
import type { SetupDoor } from './setup-door.ts'
import { userFileOf, userHome } from './user-files.ts'
import { readWorkspaceFile } from './write-files.ts'

/** A file that a box shows with another text. */
export type BoxSettingsFile = { readonly path: string; readonly text: string }

type BoxedHost = Omit<FoundHost, 'hasFolder'>
type Place = { readonly setup: SetupDoor; readonly workspace: string }

/** WHY without: their client is not in the box, so every call would be denied. */
export function settingsFilesInBox(host: BoxedHost, place: Place): readonly BoxSettingsFile[] {
  const home = userHome(place.setup.env)
  const hasUserHooks = !('none' in agentHosts[host.name].userHooks)
  const inWorkspace = filesWithout(host, place, {})
  if (!hasUserHooks || home === place.workspace) return inWorkspace
  return [...inWorkspace, ...filesWithout(host, { ...place, workspace: home }, { scope: 'user' })]
}

function filesWithout(
  host: BoxedHost,
  { setup, workspace }: Place,
  scope: { readonly scope?: 'user' },
): readonly BoxSettingsFile[] {
  const wish = { setup, workspace, http: null, installs: setup.readInstalls(), ...scope }
  const readFile = (path: string): string | null => readWorkspaceFile(workspace, path)
  const { files } = planHostRemoval({ ...host, hasFolder: true }, wish, readFile)
  return files
    .filter(({ path }) => path !== gatewayPath && !isHarmless(path))
    .map(({ path, after }) => ({
      path: realpathSync(resolve(workspace, path)),
      // What we wrote as a whole is not there in a box; hosts read an empty file as none.
      text: after ?? (path.endsWith('.json') ? '{}\n' : ''),
    }))
}

/** What names no client: a slash command, and what git leaves alone. */
function isHarmless(path: string): boolean {
  return path.endsWith('.md') || path.endsWith('info/exclude')
}

/** Fault `USAGE`: this host would ask no hooks in the box. */
export function refuseHooksOff(
  { name }: BoxedHost,
  { setup, workspace }: Place,
  args: readonly string[],
): void {
  const { title, box } = agentHosts[name] as HostDescriptor
  const refuse = (what: string, hint: string): never => {
    throw new PawlError('USAGE', `${title} would ask no hooks in the box: ${what}`, { hint })
  }
  for (const path of settingsPaths(name, { setup, workspace })) {
    const text = existsSync(path) ? readWorkspaceFile('/', path) : null
    const off = text === null ? null : offSwitchIn(text)
    if (off !== null) refuse(`\`${path}\` has ${off}`, 'remove it there, and start again')
  }
  if ('none' in box.hooksOff) return
  const { flags, variables } = box.hooksOff
  const flag = flags.find((one) => args.some((arg) => arg === one || arg.startsWith(`${one}=`)))
  if (flag !== undefined) refuse(`it is started with \`${flag}\``, `start it without \`${flag}\``)
  const variable = listIn(variables).find(
    (one) => !['', '0', 'false'].includes(setup.env[one] ?? ''),
  )
  if (variable !== undefined) refuse(`\`${variable}\` is set`, `run \`unset ${variable}\` before`)
}

/** Every file of settings that the host reads, in all of its scopes. */
function settingsPaths(name: BoxedHost['name'], { setup, workspace }: Place): readonly string[] {
  const { hooksFile, otherSettings, userHooks, box } = agentHosts[name] as HostDescriptor
  const home = userHome(setup.env)
  const others = 'none' in otherSettings ? [] : otherSettings
  const { settings } = box
  const named = 'kind' in settings && settings.kind === 'variable' ? setup.env[settings.name] : ''
  const all = [
    ...(typeof hooksFile === 'string' ? [hooksFile] : []),
    ...others.map((path) => (path.startsWith('~/') ? join(home, path.slice(2)) : path)),
    ...('none' in userHooks ? [] : [resolve(home, userFileOf(name, home, setup.env))]),
    ...(named !== undefined && isAbsolute(named) ? [named] : []),
  ]
  return [...new Set(all.map((path) => resolve(workspace, path)))].filter((path) =>
    /\.jsonc?$/.test(path),
  )
}
