/**
 * Files with hooks of a user where no rule knows them by name: a variable of the host has put its
 * settings into another folder.
 */
import { realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { agentHosts } from '../core/hosts/registry.ts'
import type { Install } from '../doors/init/install.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Home } from './home.ts'
import { readInstalls } from './installs.ts'
import { namesOfFolder } from './pawl-folders.ts'

/** Tells the files at any moment; the record of installs is read again when it has changed. */
export function openHookFiles(home: Home): () => readonly string[] {
  let key = ''
  let files: readonly string[] = []
  return () => {
    const stats = statSync(home.installs, { throwIfNoEntry: false })
    const now = `${stats?.ino} ${stats?.size} ${stats?.ctimeMs}`
    if (now === key) return files
    try {
      files = hookFilesElsewhere(readInstalls(home))
      key = now
    } catch (fault) {
      // A record that is lost or damaged frees nothing; the watch of hooks tells people.
      if (!(fault instanceof PawlError)) throw fault
    }
    return files
  }
}

function hookFilesElsewhere(installs: readonly Install[]): readonly string[] {
  const found = installs.flatMap(({ scope, host, workspace, files }) => {
    const { userHooks } = agentHosts[host]
    if (scope !== 'user' || 'none' in userHooks) return []
    const usual = `${join(workspace, userHooks.folder)}/`
    return files
      .map(({ path }) => resolve(workspace, path))
      .filter((path) => !path.startsWith(usual))
      .flatMap((path) => namesOfFolder(path, realOf(path)))
  })
  return [...new Set(found)]
}

/** Its name without links; the given one where it is gone. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (fault) {
    if (errorCodeOf(fault) === 'ENOENT' || errorCodeOf(fault) === 'ENOTDIR') return path
    throw fault
  }
}
