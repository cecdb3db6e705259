/**
 * The daemon's own log: one JSON object per line, in a file that is rotated.
 * Knows files. Must not know what is logged. (What runs did is in their own logs.)
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import type { Json } from '../core/json.ts'

type LogLevel = 'info' | 'warning' | 'error'
export type LogLine = (
  level: LogLevel,
  message: string,
  details?: { readonly [key: string]: Json },
) => void

export type LogFile = { readonly line: LogLine; readonly close: () => void }

type LogSettings = {
  readonly bytesMax?: number
  /** Hears every line as well. */
  readonly onLine?: (line: string) => void
}

const logBytesMax = 10_000_000
/** Turned files beside the one that is written. */
const keptMax = 3

/** Opens a log for appending. */
export function openLog(path: string, settings: LogSettings = {}): LogFile {
  const bytesMax = settings.bytesMax ?? logBytesMax
  let file = openSync(path, 'a', 0o600)
  let bytes = fstatSync(file).size
  let lostCount = 0

  const turn = (): void => {
    for (let age = keptMax - 1; age >= 0; age -= 1) moveAside(path, age)
    closeSync(file)
    file = openSync(path, 'a', 0o600)
    bytes = fstatSync(file).size
  }
  const append = (line: string): void => {
    try {
      if (bytes > 0 && bytes + Buffer.byteLength(line) > bytesMax) turn()
      bytes += writeSync(file, line)
    } catch {
      // WHY not a fault: a full disk must not end the daemon; the loss is told once it can be.
      lostCount += 1
    }
  }
  return {
    line: (level, message, details = {}) => {
      const at = new Date().toISOString()
      const lost = lostCount === 0 ? {} : { linesLost: lostCount }
      lostCount = 0
      const line = `${JSON.stringify({ at, level, message, ...details, ...lost })}\n`
      append(line)
      settings.onLine?.(line)
    },
    close: () => closeSync(file),
  }
}

/** `daemon.log` becomes `daemon.log.1`, `.1` becomes `.2`, and the oldest is written over. */
function moveAside(path: string, age: number): void {
  try {
    renameSync(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
  }
}
