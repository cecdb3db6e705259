/**
 * Jobs that try to escape: each is started again and again, and afterwards nothing of it may be
 * left, nothing may hang, and the memory of the daemon may not grow.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { killJob } from '../../src/runner/kill-job.ts'
import { findLeftovers } from '../../src/runner/kill-leftovers.ts'
import { type RunningJob, waitForEnd } from '../../src/runner/running-job.ts'
import { openScratch, scratchLimits, supervisorsHere } from '../../src/runner/scratch.contract.ts'
import type { RunWish } from '../../src/runtime/jobs/jobs-port.ts'
import { killedDaemon, manyJobs, restartedDaemon } from './runner-daemons.ts'
import { type Held, inLanes } from './runner-lanes.ts'

const mebibyte = 1024 * 1024
/** Beyond its own limit of time, a job may take so long to be gone. */
const lateMsMax = 2_000
export const growthBytesMax = 64 * mebibyte

type Scenario = {
  readonly name: string
  readonly wish: RunWish
  /** How many at a time: many of what only waits, one of what wants the whole machine. */
  readonly lanes: number
}

const scenarios: readonly Scenario[] = [
  {
    ...{ name: 'fork bomb', lanes: 1 },
    wish: { command: 'bomb() { bomb | bomb & }; bomb; exec sleep 10000', timeout: 1 },
  },
  {
    ...{ name: 'double-forked daemon', lanes: 4 },
    wish: { command: "(setsid sh -c 'sleep 10000 & sleep 10000' &); echo x", timeout: 5 },
  },
  { name: 'output flood', lanes: 1, wish: { command: 'yes', timeout: 1 } },
  {
    ...{ name: 'memory hog', lanes: 2 },
    wish: { command: 'exec tail /dev/zero', timeout: 10, memory_limit: 64 * mebibyte },
  },
  {
    ...{ name: 'TERM-ignorer', lanes: 10 },
    wish: { command: "trap '' TERM; while :; do sleep 0.05; done", timeout: 1 },
  },
  {
    ...{ name: 'grandchild holding the pipe', lanes: 4 },
    wish: { command: "sh -c 'sleep 10000 & sleep 10000 &' ; echo done", timeout: 5 },
  },
]

/** Runs every scenario; gives the exit code. */
export async function runnerFaults(rounds: number): Promise<number> {
  const begun = performance.now()
  let failures = 0
  for (const scenario of scenarios) failures += tell(scenario.name, await repeat(scenario, rounds))
  failures += tell('daemon killed mid-run', await killedDaemon(rounds))
  failures += await restartedDaemon(50)
  failures += await manyJobs(500)
  console.log(`all of it in ${Math.round((performance.now() - begun) / 1_000)} s`)
  return failures === 0 ? 0 : 1
}

function tell(name: string, held: Held): number {
  const { rounds, survivors, hangs, slowestMs, growthBytes, tookMs } = held
  const words = [
    `${rounds} rounds in ${Math.round(tookMs / 1_000)} s`,
    `${survivors} survivors`,
    `${hangs} hangs`,
    `the slowest gone ${Math.round(slowestMs)} ms after its limit`,
    `the daemon grew by ${Math.round(growthBytes / mebibyte)} MiB`,
  ]
  console.log(`${name}: ${words.join(', ')}`)
  const hasGrown = growthBytes > growthBytesMax
  if (hasGrown) console.log(`  that is more than ${growthBytesMax / mebibyte} MiB`)
  return survivors + hangs + (hasGrown ? 1 : 0)
}

/** Ended jobs are not looked at again here, and a flood would fill the disk. */
const keepBytes = 64 * mebibyte

export async function repeat({ wish, lanes }: Scenario, rounds: number): Promise<Held> {
  const limits = { ...scratchLimits, outputBytes: 4 * mebibyte, keepBytes }
  const scratch = openScratch({ limits })
  const before = supervisorsHere()
  try {
    await scratch.runner.isolation()
    const held = await inLanes({ rounds, lanes }, async () => {
      const limitMs = (wish.timeout ?? 0) * 1_000
      const begun = performance.now()
      const job = await scratch.start(wish)
      await waitForEnd(job, limitMs + 10_000)
      const lateMs = performance.now() - begun - limitMs
      const isHanging = job.end === null || lateMs > lateMsMax
      // A fault of this is seen by what is left.
      if (job.end === null) {
        await killJob(job, { signal: 'SIGKILL' }, Date.now).catch(() => undefined)
      }
      const survivors = await survivorsOf(job)
      await scratch.runner.sweep()
      return { lateMs, isHanging, survivors }
    })
    // The one that waits for a next job goes with its runner.
    scratch.runner.close()
    return { ...held, survivors: held.survivors + (await supervisorsBeside(before)) }
  } finally {
    await scratch.remove()
  }
}

/** What is left of a job that should be gone. */
export function survivorsOf({ note }: RunningJob): Promise<number> {
  return countLeft(() => findLeftovers(note).size)
}

/** Supervisors of ours that should be gone, but for some. */
export function supervisorsBeside(others: readonly number[]): Promise<number> {
  return countLeft(() => supervisorsHere().filter((pid) => !others.includes(pid)).length)
}

/** What has been killed may take a moment to be gone; what stays for longer survives. */
const dyingMsMax = 500
const lookMs = 10

async function countLeft(count: () => number): Promise<number> {
  const begun = performance.now()
  while (count() > 0 && performance.now() - begun < dyingMsMax) await sleep(lookMs)
  return count()
}

/** Every scenario by its name, for the tests. */
export const scenarioNames = scenarios.map(({ name }) => name)

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no scenario \`${name}\``)
  return found
}
