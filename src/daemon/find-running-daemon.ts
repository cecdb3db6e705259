/** Finds which process holds the lock of a data directory, for one that could not get it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../home/home.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { readDaemonNote } from './daemon-file.ts'

const lookMs = 20
/** How long somebody who has the lock may take to say who it is. */
const noteMsMax = 2_000

/** The fault of whoever came second. */
export async function findRunning(home: Home): Promise<PawlError> {
  for (const end = performance.now() + noteMsMax; performance.now() < end; ) {
    const note = readDaemonNote(home)
    if (note !== null) return runningFault(home, ` (pid ${note.pid})`)
    await sleep(lookMs)
  }
  return runningFault(home, '')
}

function runningFault(home: Home, who: string): PawlError {
  const message = `a daemon is already running for \`${home.folder}\`${who}`
  return new PawlError('DAEMON_RUNNING', message, { hint: '`pawl stop` stops it' })
}
