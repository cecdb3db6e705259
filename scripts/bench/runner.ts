/**
 * The runner beside what it is made of: a contained job beside `spawn` and bubblewrap alone,
 * its log beside `cat` into a file, and reading a long log by pages.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readLogs } from '../../src/runner/read-log-page.ts'
import { waitForEnd } from '../../src/runner/running-job.ts'
import { openScratch, type Scratch, scratchLimits } from '../../src/runner/scratch.contract.ts'
import { median, print, type Row } from './measure.ts'

const mebibyte = 1024 * 1024
const rounds = Number(process.env.BENCH_RUNNER_ROUNDS ?? 40)
const logMebibytes = Number(process.env.BENCH_RUNNER_MIB ?? 1_024)
const pageBytes = mebibyte
const bubblewrap = '/usr/bin/bwrap'

export async function benchRunner(): Promise<void> {
  const limits = { ...scratchLimits, outputBytes: (logMebibytes + 2) * mebibyte }
  const scratch = openScratch({ limits })
  try {
    const { level, filesystem } = await scratch.runner.isolation()
    console.log(`\nisolation: ${level}; ${filesystem}`)
    await benchStarts(scratch)
    await benchLogs(scratch)
  } finally {
    await scratch.remove()
  }
}

async function benchStarts(scratch: Scratch): Promise<void> {
  const box = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--dev', '/dev'].concat(
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--bind',
    scratch.workspace,
    scratch.workspace,
  )
  const job = async (): Promise<void> => {
    await waitForEnd(await scratch.start({ command: '/bin/true', args: [] }), 10_000)
  }
  const cases: Record<string, () => Promise<void>> = {
    'plain spawn': () => finish('/bin/true', []),
    ...(existsSync(bubblewrap)
      ? { 'bubblewrap alone': () => finish(bubblewrap, [...box, '/bin/true']) }
      : {}),
    'a contained job': job,
  }
  const times = await inTurn(cases, restMs)
  const dense = await inTurn({ 'jobs without a rest between': job }, 0)
  const base = times['bubblewrap alone'] ?? times['plain spawn'] ?? Number.NaN
  const rows = Object.entries({ ...times, ...dense }).map(
    ([name, ms]): Row => [name, ms, `ms from asking to the end, ${(ms / base).toFixed(2)}×`],
  )
  print('time of a job that does nothing (median)', rows)
}

/** Between any two: what is done for the next one must not be counted with another. */
const restMs = 100

async function inTurn(
  cases: Record<string, () => Promise<void>>,
  pauseMs: number,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {}
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, act] of Object.entries(cases)) {
      const begun = performance.now()
      await act()
      if (round < 0) times[name] = []
      else times[name]?.push(performance.now() - begun)
      if (pauseMs > 0) await pause(pauseMs)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
}

function finish(file: string, args: readonly string[], out: number | 'ignore' = 'ignore') {
  return new Promise<void>((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', out, 'ignore'] })
    child.on('error', reject)
    child.on('exit', () => resolve())
  })
}

async function benchLogs(scratch: Scratch): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  const bytes = logMebibytes * mebibyte
  const make = `head -c ${bytes} /dev/zero`
  try {
    const out = openSync(join(folder, 'out'), 'w')
    const plainMs = await timed(() => finish('/bin/sh', ['-c', `${make} | cat`], out))
    let job = await scratch.start({ command: 'true' })
    const heldMs = await timed(async () => {
      job = await scratch.start({ command: make, timeout: 600 })
      await waitForEnd(job, 600_000)
    })
    let read = 0
    const pagesMs = await timed(async () => {
      for (let offset = 0; ; ) {
        const page = readLogs(job, { stream: 'stdout', offset, limit: pageBytes })
        read += (page.next_offset ?? offset) - offset
        offset = page.next_offset ?? offset
        if (!page.truncated) return
      }
    })
    const speed = (ms: number): number => logMebibytes / (ms / 1_000)
    print(`${logMebibytes} MiB of output`, [
      ['cat into a file', speed(plainMs), 'MiB/s'],
      ['the log of a job', speed(heldMs), `MiB/s, ${(plainMs / heldMs).toFixed(2)}×`],
      ['reading it by pages', speed(pagesMs), `MiB/s, ${read} of ${bytes} bytes`],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function timed(act: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}
