/**
 * The files of a job: its request, its end, and its output. The next daemon finds everything here;
 * nothing is only in memory.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rm,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Isolation } from '../runtime/jobs/jobs-port.ts'
import type { Destination } from './destinations.ts'

/** What was started, as it is kept in `job.json`. */
export type JobNote = {
  readonly id: string
  readonly command: string
  readonly args: readonly string[] | null
  readonly workspace: string
  /** Where it starts: the workspace, or a folder in it. */
  readonly folder: string
  /** Names of the variables that it was given, sorted. */
  readonly variables: readonly string[]
  /** By which a repeated request is known from another one under the same id. */
  readonly asked: string
  readonly startedAt: number
  readonly background: boolean
  readonly stdoutLines: number
  readonly runId: string | null
  readonly branch: string | null
  /** The call of the run that was let through for it. */
  readonly callId: string | null
  /** Who started it, where there is no run. */
  readonly owner: 'agent' | 'person'
  readonly isolation: Isolation
  readonly limitsEnforced: boolean
  readonly cgroups: readonly string[]
  /** What it may connect to through its way out; absent or null: it has none. */
  readonly destinations?: readonly Destination[] | null
  readonly warnings: readonly string[]
}

/** How it ended, as the helper writes it into `end.json`. */
export type JobEnd = {
  readonly why: 'exit' | 'kill' | 'timeout' | 'alone' | 'failed' | 'lost'
  readonly endedAt: number
  readonly code: number | null
  readonly signal: number | null
  readonly killedBy: number | null
  readonly error: number | null
  /** Where it failed, if it never began: `exec`, `interpreter`, `folder`, or its box. */
  readonly step: string
  readonly limit: 'memory' | 'cpu' | 'file' | null
  readonly durationMs: number
  readonly cpuMs: number | null
  readonly memoryPeakBytes: number | null
  readonly memoryLargestBytes: number | null
  readonly ioReadBytes: number | null
  readonly ioWriteBytes: number | null
  readonly stdoutLost: number
  readonly stderrLost: number
}

export const controlName = 'control'
export const inputName = 'stdin'
/** Where an unboxed job keeps its own files. */
export const scratchName = 'tmp'
const noteName = 'job.json'
const endName = 'end.json'
const secretsName = 'secrets.json'
/** Its run has been told of its end. */
const toldName = 'told'

/** Puts a text in the place of a file, whole or not at all. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  const file = openSync(draft, 'wx', 0o600)
  try {
    // WHY no sync: what loses power loses its jobs as well, and half a file does not count.
    writeSync(file, text)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

export function writeJobNote(folder: string, note: JobNote): void {
  writeWhole(join(folder, noteName), `${JSON.stringify(note)}\n`)
}

/** Null: there is none, or none that can be read. */
export function readJobNote(folder: string): JobNote | null {
  return readJsonFile<JobNote>(join(folder, noteName))
}

export function readEnd(folder: string): JobEnd | null {
  return readJsonFile<JobEnd>(join(folder, endName))
}

export function writeEnd(folder: string, end: JobEnd): void {
  writeWhole(join(folder, endName), `${JSON.stringify(end)}\n`)
}

/** Values that summaries leave out, for daemons to come. */
export function writeSecrets(folder: string, secrets: readonly string[]): void {
  if (secrets.length > 0) writeWhole(join(folder, secretsName), JSON.stringify(secrets))
}

export function readSecrets(folder: string): readonly string[] {
  return readJsonFile<readonly string[]>(join(folder, secretsName)) ?? []
}

/** WHY a file: a pipe of the daemon would end with the daemon. */
export function writeInput(folder: string, text: string | null): void {
  if (text !== null) writeWhole(join(folder, inputName), text)
}

export function isTold(folder: string): boolean {
  return statSync(join(folder, toldName), { throwIfNoEntry: false }) !== undefined
}

export function markTold(folder: string): void {
  writeWhole(join(folder, toldName), '')
}

/** Null: not there, or not whole. */
export function readJsonFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    // Not there yet, or cut off by a power failure: what is not whole does not count.
    return null
  }
}

/** What an unboxed job kept there is of no use to anybody else, and may be large. */
export function removeScratch(folder: string): void {
  rm(join(folder, scratchName), { recursive: true, force: true }, () => undefined)
}

/** Bytes that a job takes on the disk. */
export function bytesOf(folder: string): number {
  let bytes = 0
  for (const name of folderNames(folder)) {
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

export function folderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Somebody has removed it meanwhile.
    return []
  }
}

export function removeJob(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
