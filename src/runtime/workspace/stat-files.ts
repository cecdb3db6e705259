/**
 * What the kernel knows about many files. `pawl-job look` reads the same on all cores.
 * Must not know which files those are, or why they are looked at.
 */
import { lstatSync } from 'node:fs'

/** The numbers of one file in `FileRecords`, in the order in which the helper has them. */
export const recordFields = { mode: 0, size: 1, mtimeNs: 2, ctimeNs: 3, ino: 4 } as const
export const recordLength = 5
/** One record per path; a file that does not exist has only zeros. */
export type FileRecords = BigInt64Array

const options = { bigint: true, throwIfNoEntry: false } as const

/** A path inside a folder, or one of its own, as the bytes of its name. */
export function placeOf(folder: string, path: string): Buffer {
  const bytes = Buffer.from(path, 'latin1')
  return path.startsWith('/') ? bytes : Buffer.concat([Buffer.from(`${folder}/`), bytes])
}

/**
 * The records of paths inside a folder. Paths are bytes as latin1 text: names of files need not be
 * UTF-8. Throws where a file exists and cannot be looked at.
 */
export function statFiles(folder: string, paths: readonly string[]): FileRecords {
  const records = new BigInt64Array(paths.length * recordLength)
  for (const [at, path] of paths.entries()) {
    const stats = lstatSync(placeOf(folder, path), options)
    if (stats === undefined) continue
    const { mode, size, mtimeNs, ctimeNs, ino } = stats
    records.set([mode, size, mtimeNs, ctimeNs, ino], at * recordLength)
  }
  return records
}
