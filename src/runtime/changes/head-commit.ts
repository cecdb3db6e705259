/**
 * The commit that is checked out where a run begins. Reads the files that git keeps; starts no
 * program and follows nothing that they say to anywhere else.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { workTreeOf } from '../sessions/repository.ts'

const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const refPattern = /^ref: (refs\/heads\/[\w][\w./-]{0,200})$/
/** Larger ones are not searched. */
const packedBytesMax = 8 * 1024 * 1024
const smallBytesMax = 8 * 1024

/** The commit; null: the folder is in no repository, or nothing was committed yet. */
export function headCommitOf(folder: string): string | null {
  const tree = workTreeOf(folder)
  if (tree === null) return null
  const own = gitFolderOf(tree.root)
  const head = readSmall(join(own, 'HEAD'), smallBytesMax)?.trim() ?? ''
  if (commitPattern.test(head)) return head
  const ref = refPattern.exec(head)?.[1] ?? null
  if (ref === null || ref.split('/').includes('..')) return null
  const loose = readSmall(join(tree.commonDir, ref), smallBytesMax)?.trim() ?? ''
  if (commitPattern.test(loose)) return loose
  const packed = readSmall(join(tree.commonDir, 'packed-refs'), packedBytesMax) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`)) ?? ''
  const [commit = ''] = line.split(' ')
  return commitPattern.test(commit) ? commit : null
}

/** Where git keeps the state of one work tree. */
function gitFolderOf(root: string): string {
  const dotGit = join(root, '.git')
  const link = /^gitdir: (.+)$/m.exec(readSmall(dotGit, smallBytesMax) ?? '')?.[1]
  return link === undefined ? dotGit : resolve(root, link.trim())
}

/** WHY not blocking, and no more than so much: a pipe or a huge file may stand there. */
export function readSmall(path: string, bytesMax: number): string | null {
  return readSmallBytes(path, bytesMax)?.toString('utf8') ?? null
}

/** The bytes of a regular file that is no link; null: it is none, or too large. */
export function readSmallBytes(path: string, bytesMax: number): Buffer | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    // There is none, or it is a link.
    return null
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > bytesMax) return null
    const bytes = Buffer.alloc(stats.size)
    let length = 0
    for (let count = 1; count > 0 && length < bytes.length; length += count) {
      count = readSync(file, bytes, length, bytes.length - length, length)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
