/**
 * Starts the chain of a job and waits until the program has begun or could not.
 */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { JobFault } from '../runtime/job-fault.ts'
import { type Chain, chainOf } from './chain.ts'
import { type JobEnd, readEnd } from './job-files.ts'
import { startMsMax } from './limits.ts'
import { lastLines } from './read-log.ts'
import { instruct, type Supervisor } from './supervisors.ts'

/** The program of the job runs then, or has ended already. Faults are `JobFault`s. */
export async function startChain(supervisor: Supervisor, chain: Chain): Promise<void> {
  instruct(supervisor, chainOf(chain))
  const heard = await firstLine(supervisor.process)
  if (heard !== 'started') throw startFault(readEnd(chain.folder), chain, heard)
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
