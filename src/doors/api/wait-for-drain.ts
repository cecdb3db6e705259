/** Waits for a slow reader, up to a timeout. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** A reader that takes nothing for so long is let go; it can resume. */
const slowMsMax = 15_000

/** Whether the reader has caught up in time. */
export async function waitForDrain(
  reader: Writable,
  signal: AbortSignal,
  timeoutMs: number = slowMsMax,
): Promise<boolean> {
  if (reader.destroyed) return false
  const late = AbortSignal.timeout(timeoutMs)
  try {
    await once(reader, 'drain', { signal: AbortSignal.any([signal, late]) })
    return true
  } catch {
    // Gone, broken, or too slow: the same to whoever writes.
    return false
  }
}
