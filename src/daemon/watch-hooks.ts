/**
 * Watches installed hooks from outside the hosts: a change of their settings is noticed and
 * recorded even where the host itself reports nothing.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkInstall } from '../doors/init/check-install.ts'
import type { Home } from '../home/home.ts'
import { readInstalls } from '../home/installs.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { LogLine } from './log-file.ts'

export type HookWatch = {
  /** What is wrong with the hooks of a workspace; nothing: they are in force. */
  readonly problemsIn: (workspace: string) => readonly string[]
  /** What is wrong anywhere, as it was seen last. */
  readonly known: () => readonly string[]
  /** Looks at all hooks, and records what is new. */
  readonly look: () => Promise<void>
}

const system = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const

export function openHookWatch(home: Home, runtime: Runtime, log: LogLine): HookWatch {
  const seen = new Map<string, readonly string[]>()
  const problemsIn = (workspace: string): readonly string[] =>
    readInstalls(home)
      .filter((install) => install.workspace === workspace)
      .flatMap((install) => checkInstall(install, (path) => readText(resolve(workspace, path))))
      .map(({ message }) => message)

  const look = async (): Promise<void> => {
    const workspaces = new Set(readInstalls(home).map(({ workspace }) => workspace))
    for (const gone of [...seen.keys()].filter((one) => !workspaces.has(one))) seen.delete(gone)
    for (const workspace of workspaces) {
      const problems = problemsIn(workspace)
      const before = seen.get(workspace) ?? []
      const fresh = problems.filter((one) => !before.includes(one))
      seen.set(workspace, problems)
      if (fresh.length > 0) await tell(workspace, fresh)
      else if (before.length > problems.length) log('info', 'hooks are intact again', { workspace })
    }
  }

  const tell = async (workspace: string, problems: readonly string[]): Promise<void> => {
    log('warning', 'hooks were changed', { workspace, problems: [...problems] })
    const { all } = await runtime.sessions.listRunsHere(workspace)
    const message = `hooks were changed: ${problems.join('; ')}`
    for (const { id } of all) await runtime.send(id, { kind: 'warn', message }, system)
  }

  return { problemsIn, known: () => [...seen.values()].flat(), look }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (fault) {
    if (errorCodeOf(fault) === 'ENOENT' || errorCodeOf(fault) === 'ENOTDIR') return null
    throw fault
  }
}
