/**
 * Ids of runs, calls and jobs.
 */
import { randomBytes } from 'node:crypto'

/** Letters that are not taken for each other. */
const idLetters = '0123456789abcdefghjkmnpqrstvwxyz'
const idLength = 20

/** 100 random bits that a person can read out and the shell leaves alone. */
export function newId(): string {
  return [...randomBytes(idLength)].map((byte) => idLetters[byte % idLetters.length]).join('')
}
