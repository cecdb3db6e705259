/**
 * Reads the new lines of an append-only file, up to a limit, and only if the file belongs to the
 * user: the path comes from a payload that the agent may control.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Bytes of one look; what is more is read with the next. */
const lookBytesMax = 4 * 1024 * 1024

export type FileTail = {
  readonly lines: readonly string[]
  /** Where the next look begins. */
  readonly offset: number
  /** There is more already. */
  readonly isMore: boolean
}

/** Lines from an offset on, as far as they are whole. Throws when it is no such file. */
export async function readTail(path: string, offset: number): Promise<FileTail> {
  // WHY not blocking: a pipe of that name would hold us for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error('it is not a regular file')
    const user = process.getuid?.()
    if (user !== undefined && stats.uid !== user) throw new Error('it belongs to another user')
    // A file that is shorter than it was is another one; what was paid is known by its name.
    const from = stats.size < offset ? 0 : offset
    return await readLines(file, { from, size: stats.size })
  } finally {
    await file.close()
  }
}

type Span = { readonly from: number; readonly size: number }

async function readLines(file: FileHandle, { from, size }: Span): Promise<FileTail> {
  const wanted = Math.min(size - from, lookBytesMax)
  if (wanted <= 0) return { lines: [], offset: from, isMore: false }
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, from)
  const end = buffer.lastIndexOf(0x0a, bytesRead - 1)
  if (end < 0) {
    // A line longer than a look tells of nothing that is read here: its rest is no JSON either.
    const isTooLong = bytesRead === lookBytesMax
    return { lines: [], offset: isTooLong ? from + bytesRead : from, isMore: isTooLong }
  }
  const lines = buffer.toString('utf8', 0, end).split('\n')
  return { lines, offset: from + end + 1, isMore: from + bytesRead < size }
}
