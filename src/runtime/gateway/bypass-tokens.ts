/**
 * Passes of gateways: permission to make calls that no rule applies to without asking each time.
 * A pass is a token that is also in a file. Revoking writes another token there, and a gateway
 * reads the file before each call. So no call uses a pass after its revocation has returned, and
 * nobody has to wait for a gateway, even if it hangs or is gone.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'

export type BypassToken = {
  readonly file: string
  /** What stands at the beginning of the file while the pass holds. */
  readonly word: string
  /** From the question on; then it is over, whatever stands there. */
  readonly ms: number
}

export type BypassTokens = {
  /** INVARIANT: asked for before it is looked whether it may be given. */
  readonly offer: () => BypassToken
  /** Takes back all that were offered, before it returns. Never fails. */
  readonly takeBack: () => void
  /** Takes back all, for good. */
  readonly close: () => void
}

/**
 * How long one holds. WHY: nobody is told when a policy's file changes. A look at the files is
 * believed for half a second and a pass for the other half: a change counts within one.
 */
const passMs = 500
const wordBytes = 16

/** Takes back whatever an earlier daemon has given. Only whoever has its lock may open them. */
export function openBypassTokens(file: string): BypassTokens {
  // Emptied by opening it: a word of before no longer stands there.
  const place = openSync(file, 'w', 0o600)
  const put = (): string => {
    const word = randomBytes(wordBytes).toString('hex')
    writeSync(place, word, 0)
    return word
  }
  let word = put()
  let offeredAt: number | null = null
  let isClosed = false
  const takeBack = (): void => {
    // WHY not when it is closed: its number may be another file's by then.
    if (offeredAt === null || isClosed) return
    const since = performance.now() - offeredAt
    offeredAt = null
    try {
      word = put()
    } catch {
      // A disk that takes nothing: the passes that are out there are waited for.
      if (since < passMs) standStill(passMs - since)
    }
  }
  return {
    offer: () => {
      offeredAt = performance.now()
      return { file, word, ms: passMs }
    },
    takeBack,
    close: () => {
      takeBack()
      if (!isClosed) closeSync(place)
      isClosed = true
    },
  }
}

/** WHY so: whoever is told next must not be told before. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
