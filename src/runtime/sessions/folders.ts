/**
 * Folders of agents: one canonical path for each, whatever symlinks lead there, and which contain
 * each other.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder's own name; as it is written where there is no such folder. */
export function realFolder(path: string): string {
  try {
    // WHY native: on disks that ignore case, it gives the name as it is written there.
    return realpathSync.native(path)
  } catch {
    // Whoever works in a folder that is gone is still held by the run that was begun there.
    return resolve(path)
  }
}

/** Whether one is the other, is above it or below it. */
export function isNear(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => `${path.replace(/\/+$/, '')}/`) as [string, string]
  return a.startsWith(b) || b.startsWith(a)
}
