/**
 * Starts the daemon of a data directory if none answers, and stops it.
 * Knows processes. Must not know what a daemon does.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Home, openHome } from '../home/home.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { type DaemonNote, processStartOf, readDaemonNote } from './daemon-file.ts'

/** WHY so long: on a busy machine it takes seconds; a hook that waits for it has 55 of them. */
const startMsMax = 40_000
const stopMsMax = 15_000
const lookMs = 30
const probeMsMax = 2_000
const strangerMs = 500
/** Bytes of the log that are looked at for why a daemon did not start. */
const logBytesMax = 64 * 1024

/**
 * Makes sure that a daemon answers. Many may do so at once; one daemon comes of it.
 * `program`: the file that is started; null: none may be.
 */
export async function ensureDaemon(home: Home, program: string | null): Promise<void> {
  openHome(home)
  if (await doesAnswer(home.socket)) return
  if (program === null) {
    throw new PawlError('DAEMON_UNREACHABLE', `no daemon is running for \`${home.folder}\``, {
      hint: 'start one with `pawl serve`: PAWL_NO_AUTOSTART=1 prevents starting it automatically',
    })
  }
  const logStart = statSync(home.log, { throwIfNoEntry: false })?.size ?? 0
  const end = performance.now() + startMsMax
  let daemon = spawnDaemon(home, program)
  while (performance.now() < end) {
    if (await doesAnswer(home.socket)) return
    if (daemon.hasEnded() && readDaemonNote(home) === null && !(await doesAnswer(home.socket))) {
      // It has failed; or it came second, to one that was on its way out.
      if (lastWords(home, logStart).code !== 'DAEMON_RUNNING') break
      daemon = spawnDaemon(home, program)
    }
    await sleep(lookMs)
  }
  throw didNotStart(home, logStart)
}

type Spawned = { readonly hasEnded: () => boolean }

/** Starts a daemon that outlives this process and has nothing of it but a clean environment. */
function spawnDaemon(home: Home, program: string): Spawned {
  const log = openSync(home.log, 'a', 0o600)
  const child = spawn(process.execPath, [program, 'serve', '--quiet'], {
    // WHY: a daemon must not hold on to a folder that somebody wants to remove.
    cwd: home.folder,
    detached: true,
    env: { ...cleanEnvironment(process.env), PAWL_HOME: home.folder },
    // What it says itself goes into its log; here comes what Node says when it falls.
    stdio: ['ignore', 'ignore', log],
    windowsHide: true,
  })
  closeSync(log)
  let hasEnded = false
  child.on('exit', () => {
    hasEnded = true
  })
  child.on('error', () => {
    hasEnded = true
  })
  child.unref()
  return { hasEnded: () => hasEnded }
}

/**
 * Sockets of a data directory on which a program answers although no daemon runs.
 * WHY looked at twice: a daemon that begins or ends right now is no stranger.
 */
export async function findStrangers(home: Home): Promise<readonly string[]> {
  let paths = [home.socket, home.hookSocket]
  for (const waitMs of [0, strangerMs]) {
    await sleep(waitMs)
    const answers = await Promise.all(paths.map(doesAnswer))
    paths = paths.filter((_, at) => answers[at])
    if (paths.length === 0 || readDaemonNote(home) !== null) return []
  }
  return paths
}

async function doesAnswer(path: string): Promise<boolean> {
  const socket = createConnection(path)
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(probeMsMax) })
    return true
  } catch {
    // Nobody there, or nobody who listens: an answer, not a fault.
    return false
  } finally {
    socket.destroy()
  }
}

function didNotStart(home: Home, logStart: number): PawlError {
  const { message, hint } = lastWords(home, logStart)
  const see = `\`${home.log}\` has details; \`pawl serve\` shows them live`
  return new PawlError('DAEMON_UNREACHABLE', `the daemon did not start: ${message}`, {
    hint: hint === '' ? see : `${hint}; ${see}`,
  })
}

type Words = { readonly message: string; readonly hint: string; readonly code: string }

/** Why a daemon has ended: the last error in what it wrote, else its last line. */
function lastWords(home: Home, start: number): Words {
  const lines = readFileSync(home.log)
    .subarray(start)
    .subarray(-logBytesMax)
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(wordsIn)
  const last = lines.findLast(({ level }) => level === 'error') ?? lines.at(-1)
  return last ?? { message: 'it printed nothing', hint: '', code: '' }
}

function wordsIn(line: string): Words & { readonly level: string } {
  try {
    const { level, message, hint = '', code = '' } = JSON.parse(line)
    return { level, message: String(message), hint: String(hint), code }
  } catch {
    // Not a line of ours: what Node itself says when it falls.
    return { level: '', message: line.trim(), hint: '', code: '' }
  }
}

/** Ends it, and waits for that. Null: there was none. */
export async function stopDaemon(home: Home): Promise<DaemonNote | null> {
  const note = readDaemonNote(home)
  if (note === null) return null
  process.kill(note.pid, 'SIGTERM')
  for (const end = performance.now() + stopMsMax; performance.now() < end; ) {
    if (processStartOf(note.pid) !== note.born) return note
    await sleep(lookMs)
  }
  throw new PawlError('DAEMON_RUNNING', `the daemon (pid ${note.pid}) does not stop`, {
    hint: `check \`${home.log}\`; \`kill -9 ${note.pid}\` loses no acknowledged change`,
  })
}
