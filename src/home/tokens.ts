/**
 * The tokens of a data directory: for agents, for the gateways of this machine, for the person.
 * Knows files and randomness. Must not know what a token permits.
 */
import { randomBytes } from 'node:crypto'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Home } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'

export type Role = 'agent' | 'gateway' | 'person'

const tokenBytes = 32
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/** The tokens, made where there are none yet. Only whoever has the daemon's lock may call it. */
export function ensureTokens(home: Home): Readonly<Record<Role, string>> {
  const { agent, gateway, person } = home.tokens
  return {
    ...{ agent: ensureToken(agent), gateway: ensureToken(gateway) },
    person: ensureToken(person),
  }
}

/** A token as a client needs it. */
export function readToken(home: Home, role: Role): string {
  const token = tokenIn(home.tokens[role])
  if (token !== null) return token
  throw new PawlError('TOKEN_INVALID', `there is no token in \`${home.tokens[role]}\``, {
    hint: 'restart the daemon (`pawl stop`, then any command): it creates missing tokens',
  })
}

function ensureToken(path: string): string {
  const known = tokenIn(path)
  if (known !== null) return known
  const token = randomBytes(tokenBytes).toString('base64url')
  writePrivate(path, `${token}\n`)
  return token
}

function tokenIn(path: string): string | null {
  const text = readPrivate(path)?.trim() ?? ''
  return tokenForm.test(text) ? text : null
}
