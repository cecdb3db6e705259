/**
 * Whether a path of a workspace is as it was at some moment, by the times at which the kernel last
 * touched its entries. Programs can set the time of contents, but not this one.
 */
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The kernel's clock ticks, and people save a file right before they start an agent. */
const marginMs = 1_000

/**
 * WHY the folders as well: moving a folder here leaves the times of its files as they were. A new
 * neighbour has the same effect, so a no only means that it is not known.
 */
export function isUnchangedSince(root: string, path: string, since: number): boolean {
  const isOld = (at: string): boolean | null => {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    return stats === undefined ? null : stats.ctimeMs < since - marginMs
  }
  try {
    let isGone = false
    for (let at = join(root, path); at.length > root.length; at = dirname(at)) {
      const old = isOld(at)
      if (old === false) return false
      isGone ||= old === null
      if (dirname(at) === root && isGone) return isOld(root) === true
    }
    return true
  } catch {
    // It may not be looked at.
    return false
  }
}
