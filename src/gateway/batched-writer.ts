/**
 * Writes to a stream: the first message at once, and those that follow in the same turn of the
 * event loop together. WHY: with many calls at a time each write would wake the other side.
 */
import type { Writable } from 'node:stream'

type Gathered = {
  readonly write: (text: string) => void
  /** Writes what waits, now. To be called before the stream is ended. */
  readonly flush: () => void
}

/** How to write to this stream; nobody else writes to it. */
export function openBatchedWriter(stream: Writable): Gathered {
  /** Null: nothing was written lately. */
  let more: string[] | null = null
  const flush = (): void => {
    const texts = more ?? []
    more = null
    if (texts.length > 0) stream.write(texts.join(''))
  }
  return {
    write: (text) => {
      if (more !== null) return void more.push(text)
      stream.write(text)
      more = []
      // After all that was decided in this turn has spoken.
      process.nextTick(flush)
    },
    flush,
  }
}
