/**
 * The key of the daemon, from which it makes what it hands out. No client is ever given it.
 * Knows the file. Must not know what is made of the key.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, rmSync } from 'node:fs'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { type Home, openHome } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'

const keyBytes = 32
const keyForm = /^[A-Za-z0-9_-]{43}$/

/** The key, made where there is none yet. */
export function ensureDaemonKey(home: Home): string {
  const known = readPrivate(home.key)
  if (known === null) makeKey(home)
  const key = (known ?? readPrivate(home.key) ?? '').trim()
  if (keyForm.test(key)) return key
  throw new PawlError('TOKEN_INVALID', `there is no key in \`${home.key}\``, {
    hint: 'delete the file, run `pawl stop`, and then `pawl init` in each project',
  })
}

/** WHY a link: of two programs that make one at the same time, both use the first. */
function makeKey(home: Home): void {
  openHome(home)
  const draft = `${home.key}.${process.pid}.${randomBytes(4).toString('hex')}`
  writePrivate(draft, `${randomBytes(keyBytes).toString('base64url')}\n`)
  try {
    linkSync(draft, home.key)
  } catch (fault) {
    if (errorCodeOf(fault) !== 'EEXIST') throw fault
  } finally {
    rmSync(draft, { force: true })
  }
}
