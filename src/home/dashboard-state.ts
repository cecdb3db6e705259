/**
 * What the page needs from the data directory: sign-ins, the last port, and the folder of its
 * built files.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { accesses } from '../doors/api/sign-in-access.ts'
import { type KeptSignIn, openSignIns, type SignIns } from '../doors/api/sign-ins.ts'
import type { Home } from './home.ts'
import { listPeople } from './people-file.ts'
import { readPrivate, writePrivate } from './private-file.ts'

/** The book of sign-ins of a data directory. */
export function openSignInFile(home: Home, name: string): SignIns {
  return openSignIns({
    now: Date.now,
    name,
    // Whoever was taken away is signed out with their token; an unreadable file knows nobody.
    isKnown: (other) => isPersonOf(home, other),
    read: () => readKept(home.signIns),
    write: (kept) => writePrivate(home.signIns, `${JSON.stringify(kept)}\n`),
  })
}

function isPersonOf(home: Home, name: string): boolean {
  try {
    return listPeople(home).some((one) => one.name === name)
  } catch {
    return false
  }
}

/** Whoever is in a file that cannot be read has to sign in again. */
function readKept(path: string): readonly KeptSignIn[] {
  try {
    const kept: unknown = JSON.parse(readPrivate(path) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isKept) : []
  } catch {
    return []
  }
}

function isKept(value: unknown): value is KeptSignIn {
  // WHY the cast: each field is looked at on the next lines.
  const one = value as KeptSignIn | null
  const texts = [one?.hash, one?.name]
  const isAccess = (accesses as readonly unknown[]).includes(one?.access)
  return (
    texts.every((text) => typeof text === 'string') && isAccess && Number.isFinite(one?.expiresAt)
  )
}

/** The port that browsers know this daemon by; 0: any, there was none. */
export function lastPort(home: Home): number {
  const port = Number(readPrivate(home.port) ?? '')
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
}

/** Remembers the port for the next start. */
export function keepPort(home: Home, port: number): void {
  if (lastPort(home) !== port) writePrivate(home.port, `${port}\n`)
}

/** Where the build puts the page, seen from a build and from the sources. */
export function findPageFolder(): { readonly pageFolder: string } | Record<never, never> {
  const near = join(import.meta.dirname, '..')
  const folders = [join(near, 'dashboard'), join(near, '..', 'dist', 'dashboard')]
  const found = folders.find((folder) => existsSync(join(folder, 'index.html')))
  return found === undefined ? {} : { pageFolder: found }
}
