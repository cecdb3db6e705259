/**
 * Signs people in to the page: a code from the terminal is exchanged for a key. Knows secrets and
 * how long they are valid, not headers or files.
 *
 * WHY no cookie: a browser sends cookies to every port of a host, and every port can push them out.
 * The page keeps the key within its origin, port included.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller } from './caller.ts'
import type { Access } from './sign-in-access.ts'

/** A sign-in as it is kept: nothing in it opens anything. */
export type KeptSignIn = {
  /** Of the key. */
  readonly hash: string
  readonly access: Access
  readonly name: string
  readonly expiresAt: number
}

type SignInOptions = {
  readonly now: () => number
  /** Whom the terminal belongs to. */
  readonly name: string
  /** Whether there still is a person of that name, beside the one above. */
  readonly isKnown: (name: string) => boolean
  readonly read: () => readonly KeptSignIn[]
  readonly write: (kept: readonly KeptSignIn[]) => void
}

export type SignedIn = { readonly key: string; readonly caller: Caller }

export type SignIns = {
  /** A code that signs one person in, once, soon: as whoever asks for it, or as the owner. */
  readonly invite: (
    access: Access,
    name?: string,
  ) => { readonly code: string; readonly expiresAt: number }
  /** Null: nobody made this code, it was used, or its time is over. `busy`: many wrong codes. */
  readonly redeem: (code: string) => SignedIn | 'busy' | null
  readonly find: (key: string) => Caller | null
  /** Signs out whoever has this key. */
  readonly end: (key: string) => void
  /** Signs everybody out. */
  readonly endAll: () => void
  /**
   * Shows whoever has a key that this is where it is from: their words, signed with its hash.
   * Null: nobody has signed in with a key of that name.
   */
  readonly prove: (of: string, words: string) => string | null
}

const codeMs = 5 * 60_000
const signInMs = 7 * 86_400_000
/** Codes that wait to be used; beyond it the oldest is void. */
const codesMax = 20
/** People who are signed in; beyond it the oldest has to sign in again. */
const signInsMax = 50
const triesMax = 30
const triesMs = 60_000
const secretBytes = 32

type Code = Pick<KeptSignIn, 'access' | 'name' | 'expiresAt'> & { readonly hash: string }

/** Opens the book of sign-ins; codes are forgotten with it, sign-ins are kept. */
export function openSignIns(options: SignInOptions): SignIns {
  const { now, name: owner, isKnown, read, write } = options
  let codes: readonly Code[] = []
  let kept = read().slice(-signInsMax)
  const tries = openTries(now)
  const isValid = ({ name, expiresAt }: KeptSignIn): boolean =>
    expiresAt > now() && (name === owner || isKnown(name))
  const keep = (next: readonly KeptSignIn[]): void => {
    kept = next.filter((one) => one.expiresAt > now()).slice(-signInsMax)
    write(kept)
  }
  return {
    invite: (access, name = owner) => {
      const code = secret()
      const expiresAt = now() + codeMs
      const open = codes.filter((one) => one.expiresAt > now())
      codes = [...open, { hash: hashOf(code), access, name, expiresAt }].slice(-codesMax)
      return { code, expiresAt }
    },
    redeem: (presented) => {
      const code = codes.find((one) => isSame(one.hash, presented))
      // WHY only then: nobody guesses 32 random bytes, and wrong codes must not keep others out.
      if (code === undefined || code.expiresAt <= now()) return tries.take() ? null : 'busy'
      codes = codes.filter((one) => one !== code)
      const { access, name } = code
      const key = secret()
      keep([...kept, { hash: hashOf(key), access, name, expiresAt: now() + signInMs }])
      return { key, caller: { role: 'person', name, access } }
    },
    find: (key) => {
      const found = kept.find((one) => isSame(one.hash, key))
      if (found === undefined || !isValid(found)) return null
      return { role: 'person', name: found.name, access: found.access }
    },
    end: (key) => keep(kept.filter((one) => !isSame(one.hash, key))),
    endAll: () => keep([]),
    prove: (of, words) => {
      const found = kept.find(({ hash }) => isSame(of, `of ${hash}`))
      if (found === undefined || !isValid(found)) return null
      return createHmac('sha256', found.hash).update(words).digest('hex')
    },
  }
}

function openTries(now: () => number): { readonly take: () => boolean } {
  let [since, count] = [0, 0]
  return {
    take: () => {
      if (now() - since >= triesMs) [since, count] = [now(), 0]
      count += 1
      return count <= triesMax
    },
  }
}

function secret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isSame(hash: string, presented: string): boolean {
  const [known, other] = [Buffer.from(hash), Buffer.from(hashOf(presented))]
  return known.length === other.length && timingSafeEqual(known, other)
}
