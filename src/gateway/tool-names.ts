/**
 * Names of tools for the client of the gateway: `server__tool`, unique, and different from every
 * tool of a host.
 */
import { createHash } from 'node:crypto'

/** Clients take 64 letters, of which `mcp__pawl-gateway__` in front of them has 19. */
const nameCharsMax = 45
const taken = /^[A-Za-z0-9_-]+$/
const hashChars = 8

/** The name under which a client knows a tool or a prompt of a server. */
export function shownName(server: string, name: string): string {
  const plain = `${server}__${name}`
  if (plain.length <= nameCharsMax && taken.test(plain)) return plain
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, hashChars)
  const begin = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, nameCharsMax - hashChars - 1)
  return `${begin}_${hash}`
}
