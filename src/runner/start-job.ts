/** Starts the processes of a job and waits until the program has begun or failed to. */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { controlName, type JobEnd, readEnd } from './job-files.ts'
import { type LaunchArgv, launchArgvOf } from './launch-argv.ts'
import { startMsMax } from './limits.ts'
import { lastLines } from './read-log.ts'
import { instruct, type Supervisor } from './supervisors.ts'

/** The supervisor ended before it had read what to run: nothing of the job has begun. */
export class UnreadFault extends JobFault {}

/** The program of the job runs then, or has ended already. Faults are `JobFault`s. */
export async function launchJob(supervisor: Supervisor, chain: LaunchArgv): Promise<void> {
  instruct(supervisor, launchArgvOf(chain))
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
    // It may have ended before anybody listened.
    if (helper.stdout?.readableEnded === true) return done('nothing')
    helper.stdout?.on('data', (part) => {
      text += String(part)
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')))
    })
    helper.stdout?.on('end', () => done(text === '' ? 'nothing' : text))
    helper.on('error', (fault) => done(fault.message))
  })
}

function startFault(end: JobEnd | null, chain: LaunchArgv, heard: string): JobFault {
  const name = chain.program[0] ?? ''
  if (end === null) {
    // INVARIANT: a supervisor makes its pipe before it passes on a word of what it has read.
    const isUnread = heard === 'nothing' && !existsSync(join(chain.folder, controlName))
    const Fault = isUnread ? UnreadFault : JobFault
    return new Fault('SpawnFailed', `the helper did not start: ${heard}`)
  }
  const code = errnoName(end.error)
  const said = lastLines(chain.folder, 'stderr', { lines: 1, bytesMax: 500 })
  if (end.step === 'exec' || end.step === 'folder' || end.step === 'interpreter') {
    return programFault(name, { step: end.step, code, said })
  }
  const why = said === '' ? code : `${code}: ${said}`
  return new JobFault('SpawnFailed', `the sandbox could not be created: ${why}`)
}

type Failure = {
  readonly step: 'exec' | 'folder' | 'interpreter'
  readonly code: string
  /** The interpreter that a script names; empty: it names none. */
  readonly said: string
}

/** The system says ENOENT and EACCES of many things; a reader has to know which it was. */
function programFault(name: string, { step, code, said }: Failure): JobFault {
  const failed = (why: string, action: string, description: string): JobFault =>
    new JobFault('SpawnFailed', `\`${name}\` could not be started: ${why}`, {
      recovery: [{ action, description }],
    })
  if (step === 'folder') {
    return failed('it is a folder', 'name_a_program', 'Use a program in it, or another one.')
  }
  if (step === 'interpreter') {
    const what = said === '' ? 'its interpreter' : `its interpreter \`${said}\``
    const how = 'Install the interpreter, correct the first line of the script, or run it by name.'
    return failed(`${what} is not available to jobs`, 'check_interpreter', how)
  }
  if (code === 'ENOENT') {
    return new JobFault('CommandNotFound', `command \`${name}\` not found in the PATH of jobs`)
  }
  if (code !== 'EACCES') return failed(code, 'check_program', 'Check the file and its type.')
  const how = 'Make it executable (`chmod +x`), or run it with its interpreter.'
  return failed('no permission to execute it', 'check_permissions', how)
}

function errnoName(number: number | null): string {
  const found = Object.entries(constants.errno).find(([, value]) => value === number)
  return found?.[0] ?? `error ${number ?? '?'}`
}
