/** Secrets in files of their own, readable only by their owner. */
import { join } from 'node:path'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Home } from './home.ts'
import { readPrivate } from './private-file.ts'

/** The secret in a file of the data directory, fit for a header. Fault `CONFIG_INVALID`. */
export function readSecret({ folder }: Home, file: string): string {
  const path = join(folder, file)
  const secret = readPrivate(path)?.trim() ?? ''
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw noSecret(path, 'write the secret into it, on one line, with mode 0600')
}

/** Faults where there is no secret. The file is closed to others where it stands open. */
export function requireSecret(path: string): void {
  if ((readPrivate(path) ?? '').trim() !== '') return
  throw noSecret(path, 'write the secret into it, readable only by you (mode 0600)')
}

function noSecret(path: string, hint: string): PawlError {
  return new PawlError('CONFIG_INVALID', `there is no secret in \`${path}\``, { hint })
}
