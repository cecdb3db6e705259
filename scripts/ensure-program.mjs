/**
 * Programs of the system that some tests and the package need. Installs them where that is
 * possible; where it is not, says how, and the tests that need them say that they were left out.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { env, getuid, platform } from 'node:process'
import { tell } from './checkout.mjs'

/** The proof of the guard runs commands under strace. */
export function ensureStrace() {
  if (platform !== 'linux' || works('strace')) return
  if (!install(['strace'], () => works('strace'))) {
    tell('strace is missing: install it to run the fuzz of the guard (apt-get install strace)')
  }
}

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The page is tested in a real Chromium; PAWL_CHROMIUM names one that is elsewhere. */
export function ensureChromium() {
  const isThere = () =>
    [env.PAWL_CHROMIUM ?? '', ...browsers].some((path) => path !== '' && existsSync(path))
  if (isThere() || install(['chromium'], isThere)) return
  tell(
    'Chromium is missing: install it to run the tests of the page (apt-get install chromium), ' +
      'or name one with PAWL_CHROMIUM',
  )
}

/** Whether a C compiler is there, after Debian's packages of it were tried. */
export function ensureCompiler(compiler, packages) {
  return works(compiler) || install(packages, () => works(compiler))
}

/** Brings packages with apt when we are root on a Debian; whether the program is there then. */
function install(packages, isThere) {
  if (platform !== 'linux' || getuid?.() !== 0 || !works('apt-get')) return false
  tell(`installing ${packages.join(' ')} (apt-get)`)
  quiet('apt-get', ['update', '-qq'])
  quiet('apt-get', ['install', '-y', '-qq', ...packages])
  return isThere()
}

function works(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function quiet(program, args) {
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 300_000 }
  spawnSync(program, args, { ...options, stdio: 'ignore' })
}
