/**
 * The pass of this gateway, if it has one: while it is valid, calls that no rule can apply to are
 * made without asking the daemon. Nothing is judged here: the daemon says that there are no rules,
 * and revokes that through a file.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import type { JsonObject } from '../core/json.ts'
import { mentionsProtectedNames } from '../core/judge-without-run.ts'
import type { BypassToken } from '../runtime/gateway/bypass-tokens.ts'

export type Bypass = {
  /** Whether a call without a mark, of this input, need not be asked about. Looks each time. */
  readonly covers: (input: JsonObject) => boolean
  /** What the daemon said last, and when it was asked. */
  readonly take: (pass: BypassToken | null, askedAt: number) => void
  readonly close: () => void
}

export function openBypass(): Bypass {
  let held: { readonly word: Buffer; readonly until: number } | null = null
  let place: { readonly file: string; readonly at: number } | null = null
  let seen = Buffer.alloc(0)
  const close = (): void => {
    if (place !== null) closeSync(place.at)
    place = null
  }
  const stands = (word: Buffer): boolean => {
    if (place === null) return false
    if (seen.length !== word.length) seen = Buffer.alloc(word.length)
    try {
      return readSync(place.at, seen, 0, word.length, 0) === word.length && seen.equals(word)
    } catch {
      // What cannot be read holds nothing: the daemon is asked.
      return false
    }
  }
  const open = (file: string): void => {
    close()
    try {
      place = { file, at: openSync(file, 'r') }
    } catch {
      // A daemon whose files are not here: it is asked each time.
    }
  }
  return {
    covers: (input) => {
      if (held === null) return false
      if (performance.now() >= held.until || !stands(held.word)) held = null
      return held !== null && !mentionsProtectedNames(input)
    },
    take: (pass, askedAt) => {
      held = null
      if (pass === null) return
      const word = Buffer.from(pass.word)
      // WHY opened anew: another daemon may have made another file in its place.
      if (place?.file !== pass.file || !stands(word)) open(pass.file)
      if (stands(word)) held = { word, until: askedAt + pass.ms }
    },
    close,
  }
}
