/**
 * Daemons that are killed while jobs run: without another one nothing survives, and another one
 * finds all of them with every byte.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { killJob } from '../../src/runner/kill-job.ts'
import { listJobs } from '../../src/runner/list-jobs.ts'
import { openRunner } from '../../src/runner/open-runner.ts'
import { readLogs } from '../../src/runner/read-log-page.ts'
import { type RunningJob, waitForEnd } from '../../src/runner/running-job.ts'
import { openScratch, processesWith, scratchSettings } from '../../src/runner/scratch.contract.ts'
import { type Held, inLanes } from './runner-lanes.ts'

const child = join(import.meta.dirname, 'runner-child.ts')
const leaseMs = 300
const lateMsMax = 2_000
const startMsMax = 60_000

type DaemonJobs = { readonly leaseMs: number; readonly count: number; readonly command: string }

async function startDaemon(folder: string, wish: DaemonJobs): Promise<ChildProcess> {
  const args = [child, folder, String(wish.leaseMs), String(wish.count), wish.command]
  const daemon = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  if (daemon.stdout === null) throw new Error('the daemon has no output')
  const late = setTimeout(() => daemon.kill('SIGKILL'), startMsMax)
  for await (const line of createInterface(daemon.stdout)) if (line === 'ready') break
  clearTimeout(late)
  return daemon
}

async function kill(daemon: ChildProcess): Promise<void> {
  const gone = once(daemon, 'exit')
  daemon.kill('SIGKILL')
  await gone
}

/** Each is a Node of its own, so no more at a time than cores. */
const lanes = 2

export function killedDaemon(rounds: number): Promise<Held> {
  return inLanes({ rounds, lanes }, async (round) => {
    const scratch = openScratch()
    const mark = `${20_000 + round}.${process.pid}${Math.floor(Math.random() * 1e6)}`
    const command = `setsid sleep ${mark} & sleep ${mark}`
    const daemon = await startDaemon(scratch.folder, { leaseMs, count: 1, command })
    await kill(daemon)
    const begun = performance.now()
    while (processesWith(mark).length > 0 && performance.now() - begun < 10_000) await sleep(20)
    const lateMs = performance.now() - begun - leaseMs
    const survivors = processesWith(mark).length
    await scratch.remove()
    return { lateMs, isHanging: lateMs > lateMsMax, survivors }
  })
}

/** Counts jobs that were not found again, or of which a byte is missing. */
export async function restartedDaemon(count: number): Promise<number> {
  const scratch = openScratch()
  const lines = 200
  const command = `for i in $(seq 1 ${lines}); do echo $i; sleep 0.02; done; exit 7`
  const daemon = await startDaemon(scratch.folder, { leaseMs: 30_000, count, command })
  await kill(daemon)
  const runner = openRunner(scratchSettings(scratch.folder))
  const found = runner.all()
  const running = found.filter((job) => job.end === null).length
  const timer = setInterval(() => void runner.sweep(), 100)
  const wanted = `${Array.from({ length: lines }, (_, index) => index + 1).join('\n')}\n`
  let lost = count - found.length
  for (const job of found) {
    await waitForEnd(job, 60_000)
    if (job.end?.code !== 7 || readLogs(job, {}).stdout !== wanted) lost += 1
  }
  clearInterval(timer)
  runner.close()
  await scratch.remove()
  const still = `${running} of them still running`
  console.log(`restart with ${count} jobs: ${found.length} found again, ${still}, ${lost} lost`)
  return lost
}

/** So many jobs at once, listed, read and killed; counts what went wrong. */
export async function manyJobs(count: number): Promise<number> {
  const scratch = openScratch()
  const mark = `30000.${process.pid}${Math.floor(Math.random() * 1e6)}`
  const wish = { command: `echo here; exec sleep ${mark}`, background: true }
  const begun = performance.now()
  const jobs: RunningJob[] = []
  for (let index = 0; index < count; index += 1) jobs.push(await scratch.start(wish))
  const startedMs = performance.now() - begun
  const { total } = listJobs(scratch.runner.all(), { state_filter: 'running' }, Date.now())
  let wrong = count - total
  for (const job of jobs) {
    while (readLogs(job, {}).stdout_size < 5 && performance.now() - begun < 120_000) await sleep(5)
    if (readLogs(job, {}).stdout !== 'here\n') wrong += 1
  }
  const killing = performance.now()
  const kills = jobs.map((job) => killJob(job, { signal: 'SIGKILL' }, Date.now))
  wrong += (await Promise.all(kills)).filter(({ killed }) => !killed).length
  const killedMs = performance.now() - killing
  wrong += processesWith(mark).length
  await scratch.remove()
  const times = `started in ${Math.round(startedMs)} ms, killed in ${Math.round(killedMs)} ms`
  console.log(`${count} jobs at once: ${times}, ${wrong} went wrong`)
  return wrong
}
