/**
 * Installs what the lockfile names, and does nothing if it is already installed.
 * Runs on Node 18, because it runs before ours is installed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { env, platform } from 'node:process'
import { root, SetupError, tell, withLock } from './checkout.mjs'

const outputBytesMax = 64 * 1024 * 1024
const lockfilePath = join(root, 'package-lock.json')
// npm writes this file when an installation is complete, so it is the proof of one.
const installedPath = join(root, 'node_modules', '.package-lock.json')

/** Installs when `node_modules` is missing or does not hold what the lockfile names. */
export async function ensureInstalled() {
  if (isInstalled()) return
  await withLock(() => {
    if (isInstalled()) return
    tell('installing dependencies (npm ci)')
    install()
  })
}

function isInstalled() {
  if (!existsSync(installedPath)) return false
  if (statSync(lockfilePath).mtimeMs <= statSync(installedPath).mtimeMs) return true
  // WHY: a copy or a checkout gives the lockfile a new time without new contents. Asking npm then
  //      would need a network for nothing.
  if (!holdsWhatIsLocked()) return false
  const now = new Date()
  utimesSync(installedPath, now, now)
  return true
}

function holdsWhatIsLocked() {
  const locked = JSON.parse(readFileSync(lockfilePath, 'utf8')).packages
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages
  const isSame = (path) =>
    installed[path] !== undefined &&
    installed[path].version === locked[path].version &&
    installed[path].integrity === locked[path].integrity
  return (
    Object.keys(installed).every((path) => locked[path] !== undefined) &&
    Object.keys(locked).every(
      (path) =>
        path === '' || isSame(path) || (locked[path].optional && installed[path] === undefined),
    )
  )
}

function install() {
  // WHY: NODE_ENV=production would leave the compiler out; no dependency needs a script of its own.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts']
  const result = spawnSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...env, PATH: pathWithoutOurs() },
    shell: platform === 'win32',
    maxBuffer: outputBytesMax,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (result.error?.code === 'ENOENT') {
    throw new SetupError('`npm` was not found; install Node 18 or newer with npm and try again')
  }
  if (result.error) throw new SetupError(`\`npm ci\` did not start: ${result.error.message}`)
  if (result.status === 0) return
  const output = `${result.stdout}${result.stderr}`
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)) {
    throw new SetupError(
      'the npm registry cannot be reached; connect to the network, or name a mirror with ' +
        '`npm config set registry URL`, and try again',
    )
  }
  throw new SetupError('`npm ci` failed; its output is above', output)
}

// npm must not run on the Node that it is about to replace.
function pathWithoutOurs() {
  const ours = join(root, 'node_modules', '.bin')
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== ours)
    .join(delimiter)
}
