/**
 * Watches installed hooks from outside the hosts: a change of their settings is noticed, recorded
 * and told to people even where the host itself reports nothing.
 */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentHostId } from '../core/hosts/registry.ts'
import { checkInstall } from '../doors/init/check-install.ts'
import { writeGuardedList } from '../home/guarded-list.ts'
import type { Home } from '../home/home.ts'
import { hookSecretOf, writeHookSecrets } from '../home/hook-secrets.ts'
import { readInstalls } from '../home/installs.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { sameFolders } from '../runtime/sessions/repository.ts'
import type { GuardAlarms } from './guard-alarms.ts'
import {
  openClientCheck,
  openSocketCheck,
  otherSettingsOf,
  switchedOff,
} from './guard-integrity.ts'
import type { LogLine } from './log-file.ts'
import { openFileWatch } from './watch-files.ts'

export type HookWatch = {
  /** What is wrong with the hooks of a workspace, of one host or of all; nothing: all is well. */
  readonly problemsIn: (workspace: string, host: AgentHostId | null) => readonly string[]
  /** The same for the guarded folders at or above a folder, as it was seen last. */
  readonly brokenAt: (folder: string) => readonly string[]
  /** What is wrong anywhere, as it was seen last. */
  readonly known: () => readonly string[]
  /** These are the daemon's own sockets from now on; none: it is about to close them. */
  readonly guardSockets: (paths: readonly string[]) => void
  /** Looks at all hooks, and records what is new. */
  readonly look: () => Promise<void>
  /** Ends what looks as soon as a file changes. */
  readonly close: () => void
}

type WatchTools = {
  readonly home: Home
  readonly runtime: Runtime
  readonly alarms: GuardAlarms
  readonly log: LogLine
}

const system = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
/** Problems that one message names. */
const problemsMax = 5

export function openHookWatch({ home, runtime, alarms, log }: WatchTools): HookWatch {
  const seen = new Map<string, readonly string[]>()
  const clientCheck = openClientCheck(home)
  let socketCheck = openSocketCheck([])
  const ownProblems = (): readonly string[] => {
    const client = clientCheck()
    return [...(client === null ? [] : [client]), ...socketCheck()]
  }
  /** Of folders; those of users are in `seen` alone. */
  let broken: ReadonlyMap<string, readonly string[]> = new Map()
  const problemsIn: HookWatch['problemsIn'] = (workspace, host) =>
    readInstalls(home)
      .filter((install) => install.workspace === workspace)
      .filter((install) => host === null || (install.host === host && install.scope === undefined))
      .flatMap((install) => problemsOf(home, install, ownProblems))

  // WHY one at a time: a look that a change has begun must not overtake the regular one.
  let looking: Promise<void> = Promise.resolve()
  const look = (): Promise<void> => {
    looking = looking.then(lookNow, lookNow)
    return looking
  }
  const files = openFileWatch(() => {
    look().catch((cause: unknown) => log('error', 'hooks could not be checked', faultIn(cause)))
  })

  const installsNow = openInstallReader(home, alarms)
  const lookNow = async (): Promise<void> => {
    const installs = await installsNow()
    if (installs === null) return alarms.retry()
    files.set([join(home.bin, 'pawl-hook'), ...installs.flatMap(pathsOf)])
    // Work trees come and go without us.
    writeGuardedList(home, installs)
    writeHookSecrets(home, installs)
    const workspaces = new Set(installs.map(({ workspace }) => workspace))
    for (const gone of [...seen.keys()].filter((one) => !workspaces.has(one))) seen.delete(gone)
    const found = new Map<string, readonly string[]>()
    for (const { workspace, host, scope } of installs) {
      const own = scope === undefined ? problemsIn(workspace, host) : []
      if (own.length > 0) found.set(workspace, [...(found.get(workspace) ?? []), ...own])
    }
    broken = found
    for (const workspace of workspaces) {
      const problems = problemsIn(workspace, null)
      const before = seen.get(workspace) ?? []
      const fresh = problems.filter((one) => !before.includes(one))
      seen.set(workspace, problems)
      if (fresh.length > 0) await tell({ home, runtime, alarms, log }, workspace, fresh)
      else if (before.length > problems.length) log('info', 'hooks are intact again', { workspace })
    }
    await alarms.retry()
  }

  const known = (): readonly string[] => [
    ...new Set([...[...seen.values()].flat(), ...socketCheck(), ...alarms.known()]),
  ]
  const guardSockets = (paths: readonly string[]): void => {
    socketCheck = openSocketCheck(paths)
  }
  const brokenAt = (folder: string): readonly string[] =>
    broken.size === 0 ? [] : brokenIn(broken, sameFolders(folder))
  return { problemsIn, brokenAt, known, guardSockets, look, close: files.close }
}

