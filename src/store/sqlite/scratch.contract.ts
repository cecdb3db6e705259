/**
 * Folders and small disks for tests of files.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs a test in a new folder that is gone afterwards. */
export async function inFolder(job: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-sqlite-'))
  try {
    await job(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export type Disk = {
  readonly folder: string
  readonly remount: (mode: 'ro' | 'rw') => void
}

/** Runs a test on a disk of this size; `null`: this user may not mount one. */
export async function onSmallDisk(
  sizeMegabytes: number,
  job: (disk: Disk) => Promise<void>,
): Promise<'done' | null> {
  let result: 'done' | null = null
  await inFolder(async (folder) => {
    if (!mount(['-t', 'tmpfs', '-o', `size=${sizeMegabytes}m`, 'tmpfs', folder])) return
    try {
      await job({ folder, remount: (mode) => void mount(['-o', `remount,${mode}`, folder]) })
      result = 'done'
    } finally {
      // Lazy: a test that failed may have left a file open.
      execFileSync('umount', ['-l', folder])
    }
  })
  return result
}

function mount(args: readonly string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** What a skipped test says. */
export const cannotMount = 'a small disk needs the right to mount one (root)'
