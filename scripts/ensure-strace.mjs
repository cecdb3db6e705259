/**
 * The proof of the guard runs commands under strace. Installs it where that is possible; where it
 * is not, says how, and the tests that need it say that they were left out.
 */
import { spawnSync } from 'node:child_process'
import { env, getuid, platform } from 'node:process'
import { tell } from './checkout.mjs'

/** Brings strace with apt when we are root on a Debian; otherwise tells what is missing. */
export function ensureStrace() {
  if (platform !== 'linux' || works('strace')) return
  if (getuid?.() === 0 && works('apt-get')) {
    tell('installing strace (apt-get)')
    quiet('apt-get', ['update', '-qq'])
    quiet('apt-get', ['install', '-y', '-qq', 'strace'])
    if (works('strace')) return
  }
  tell('strace is missing: install it to run the fuzz of the guard (apt-get install strace)')
}

function works(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function quiet(program, args) {
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 }
  spawnSync(program, args, { ...options, stdio: 'ignore' })
}
