/**
 * A request for a job as the input of a call, which is stored in the log of its run: possible
 * secrets are replaced by their hashes, so that an approval is still bound to them.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../core/json.ts'
import { isSecretName, redact } from '../core/redact.ts'
import type { RunWish } from '../runtime/jobs/jobs-port.ts'

export function callInput({ stdin, environment, ...wish }: RunWish): JsonObject {
  return {
    // WHY the cast: a wish is JSON, of which nothing is undefined.
    ...(wish as JsonObject),
    ...(environment === undefined ? {} : { environment: namesOf(environment) }),
    ...(stdin === undefined ? {} : { stdin: hashed(stdin) }),
  }
}

function namesOf(environment: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const isSecret = isSecretName(name) || redact(value) !== value
      return [name, isSecret ? hashed(value) : value]
    }),
  )
}

function hashed(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex')
  return `[${Buffer.byteLength(text)} bytes, sha256 ${hash}]`
}
