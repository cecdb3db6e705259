/**
 * What the kernel knows about many files: by the native helper, which uses all cores, or by Node.
 * Both write the same records. Must not know which files those are, or why they are looked at.
 */
import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'

/** The numbers of one file in `FileRecords`, in the order in which the helper writes them. */
export const recordFields = { mode: 0, size: 1, mtimeNs: 2, ctimeNs: 3, ino: 4 } as const
export const recordLength = 5
/** One record per path; a file that does not exist has only zeros. */
export type FileRecords = BigInt64Array

const helperMsMax = 8_000
/** Below this, starting a program takes longer than Node itself. */
const helperPathsMin = 500

/**
 * The records of paths inside a folder. Paths are bytes as latin1 text: names of files need not be
 * UTF-8. Throws where a file exists and cannot be looked at. `helper`: null where there is none.
 */
export function statFiles(
  folder: string,
  paths: readonly string[],
  helper: string | null,
): FileRecords {
  const byHelper =
    helper === null || paths.length < helperPathsMin ? null : statByHelper(folder, paths, helper)
  return byHelper ?? statByNode(folder, paths)
}

/** Null: the helper failed, for whatever reason. */
function statByHelper(
  folder: string,
  paths: readonly string[],
  helper: string,
): FileRecords | null {
  const bytes = paths.length * recordLength * BigInt64Array.BYTES_PER_ELEMENT
  const { status, stdout } = spawnSync(helper, ['stat'], {
    cwd: folder,
    env: {},
    input: Buffer.from(`${paths.join('\0')}\0`, 'latin1'),
    maxBuffer: bytes + 1,
    timeout: helperMsMax,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (status !== 0 || stdout.length !== bytes) return null
  // WHY a copy: numbers must be aligned, and a part of Node's pool need not be.
  return new BigInt64Array(new Uint8Array(stdout).buffer)
}

const options = { bigint: true, throwIfNoEntry: false } as const

function statByNode(folder: string, paths: readonly string[]): FileRecords {
  const records = new BigInt64Array(paths.length * recordLength)
  const root = Buffer.from(`${folder}/`)
  for (const [at, path] of paths.entries()) {
    const stats = lstatSync(Buffer.concat([root, Buffer.from(path, 'latin1')]), options)
    if (stats === undefined) continue
    const { mode, size, mtimeNs, ctimeNs, ino } = stats
    records.set([mode, size, mtimeNs, ctimeNs, ino], at * recordLength)
  }
  return records
}
