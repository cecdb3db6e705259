/**
 * Reads the output of a job. A stream is a series of files, each named after the offset of its
 * first byte; the oldest are deleted when it is too long. Offsets count from the first byte ever
 * written.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { folderNames } from './job-files.ts'

export type JobStreamName = 'stdout' | 'stderr'

/** How much there is of a stream: `first` bytes are gone, it has been `size` bytes long. */
export type Extent = { readonly first: number; readonly size: number }

type Segment = { readonly start: number; readonly size: number; readonly path: string }

export function extentOf(folder: string, stream: JobStreamName): Extent {
  const segments = segmentsOf(folder, stream)
  const last = segments.at(-1)
  return { first: segments[0]?.start ?? 0, size: last === undefined ? 0 : last.start + last.size }
}

/** WHY only the last is looked at: the others are full, up to where the next one begins. */
function segmentsOf(folder: string, stream: JobStreamName): readonly Segment[] {
  const names = folderNames(folder)
    .filter((name) => name.startsWith(`${stream}.`) && /\.\d{20}$/.test(name))
    .sort()
  const starts = names.map((name) => Number(name.slice(stream.length + 1)))
  return names.map((name, index) => {
    const path = join(folder, name)
    const start = starts[index] ?? 0
    const next = starts[index + 1]
    const size = next === undefined ? statSync(path, { throwIfNoEntry: false })?.size : next - start
    return { start, path, size: size ?? 0 }
  })
}

export type Piece = {
  readonly bytes: Buffer
  /** Where the bytes begin: later than asked, where what was asked for is gone. */
  readonly start: number
  readonly extent: Extent
}

/** At most `limit` bytes from `offset` on. */
export function readLogBytes(
  folder: string,
  stream: JobStreamName,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Piece {
  const segments = segmentsOf(folder, stream)
  const last = segments.at(-1)
  const extent = {
    first: segments[0]?.start ?? 0,
    size: last === undefined ? 0 : last.start + last.size,
  }
  const start = Math.min(Math.max(offset, extent.first), Math.max(extent.size, offset))
  const end = Math.min(extent.size, start + limit)
  const parts: Buffer[] = []
  let at = start
  for (const segment of segments) {
    if (segment.start + segment.size <= at || segment.start >= end) continue
    const part = readPart(segment.path, at - segment.start, end - at)
    // A file that went away while it was read: what follows would not fit.
    if (part === null || segment.start > at) break
    parts.push(part)
    at += part.length
  }
  return { bytes: Buffer.concat(parts), start, extent }
}

function readPart(path: string, from: number, bytesMax: number): Buffer | null {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(Math.min(bytesMax, statSync(path).size - from))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
    } finally {
      closeSync(file)
    }
  } catch {
    // Dropped meanwhile: the reader is told by the extent.
    return null
  }
}

/**
 * How many of these bytes are whole characters. What is no UTF-8 at all counts as it stands, so
 * that every reader gets on.
 */
export function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return byte < 0xf8 && length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** The last lines of a stream, without the end of the last one; at most `bytesMax` bytes. */
export function lastLines(
  folder: string,
  stream: JobStreamName,
  { lines, bytesMax }: { readonly lines: number; readonly bytesMax: number },
): string {
  if (lines === 0) return ''
  const { size } = extentOf(folder, stream)
  const offset = Math.max(0, size - bytesMax)
  const { bytes, start } = readLogBytes(folder, stream, { offset, limit: bytesMax })
  const from = start > 0 ? firstWhole(bytes) : 0
  const text = bytes
    .subarray(from)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return text.split('\n').slice(-lines).join('\n')
}

/** Where the first whole character begins in bytes that were cut somewhere. */
function firstWhole(bytes: Buffer): number {
  let from = 0
  while (from < 3 && from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from += 1
  return from
}
