/**
 * `bin/guarded` in the data directory: the folders that are guarded, for the hooks of users, which
 * are started everywhere and have to know at once whether they have anything to say.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  guardedPaths,
  type InstallPlace,
  isConcernedBy,
} from '../runtime/sessions/guarded-folders.ts'
import type { Home } from './home.ts'
import { ensurePrivateFolder, readPrivate, writePrivate } from './private-file.ts'

/** What the compiled client reads at most. */
const listBytesMax = 256 * 1024

/** Writes the list where it has changed. */
export function writeGuardedList(home: Home, installs: readonly InstallPlace[]): void {
  const text = guardedPaths(installs)
    .map((path) => `${path}\n`)
    .join('')
  // WHY the whole disk: with a list that is cut, some folder would count as free.
  const wanted = Buffer.byteLength(text) < listBytesMax ? text : '/\n'
  ensurePrivateFolder(home.bin)
  if (readPrivate(listOf(home)) !== wanted) writePrivate(listOf(home), wanted)
}

/** Whether there is a list with a folder in it. */
export function hasGuardedList(home: Home): boolean {
  return (readPrivate(listOf(home)) ?? '') !== ''
}

/** Whether the hook of a user has anything to do with what a host asks. */
export function isConcerned(home: Home, folder: string, payload: string): boolean {
  if (!existsSync(listOf(home))) return true
  const listed = (readPrivate(listOf(home)) ?? '').split('\n').filter((line) => line !== '')
  return isConcernedBy(listed, folder, payload)
}

function listOf({ bin }: Home): string {
  return join(bin, 'guarded')
}
