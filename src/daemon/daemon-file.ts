/**
 * `daemon.json`: which process serves a data directory, and where. The lock says that one serves;
 * this file only says which. Knows pids and addresses.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import type { Home } from '../home/home.ts'
import { readPrivate, writePrivate } from '../home/private-file.ts'

export type DaemonNote = {
  readonly pid: number
  /** When the system began this pid, in the system's own words: pids come back. */
  readonly born: string
  readonly version: string
  readonly socket: string
  /** Null while it starts. */
  readonly http: string | null
  /** Where people open the page; absent while it starts. */
  readonly page?: string
}

/** Leaves word of the daemon that this process is. */
export function writeDaemonNote(home: Home, note: Omit<DaemonNote, 'pid' | 'born'>): void {
  const whole: DaemonNote = { pid: process.pid, born: processStartOf(process.pid) ?? '', ...note }
  writePrivate(home.daemon, `${JSON.stringify(whole)}\n`)
}

export function removeDaemonNote(home: Home): void {
  rmSync(home.daemon, { force: true })
}

/** The daemon of a data directory, if it lives; a note that a dead one left counts for nothing. */
export function readDaemonNote(home: Home): DaemonNote | null {
  const note = parseNote(readPrivate(home.daemon) ?? '')
  if (note === null) return null
  const born = processStartOf(note.pid)
  return born !== null && born === note.born ? note : null
}

/** Whether a daemon has left its note behind: it did not end by itself. */
export function wasLeftBehind(home: Home): boolean {
  return readPrivate(home.daemon) !== null
}

function parseNote(text: string): DaemonNote | null {
  try {
    const note = JSON.parse(text) as DaemonNote
    return Number.isSafeInteger(note.pid) && note.pid > 0 ? note : null
  } catch {
    // WHY not a fault: whoever wrote it is not the daemon, so there is no word of a daemon.
    return null
  }
}

/** When a process began, as the system tells it; null when there is no such process. */
export function processStartOf(pid: number): string | null {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // No permission to signal it: it lives, but it is not ours.
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return null
  }
  if (process.platform === 'linux') return bornByProc(pid)
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  return status === 0 ? stdout.trim() : null
}

function bornByProc(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in brackets and may hold anything; fields follow behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state, born] = [fields[0], fields[19]]
    return state === 'Z' || born === undefined ? null : born
  } catch {
    // It ended between the two looks.
    return null
  }
}
