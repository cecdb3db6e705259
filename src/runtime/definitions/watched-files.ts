/** The contents of certain files of a folder, read again when they have changed. */
import { type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../error-code.ts'
import { PawlError } from '../pawl-error.ts'

/** How long a look at the files is believed; a pass of a gateway may go by it as long again. */
const freshMs = 500
/** Folders that are kept at hand. */
const foldersMax = 1_000

type Look<T> = { readonly at: number; readonly stamp: string; readonly value: T }

export type FileReading<T> = {
  /** The files that count. */
  readonly names: readonly string[]
  readonly read: (folder: string) => T
  readonly now: () => number
}

/** What a folder says; where reading it is a fault, it is one each time. */
export function openWatchedFiles<T>({ names, read, now }: FileReading<T>): (folder: string) => T {
  const looks = new Map<string, Look<T>>()
  return (folder) => {
    const known = looks.get(folder)
    if (known !== undefined && now() - known.at < freshMs) return known.value
    const stamp = stampOf(folder, names)
    const value = known?.stamp === stamp ? known.value : read(folder)
    if (looks.size >= foldersMax) looks.clear()
    looks.set(folder, { at: now(), stamp, value })
    return value
  }
}

/** Changes whenever a file of the folder does. */
function stampOf(folder: string, names: readonly string[]): string {
  return names
    .map((name) => {
      const stats = statsOf(join(folder, name))
      return stats === undefined ? '' : `${stats.ino}.${stats.size}.${stats.mtimeMs}`
    })
    .join('|')
}

/** Fault `REQUEST_INVALID`: no system has a path like this. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (fault) {
    const code = errorCodeOf(fault)
    if (code !== 'ENAMETOOLONG' && code !== 'ERR_INVALID_ARG_VALUE') throw fault
    const hint = 'use the path of a folder, without a zero and with names of up to 255 bytes'
    throw new PawlError('REQUEST_INVALID', 'the path of the folder is not valid', { hint })
  }
}
