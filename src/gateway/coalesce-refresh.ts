/**
 * Reads the lists of a server again when it says that they have changed: one reading at a time, and
 * however often it says so, one more after that.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** How long after one reading the next one waits. */
const pauseMs = 100

/** Wraps a reading, by what is read; calls while it is under way count as one. */
export function coalesced<What extends string>(
  read: (what: What) => Promise<void>,
): (what: What) => Promise<void> {
  const running = new Map<What, Promise<void>>()
  const again = new Set<What>()
  const work = async (what: What): Promise<void> => {
    do {
      again.delete(what)
      await read(what)
      if (again.has(what)) await sleep(pauseMs)
    } while (again.has(what))
  }
  return (what) => {
    const known = running.get(what)
    if (known !== undefined) {
      again.add(what)
      return known
    }
    const begun = work(what).finally(() => running.delete(what))
    running.set(what, begun)
    return begun
  }
}
