/**
 * Runs the tests of hosts several times beside busy processes, to find tests that fail now and
 * then. What was started ends with it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'

type Repeat = {
  /** Of `scripts/hosts/main.ts`. */
  readonly args: readonly string[]
  readonly runs: number
  /** How many processes keep a core busy meanwhile. */
  readonly load: number
}

const keptCharsMax = 1024 * 1024

/** Whether every run was green; prints a line for each, and the whole of those that were not. */
export async function repeatRuns({ args, runs, load }: Repeat): Promise<boolean> {
  const busy = Array.from({ length: load }, keepBusy)
  const end = (): void => {
    for (const one of busy) one.kill('SIGKILL')
  }
  process.once('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  let green = 0
  for (let run = 1; run <= runs; run += 1) {
    const begun = performance.now()
    const { code, output } = await runOnce(args)
    const seconds = Math.round((performance.now() - begun) / 1_000)
    const counts = /^\d+ passed, \d+ failed$/m.exec(output)?.[0] ?? `ended with code ${code}`
    const around = `load ${loadavg()[0]?.toFixed(1)}`
    console.log(`run ${run} of ${runs}: ${counts}, ${seconds} s, ${around}`)
    if (code === 0) green += 1
    else console.log(output)
  }
  end()
  console.log(`${green} of ${runs} runs without a failure, beside ${load} busy processes`)
  return green === runs
}

/** WHY with an end of its own: it must not outlive a parent that was killed. */
const busyProgram =
  'const p = process.ppid; while (process.ppid === p) for (let i = 0; i < 1e8; i++);'

function keepBusy(): ChildProcess {
  return spawn(process.execPath, ['-e', busyProgram], { stdio: 'ignore' })
}

type RunEnd = { readonly code: number | null; readonly output: string }

function runOnce(args: readonly string[]): Promise<RunEnd> {
  return new Promise((resolve) => {
    const main = join(import.meta.dirname, 'main.ts')
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (text: Buffer): void => {
      output = (output + text.toString('utf8')).slice(-keptCharsMax)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('close', (code) => resolve({ code, output }))
  })
}