/** Gives null where the record of installs is lost or damaged, which a person is told once. */
function openInstallReader(
  home: Home,
  alarms: GuardAlarms,
): () => Promise<readonly Install[] | null> {
  let fault = ''
  return async () => {
    try {
      const installs = readInstalls(home)
      fault = ''
      return installs
    } catch (cause) {
      const { fault: message } = faultIn(cause)
      if (message !== fault) await alarms.raise(`${message}: hooks cannot be watched`)
      fault = message
      return null
    }
  }
}

/** Puts on record, and tells people, what is wrong with the hooks of a folder. */
async function tell(
  { runtime, alarms, log }: WatchTools,
  workspace: string,
  problems: readonly string[],
): Promise<void> {
  log('warning', 'hooks were changed', { workspace, problems: [...problems] })
  const { all } = await runtime.sessions.listRunsHere(workspace)
  const message = `hooks were changed: ${problems.join('; ')}`
  for (const { id } of all) await runtime.send(id, { kind: 'warn', message }, system)
  const named = problems.slice(0, problemsMax).join('; ')
  const effect = 'new sessions there may not be guarded; restore them with `pawl init --restore`'
  await alarms.raise(`hooks in ${workspace} were changed (${named}): ${effect}`)
}

/** What is wrong at or above one of some folders: the same folder in several work trees. */
function brokenIn(
  broken: ReadonlyMap<string, readonly string[]>,
  folders: readonly string[],
): readonly string[] {
  const isAt = (folder: string, at: string): boolean => folder === at || folder.startsWith(`${at}/`)
  return [...broken].flatMap(([at, problems]) =>
    folders.some((folder) => isAt(folder, at)) ? problems : [],
  )
}

/** The files whose change may switch the hooks of an install off. */
function pathsOf(install: Install): readonly string[] {
  const own = install.files.map(({ path }) => resolve(install.workspace, path))
  return [...own, ...otherSettingsOf(install)]
}

function faultIn(cause: unknown): { readonly fault: string } {
  return { fault: cause instanceof Error ? cause.message : String(cause) }
}

type Install = ReturnType<typeof readInstalls>[number]

/** WHY a problem and no fault: the hooks of one folder must not keep us from looking at others. */
function problemsOf(
  home: Home,
  install: Install,
  ownProblems: () => readonly string[],
): readonly string[] {
  const { workspace, host } = install
  const read = (path: string): string | null => readText(resolve(workspace, path))
  try {
    const changed = checkInstall(install, read).map(({ message }) => message)
    const found = [...changed, ...switchedOff(install, read), ...ownProblems()]
    return found.length > 0 || hasSecret(home, install, read) ? found : [oldHooks(host)]
  } catch (fault) {
    return [`the hooks of ${host} cannot be read (${errorCodeOf(fault)})`]
  }
}

/** Whether HTTP hooks show the secret of their folder; other hooks find it by themselves. */
function hasSecret(home: Home, install: Install, read: (path: string) => string | null): boolean {
  if (install.wire !== 'http' || install.scope === 'user') return true
  const secret = hookSecretOf(home, install.workspace)
  return secret !== null && install.files.some(({ path }) => read(path)?.includes(secret))
}

function oldHooks(host: string): string {
  return `the hooks of ${host} show a secret that is no longer valid: run \`pawl init\` there`
}

/** Settings of a host that are read at the most. */
const settingsBytesMax = 4 * 1024 * 1024

function readText(path: string): string | null {
  try {
    const stats = statSync(path)
    // WHY looked at first: reading a pipe would never end.
    if (!stats.isFile() || stats.size > settingsBytesMax) throw new Error(`${path} is no settings`)
    return readFileSync(path, 'utf8')
  } catch (fault) {
    if (errorCodeOf(fault) === 'ENOENT' || errorCodeOf(fault) === 'ENOTDIR') return null
    throw fault
  }
}
