/**
 * The secrets of hooks: one for every folder in which hooks are installed, and one for the hooks of
 * the user. Each is good for hook events of that folder and for nothing else.
 * Knows the key of the daemon. Must not know hosts or events.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CheckHook } from '../doors/api/hook-exchange.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { ensureDaemonKey } from './daemon-key.ts'
import type { Home } from './home.ts'
import { ensurePrivateFolder, readPrivate, writePrivate } from './private-file.ts'

/** For which folder a hook speaks; of a user's hook the folder says only where it was started. */
type HookPlace = Parameters<CheckHook>[1]

type InstalledPlace = { readonly workspace: string; readonly scope?: 'user' }

/** What the compiled client reads at most. */
const listBytesMax = 256 * 1024

/** The check of both doors for hooks. */
export function openHookCheck(key: string): CheckHook {
  return (presented, place) => {
    const name = nameOf(place)
    if (name === null) return false
    const [wanted, given] = [Buffer.from(secretOf(key, name)), Buffer.from(presented)]
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  }
}

/** The secret for hooks of a folder, for `pawl init`; null: there is no key yet. */
export function hookSecretOf(home: Home, workspace: string): string | null {
  if (readPrivate(home.key) === null) return null
  return secretOf(ensureDaemonKey(home), encodeURIComponent(workspace))
}

/** Writes the secrets of all installed hooks, where they have changed. */
export function writeHookSecrets(home: Home, installs: readonly InstalledPlace[]): void {
  const names = new Set(installs.map((one) => nameOf(one)).filter((name) => name !== null))
  const key = ensureDaemonKey(home)
  const text = [...names].map((name) => `${name} ${secretOf(key, name)}\n`).join('')
  if (Buffer.byteLength(text) >= listBytesMax) {
    throw new PawlError('OVERLOADED', 'hooks are installed in too many folders', {
      hint: 'remove some with `pawl uninit`',
    })
  }
  ensurePrivateFolder(home.bin)
  if (readPrivate(home.hookSecrets) !== text) writePrivate(home.hookSecrets, text)
}

/** The secret as a client of hooks finds it. Fault `TOKEN_INVALID`: none is installed there. */
export function readHookSecret(home: Home, place: HookPlace): string {
  const name = nameOf(place)
  const lines = (readPrivate(home.hookSecrets) ?? '').split('\n')
  const line = name === null ? undefined : lines.find((one) => one.startsWith(`${name} `))
  if (line !== undefined && name !== null) return line.slice(name.length + 1)
  const message = 'the hooks of this folder have no secret'
  throw new PawlError('TOKEN_INVALID', message, { hint: 'run `pawl init` there' })
}

/** As it stands in the header of a hook; null: a hook that names no folder speaks for none. */
function nameOf({ workspace, scope }: HookPlace): string | null {
  if (scope === 'user') return 'user:'
  return workspace === null ? null : encodeURIComponent(workspace)
}

function secretOf(key: string, name: string): string {
  return createHmac('sha256', key).update(`hook ${name}`).digest('base64url')
}
