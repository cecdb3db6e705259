/**
 * Schedules of agents, people, timeouts and crashes, each made from its seed. The long runs are
 * `scripts/simulate.ts`.
 */
import { expect, test } from 'vitest'
import { type Mutant, mutants } from './mutants.contract.ts'
import { simulateParallel } from './parallel-calls.ts'
import { type Schedule, simulate, traceOf } from './simulate.ts'

const schedulesCount = 1_000
const timeoutMs = 900_000
/** `node scripts/simulate.ts --parallel` plays more of them. */
const parallelCount = 30

/** Seeds among which a planted bug must be found. */
const seedsMax = 1_000

/** The first schedule that finds this bug, and not only one of its consequences. */
async function firstBroken({ plant, found }: Mutant): Promise<Schedule | null> {
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const schedule = await simulate(seed, { plant })
    if (schedule.broken !== null && found.test(schedule.broken)) return schedule
  }
  return null
}

/** What schedules are about; one in which nothing happens breaks nothing. */
const wanted = [
  ...['call.allowed', 'call.asked', 'call.reported', 'limit.reached', 'CALLS_EXHAUSTED'],
  ...[
    'COUNT_EXHAUSTED',
    'SUM_EXHAUSTED',
    'PREREQUISITE_MISSING',
    'RATE_LIMITED',
    'BUDGET_EXHAUSTED',
    'APPROVAL_PENDING',
    'POLICY_DENIED',
  ],
  ...['approval.granted', 'approval.refused', 'approval.expired'],
  ...['detour.begun', 'detour.ended', 'fork.opened', 'fork.closed', 'child.ended'],
  ...['run.paused', 'run.resumed', 'run.completed', 'run.blocked', 'run.failed', 'run.cancelled'],
]

test(
  `no promise is broken in ${schedulesCount} schedules`,
  async () => {
    const broken: Schedule[] = []
    const kinds = new Set<string>()
    for (let seed = 1; seed <= schedulesCount; seed += 1) {
      const schedule = await simulate(seed)
      if (schedule.broken !== null) broken.push(schedule)
      for (const kind of schedule.kinds) kinds.add(kind)
    }
    expect(broken).toEqual([])
    expect(wanted.filter((kind) => !kinds.has(kind))).toEqual([])
  },
  timeoutMs,
)

test(
  `exactly the limit passes of 100 parallel calls in ${parallelCount} schedules`,
  async () => {
    const broken: Schedule[] = []
    for (let seed = 1; seed <= parallelCount; seed += 1) {
      const schedule = await simulateParallel(seed)
      if (schedule.broken !== null) broken.push(schedule)
    }
    expect(broken).toEqual([])
  },
  timeoutMs,
)

test.each(mutants)(
  'a store that $name is found out',
  async (mutant) => {
    expect(await firstBroken(mutant)).not.toBeNull()
  },
  timeoutMs,
)

test('a failure comes again from its seed, step by step', async () => {
  const [mutant] = mutants as [Mutant]
  const { plant } = mutant
  const first = await firstBroken(mutant)
  const seed = first?.seed ?? 0
  // Another schedule in between leaves no mark.
  await simulate(seed + 1, { plant })
  expect(await simulate(seed, { plant })).toEqual(first)
  const trace = await traceOf(seed, { plant })
  expect(trace.at(-1)).toBe(`broken: ${first?.broken}`)
  expect(await traceOf(seed, { plant })).toEqual(trace)
})
