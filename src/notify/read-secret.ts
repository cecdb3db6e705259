/** Reads a secret from its file when it is needed. */
import { readFileSync } from 'node:fs'

/** The text of the file without the blanks around it. */
export function readSecretFile(path: string): string {
  const secret = readFileSync(path, 'utf8').trim()
  if (secret === '') throw new Error(`there is no secret in \`${path}\``)
  return secret
}
