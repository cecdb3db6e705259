/**
 * What a daemon finds when it starts: how the one before ended, and what is open.
 */

import type { Store } from '../runtime/ports.ts'
import { openStatuses } from '../runtime/runs/open-statuses.ts'
import type { LogLine } from './log-file.ts'

const openRunsMax = 500

type Start = {
  /** Whether the daemon before did not end by itself. */
  readonly left: boolean
  readonly log: LogLine
}

/** What a person may want to know at a start. */
export async function reportAtStart(
  store: Store,
  { left, log }: Start,
): Promise<readonly string[]> {
  const found: string[] = []
  if (left)
    found.push(
      'the previous daemon did not shut down cleanly; everything it acknowledged is still here',
    )
  const trouble = await store.findTrouble()
  if (trouble !== null) {
    found.push(`the store has a problem: ${trouble}`)
    log('error', 'the store has a problem', { trouble })
  }
  const where = { workspace: null, definition: null, after: null, limit: openRunsMax }
  const { items, next } = await store.listRuns({ statuses: openStatuses, ...where })
  const asking = items.filter((head) => head.status === 'waiting').length
  const more = next === null ? '' : ' or more'
  if (items.length > 0)
    found.push(`open runs: ${items.length}${more}, ${asking} of them waiting for approval`)
  return found
}
