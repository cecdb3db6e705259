/**
 * Starts the chain of a job and waits until the program has begun or could not.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { JobFault } from '../runtime/job-fault.ts'
import { type Chain, chainOf } from './chain.ts'
import { type JobEnd, readEnd } from './job-files.ts'
import { startMsMax } from './limits.ts'
import { lastLines } from './read-log.ts'

export type Starting = {
  readonly chain: Chain
  readonly environment: Readonly<Record<string, string>>
  /** Null: nothing comes in. */
  readonly stdin: string | null
}

/** The helper of a job whose program runs, or has ended already. Faults are `JobFault`s. */
export async function startChain(starting: Starting): Promise<ChildProcess> {
  const { chain, environment } = starting
  const [file = '', ...words] = chainOf(chain)
  const input = openInput(chain.folder, starting.stdin)
  let helper: ChildProcess
  try {
    const stdio = [input ?? 'ignore', 'pipe', 'ignore'] as const
    helper = spawn(file, words, { detached: true, stdio: [...stdio], env: { ...environment } })
  } finally {
    if (input !== null) closeSync(input)
  }
  const heard = await firstLine(helper)
  if (heard === 'started') return helper
  throw startFault(readEnd(chain.folder), chain, heard)
}

/** WHY a file: a pipe of the daemon would end with the daemon. */
function openInput(folder: string, text: string | null): number | null {
  if (text === null) return null
  const path = join(folder, 'stdin')
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  const file = openSync(path, 'r')
  rmSync(path)
  return file
}

function firstLine(helper: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const done = (line: string): void => {
      clearTimeout(timer)
      helper.stdout?.removeAllListeners()
      helper.stdout?.destroy()
      resolve(line)
    }
    const timer = setTimeout(() => {
      helper.kill('SIGKILL')
      done('nothing in time')
    }, startMsMax)
    helper.stdout?.on('data', (part) => {
      text += String(part)
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')))
    })
    helper.stdout?.on('end', () => done(text === '' ? 'nothing' : text))
    helper.on('error', (fault) => done(fault.message))
  })
}

function startFault(end: JobEnd | null, chain: Chain, heard: string): JobFault {
  const name = chain.program[0] ?? ''
  if (end === null) return new JobFault('SpawnFailed', `the helper did not start: ${heard}`)
  const code = errnoName(end.error)
  if (end.step === 'exec' && code === 'ENOENT') {
    return new JobFault('CommandNotFound', `there is no command \`${name}\` in the PATH of jobs`)
  }
  const said = lastLines(chain.folder, 'stderr', { lines: 1, bytesMax: 500 })
  const why = said === '' ? code : `${code}: ${said}`
  return end.step === 'exec'
    ? new JobFault('SpawnFailed', `\`${name}\` could not be started: ${code}`)
    : new JobFault('SpawnFailed', `the box could not be made: ${why}`)
}

function errnoName(number: number | null): string {
  const found = Object.entries(constants.errno).find(([, value]) => value === number)
  return found?.[0] ?? `error ${number ?? '?'}`
}
