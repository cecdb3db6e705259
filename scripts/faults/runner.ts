/**
 * Jobs that do not want to be held: each is started again and again, and after it nothing of it may
 * be left, nothing may hang, and the memory of the daemon may not grow.
 */
import { killJob } from '../../src/runner/kill-job.ts'
import { waitForEnd } from '../../src/runner/live-job.ts'
import { openScratch, processesWith, scratchLimits } from '../../src/runner/scratch.contract.ts'
import type { RunWish } from '../../src/runtime/jobs.ts'
import { killedDaemon, manyJobs, restartedDaemon } from './runner-daemons.ts'

export type Held = {
  readonly rounds: number
  readonly survivors: number
  readonly hangs: number
  readonly slowestMs: number
}

const mebibyte = 1024 * 1024
/** Beyond its own limit of time, a job may take so long to be gone. */
const lateMsMax = 2_000
const growthMax = 64 * mebibyte

type Scenario = { readonly name: string; readonly wish: (mark: string) => RunWish }

/** Each sleeps under a name of its own somewhere, so that what is left of it can be found. */
const scenarios: readonly Scenario[] = [
  {
    name: 'fork bomb',
    wish: (mark) => ({
      command: `: ${mark}; bomb() { bomb | bomb & }; bomb; sleep ${mark}`,
      timeout: 1,
    }),
  },
  {
    name: 'double-forked daemon',
    wish: (mark) => ({
      command: `(setsid sh -c 'sleep ${mark} & sleep ${mark}' &); echo x`,
      timeout: 5,
    }),
  },
  { name: 'output flood', wish: (mark) => ({ command: `yes ${mark}`, timeout: 1 }) },
  {
    name: 'memory hog',
    wish: (mark) => ({
      command: `: ${mark}; exec tail /dev/zero`,
      timeout: 10,
      memory_limit: 64 * mebibyte,
    }),
  },
  {
    name: 'TERM-ignorer',
    wish: (mark) => ({
      command: `trap '' TERM; while :; do sleep 0.05; : ${mark}; done`,
      timeout: 1,
    }),
  },
  {
    name: 'grandchild holding the pipe',
    wish: (mark) => ({
      command: `sh -c 'sleep ${mark} & sleep ${mark} &' ; echo done`,
      timeout: 5,
    }),
  },
]

/** Runs every scenario; gives the exit code. */
export async function runnerFaults(rounds: number): Promise<number> {
  let failures = 0
  for (const scenario of scenarios) failures += tell(scenario.name, await repeat(scenario, rounds))
  failures += tell('daemon killed mid-run', await killedDaemon(rounds))
  failures += await restartedDaemon(50)
  failures += await manyJobs(500)
  return failures === 0 ? 0 : 1
}

function tell(name: string, held: Held): number {
  const { rounds, survivors, hangs, slowestMs } = held
  const slowest = `the slowest gone ${Math.round(slowestMs)} ms after its limit`
  console.log(`${name}: ${rounds} rounds, ${survivors} survivors, ${hangs} hangs; ${slowest}`)
  return survivors + hangs
}

export async function repeat({ wish, name }: Scenario, rounds: number): Promise<Held> {
  const scratch = openScratch({ limits: { ...scratchLimits, outputBytes: 4 * mebibyte } })
  let [survivors, hangs, slowestMs] = [0, 0, 0]
  try {
    await scratch.runner.isolation()
    const before = process.memoryUsage.rss()
    for (let round = 0; round < rounds; round += 1) {
      const mark = `${10_000 + round}.${process.pid}${Math.floor(Math.random() * 1e6)}`
      const asked = wish(mark)
      const limitMs = (asked.timeout ?? 0) * 1_000
      const begun = performance.now()
      const job = await scratch.start(asked)
      await waitForEnd(job, limitMs + 10_000)
      const lateMs = performance.now() - begun - limitMs
      slowestMs = Math.max(slowestMs, lateMs)
      if (job.end === null || lateMs > lateMsMax) hangs += 1
      if (job.end === null) await killJob(job, { signal: 'SIGKILL' }, Date.now)
      survivors += processesWith(mark).length
      await scratch.runner.sweep()
    }
    const growth = process.memoryUsage.rss() - before
    if (growth > growthMax) {
      console.log(`  the daemon grew by ${Math.round(growth / mebibyte)} MiB in ${name}`)
      hangs += 1
    }
  } finally {
    await scratch.remove()
  }
  return { rounds, survivors, hangs, slowestMs: Math.max(0, slowestMs) }
}

/** Every scenario by its name, for the tests. */
export const scenarioNames = scenarios.map(({ name }) => name)

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no scenario \`${name}\``)
  return found
}
