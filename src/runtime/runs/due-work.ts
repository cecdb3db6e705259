/**
 * Work that is due without a command: approvals that expire, and items of the outbox. Both are in
 * the store, so a restart loses neither.
 */
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { ApprovalRow, OutboxItem, RunStore } from '../ports.ts'

/** Each gives the number of things done. Apart, so that a slow outside holds up nobody. */
type DueWork = {
  readonly expire: () => Promise<number>
  readonly deliver: () => Promise<number>
}

/**
 * Tells the outside; a fault means that it has to be told again. Gives the moment at which there
 * will be more to tell of the same; undefined: that was all.
 */
export type Deliver = (item: OutboxItem) => Promise<number | undefined>

type Tools = {
  readonly store: RunStore
  readonly clock: Clock
  /** Lets a question run out. */
  readonly expire: (row: ApprovalRow) => Promise<unknown>
  readonly deliver: Deliver
  readonly log: (what: string, fault: unknown) => void
}

/** Things told in one go: few, so that the lease outlasts a slow outside. */
const batchMax = 5
/** Questions looked at in one go. */
const expiriesMax = 1_000
/** How long a question that could not run out is left alone. */
const failedMs = 60_000
/** How long a taken piece of work is left alone before somebody else may take it. */
const leaseMs = 60_000
const retryMsMin = 1_000
const retryMsMax = 3_600_000
/** Tries after which work is given up, about two days. */
export const attemptsMax = 60

export function openDueWork(tools: Tools): DueWork {
  /** Questions that could not run out, and when that is tried again. */
  const failing = new Map<string, number>()
  return {
    expire: async () => {
      let done = 0
      const now = tools.clock.now()
      for (const row of await tools.store.dueApprovals(now, expiriesMax)) {
        if ((failing.get(row.id) ?? 0) > now) continue
        const isDone = await attempt(tools, `expiry of ${row.id}`, () => tools.expire(row))
        if (isDone) failing.delete(row.id)
        else failing.set(row.id, now + failedMs)
        // What was decided otherwise meanwhile is not remembered for ever.
        if (failing.size > expiriesMax) failing.clear()
        done += isDone ? 1 : 0
      }
      return done
    },
    deliver: async () => {
      let done = 0
      const at = tools.clock.now()
      for (const item of await tools.store.takeOutbox({ at, leaseMs, limit: batchMax })) {
        if (await deliver(tools, item)) done += 1
      }
      return done
    },
  }
}

async function deliver(tools: Tools, item: OutboxItem): Promise<boolean> {
  let moreAt: number | undefined
  const isTold = await attempt(tools, `${item.kind} ${item.id}`, async () => {
    moreAt = await tools.deliver(item)
  })
  if (isTold && moreAt !== undefined) {
    await tools.store.delayOutboxItem(item.id, moreAt)
    return true
  }
  if (isTold || item.attempts >= attemptsMax) {
    await tools.store.settleOutboxItem(item.id)
    if (!isTold) tools.log(`gave up after ${item.attempts} tries: ${item.kind} ${item.id}`, null)
    return isTold
  }
  await tools.store.delayOutboxItem(item.id, tools.clock.now() + retryMsAfter(item.attempts))
  return false
}

/** How long to wait after so many tries. */
export function retryMsAfter(attempts: number): number {
  return Math.min(retryMsMin * 2 ** Math.min(attempts, 20), retryMsMax)
}

/** Whether it went well. One thing that fails must not hold up the others. */
async function attempt(tools: Tools, what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'STORE_UNAVAILABLE') throw fault
    tools.log(what, fault)
    return false
  }
}
