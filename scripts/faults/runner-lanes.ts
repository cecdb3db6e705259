/**
 * Runs rounds of one kind, several at a time, and sums up their results. Each round is still
 * checked by itself: how late it was, and what it left behind.
 */

/** What became of one round. */
export type Round = {
  /** How long after its own limit it was gone. */
  readonly lateMs: number
  readonly isHanging: boolean
  readonly survivors: number
}

export type Held = {
  readonly rounds: number
  readonly survivors: number
  readonly hangs: number
  readonly slowestMs: number
  /** By how much this process, which is the daemon of the jobs, has grown. */
  readonly growthBytes: number
  readonly tookMs: number
}

type Extent = { readonly rounds: number; readonly lanes: number }

export async function inLanes(
  { rounds, lanes }: Extent,
  act: (round: number) => Promise<Round>,
): Promise<Held> {
  const [begun, before] = [performance.now(), process.memoryUsage.rss()]
  const done: Round[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < rounds) {
      next += 1
      done.push(await act(next))
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, rounds) }, lane))
  return {
    rounds: done.length,
    survivors: done.reduce((sum, { survivors }) => sum + survivors, 0),
    hangs: done.filter(({ isHanging }) => isHanging).length,
    slowestMs: Math.max(0, ...done.map(({ lateMs }) => lateMs)),
    growthBytes: Math.max(0, process.memoryUsage.rss() - before),
    tookMs: performance.now() - begun,
  }
}
