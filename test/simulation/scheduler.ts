/**
 * Decides who goes on next: nothing in a simulated world moves but by a turn, and the seed picks
 * whose turn it is. Knows steps. Must not know what is done in them.
 */
import type { Random } from '../../scripts/shell-fuzz/random.ts'
import { Broken } from './broken-promise.ts'

export type Scheduler = {
  /** Resolves when it is this step's turn; never, once its owner is gone. */
  readonly step: (owner: object) => Promise<void>
  /** Takes back every turn that this owner waits for, now and later. */
  readonly drop: (owner: object) => void
  /** Gives turns until the work is done. */
  readonly drive: <T>(work: Promise<T>) => Promise<T>
  /** Gives turns until nobody waits for one. */
  readonly rest: () => Promise<void>
}

/** Turns of one schedule; one that needs more goes in circles. */
const turnsMax = 20_000

type Parked = { readonly owner: object; readonly go: () => void }

export function openScheduler(random: Random): Scheduler {
  let parked: Parked[] = []
  let turns = 0
  const gone = new WeakSet<object>()
  const turn = (): void => {
    turns += 1
    if (turns > turnsMax) throw new Broken('the schedule does not come to an end')
    const [next] = parked.splice(random.below(parked.length), 1)
    if (next === undefined) throw new Broken('everybody waits and nobody can go on')
    next.go()
  }
  return {
    step: (owner) =>
      new Promise((go) => {
        if (!gone.has(owner)) parked.push({ owner, go })
      }),
    drop: (owner) => {
      gone.add(owner)
      parked = parked.filter((one) => one.owner !== owner)
    },
    drive: async (work) => {
      let isDone = false
      const done = (): void => {
        isDone = true
      }
      work.then(done, done)
      for (;;) {
        await settled()
        if (isDone) return work
        turn()
      }
    },
    rest: async () => {
      for (await settled(); parked.length > 0; await settled()) turn()
    },
  }
}

/**
 * Everything that can go on without a turn has gone on.
 * WHY a tick: Node begins it when no promise has anything left to do, without looking outside.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
