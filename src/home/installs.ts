/**
 * `installs.json` of a data directory: which hooks `pawl init` has put where.
 * Knows the file. Must not know what any host needs.
 */

import { join } from 'node:path'
import type { Install } from '../doors/init/install.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { hasGuardedList, writeGuardedList } from './guarded-list.ts'
import type { Home } from './home.ts'
import { writeHookSecrets } from './hook-secrets.ts'
import { readPrivate, writePrivate } from './private-file.ts'

const formatVersion = 1

type InstallsFile = { readonly version: number; readonly installs: readonly Install[] }

/**
 * All installs; none where there is no file yet.
 * WHY a fault where only the list of folders is left: every one of them would be free from now on.
 */
export function readInstalls(home: Home): readonly Install[] {
  const text = readPrivate(home.installs)
  if (text === null) {
    if (!hasGuardedList(home)) return []
    throw new PawlError('CONFIG_INVALID', `\`${home.installs}\` is gone, but folders are guarded`, {
      hint: `remove \`${join(home.bin, 'guarded')}\` and run \`pawl init\` again in each project`,
    })
  }
  try {
    // WHY the cast: nobody but us writes it; what a stranger put there fails on the next lines.
    const { version, installs } = JSON.parse(text) as InstallsFile
    if (version === formatVersion && installs.every(isInstall)) return installs
  } catch {
    // Not ours: said below.
  }
  throw new PawlError('CONFIG_INVALID', `\`${home.installs}\` was not written by Pawl`, {
    hint: 'move it away and run `pawl init` again in each project',
  })
}

/** Puts a list in place of the old one. */
export function writeInstalls(home: Home, installs: readonly Install[]): void {
  const file: InstallsFile = { version: formatVersion, installs }
  writePrivate(home.installs, `${JSON.stringify(file, null, 2)}\n`)
  writeGuardedList(home, installs)
  writeHookSecrets(home, installs)
}

function isInstall({ workspace, host, files, folders }: Install): boolean {
  const isNamed = typeof workspace === 'string' && typeof host === 'string'
  return isNamed && Array.isArray(files) && Array.isArray(folders)
}
