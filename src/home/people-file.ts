/**
 * People besides the owner of the data directory, each with their own token, so that two approvals
 * come from two people. Only hashes of the tokens are stored.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import type { PeopleDoor } from '../doors/cli/remote/daemon-door.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { type Home, openHome } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'
import { userName } from './user-name.ts'

export type Person = { readonly name: string; readonly addedAt: number }
type StoredPerson = Person & { readonly hash: string }

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
const tokenBytes = 32
/** People of one data directory. */
const peopleMax = 1_000

/** What the command line needs of it. */
export function openPeopleDoor(home: Home): PeopleDoor {
  return {
    list: () => listPeople(home),
    add: (name, file) => {
      const draft = file === null ? null : openNew(file)
      try {
        const token = addPerson(home, name)
        if (draft !== null) writeSync(draft, `${token}\n`)
        return token
      } catch (fault) {
        if (file !== null) rmSync(file, { force: true })
        throw fault
      } finally {
        if (draft !== null) closeSync(draft)
      }
    },
    remove: (name) => removePerson(home, name),
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    const hint = `the system says ${errorCodeOf(cause)}; choose a file that does not exist yet`
    throw new PawlError('FILE_UNWRITABLE', `cannot write \`${path}\``, { hint, cause })
  }
}

/** The people that have tokens here, beside the owner. */
export function listPeople(home: Home): readonly Person[] {
  return read(home).map(({ name, addedAt }) => ({ name, addedAt }))
}

/** Makes a token for a person; it is given once and not kept. */
export function addPerson(home: Home, name: string): string {
  if (!nameForm.test(name)) {
    const hint = 'use up to 64 letters, digits, `.`, `_`, `@` and `-`'
    throw new PawlError('USAGE', `\`${name}\` is not a valid name for a person`, { hint })
  }
  openHome(home)
  const people = read(home)
  const isKnown = people.some((one) => one.name.toLowerCase() === name.toLowerCase())
  if (isKnown || name.toLowerCase() === userName().toLowerCase()) {
    const hint = 'the owner has `person.token`; for a new token, `pawl people remove` first'
    throw new PawlError('USAGE', `\`${name}\` already exists`, { hint })
  }
  if (people.length >= peopleMax) {
    throw new PawlError('OVERLOADED', `there are already ${peopleMax} people`, {
      hint: '`pawl people remove NAME` makes room',
    })
  }
  const token = randomBytes(tokenBytes).toString('base64url')
  write(home, [...people, { name, addedAt: Date.now(), hash: hashOf(token).toString('hex') }])
  return token
}

/** Takes the token away from a person; it counts no longer, at once. */
export function removePerson(home: Home, name: string): void {
  const people = read(home)
  const rest = people.filter((one) => one.name !== name)
  if (rest.length === people.length) {
    const hint = '`pawl people list` lists the names'
    throw new PawlError('USAGE', `\`${name}\` does not exist`, { hint })
  }
  write(home, rest)
}

/**
 * Whose token this is; null: nobody's. The file is looked at again when it has changed; one that
 * can not be read lets nobody in.
 */
export function openPeople(
  home: Home,
  onTrouble: (fault: unknown) => void,
): (presented: string) => string | null {
  let stamp = ''
  let known: readonly { readonly name: string; readonly hash: Buffer }[] = []
  return (presented) => {
    const now = stampOf(home)
    if (now !== stamp) {
      stamp = now
      known = []
      try {
        known = read(home).map(({ name, hash }) => ({ name, hash: Buffer.from(hash, 'hex') }))
      } catch (fault) {
        onTrouble(fault)
      }
    }
    const hash = hashOf(presented)
    return known.find((one) => timingSafeEqual(one.hash, hash))?.name ?? null
  }
}

function stampOf({ people }: Home): string {
  const stats = statSync(people, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.ino}.${stats.size}.${stats.mtimeMs}`
}

/** Of one length, so that comparing them tells nothing of how much fitted. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

const hashForm = /^[0-9a-f]{64}$/

function read({ people }: Home): readonly StoredPerson[] {
  const text = readPrivate(people)
  if (text === null) return []
  try {
    const kept = (JSON.parse(text) as { readonly people: readonly StoredPerson[] }).people
    const isWhole = kept.every(({ name, hash }) => nameForm.test(name) && hashForm.test(hash))
    if (isWhole) return kept
  } catch {
    // Told below: whoever is in it can not be told.
  }
  const hint = 'remove it and add the people again'
  throw new PawlError('FILE_UNREADABLE', `\`${people}\` cannot be read`, { hint })
}

function write({ people }: Home, kept: readonly StoredPerson[]): void {
  writePrivate(people, `${JSON.stringify({ people: kept }, null, 2)}\n`)
}
