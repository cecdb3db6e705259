/**
 * Supervisors: one for each job, and one that waits for the next job, already in its groups.
 * Starting a program from a large process and joining a group take longer than creating a sandbox,
 * so both are done in advance.
 * Knows processes and groups. Must not know jobs.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { errorCodeOf } from '../runtime/error-code.ts'
import { frameOf } from '../runtime/frame-words.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { type Groups, letGroupsGo } from './cgroups.ts'
import { wordsBytesMax } from './limits.ts'

export type Supervisor = {
  readonly process: ChildProcess
  /** The name of its groups; null: it has none. */
  readonly group: string | null
  readonly cgroups: readonly string[]
}

export type Supervisors = {
  /** The one that waits, or a new one. Fault `SpawnFailed`. */
  readonly take: () => Supervisor
  /** Has one wait for the next job. */
  readonly prepare: () => void
  readonly close: () => void
}

type Means = { readonly helper: string; readonly groups: Groups | null }

export function openSupervisors(means: Means): Supervisors {
  let waiting: Supervisor | null = null
  let isClosed = false
  return {
    take: () => {
      const taken = waiting ?? openSupervisor(means)
      waiting = null
      return taken
    },
    prepare: () => {
      if (waiting !== null || isClosed) return
      try {
        const next = openSupervisor(means)
        waiting = next
        const forget = (): void => {
          if (waiting === next) waiting = null
        }
        next.process.once('exit', forget)
        next.process.once('error', forget)
      } catch {
        // The next job opens its own, meets the same fault, and says it.
      }
    },
    close: () => {
      isClosed = true
      if (waiting !== null) dismiss(waiting)
      waiting = null
    },
  }
}

/** One whose job is not known yet. Its groups exist, without limits. */
export function openSupervisor({ helper, groups }: Means): Supervisor {
  const group = groups === null ? null : `pawl-${randomBytes(8).toString('hex')}`
  const cgroups = groups === null || group === null ? [] : makeGroups(groups, group)
  const child = spawnHelper(helper, cgroups)
  // Whoever starts a job with it hears of both: it says nothing, or that it does not exist.
  child.on('error', () => letGroupsGo(cgroups))
  child.stdin?.on('error', () => undefined)
  child.once('exit', () => letGroupsGo(cgroups))
  child.unref()
  for (const end of [child.stdin, child.stdout]) if (end instanceof Socket) end.unref()
  child.stdin?.write(frameOf(cgroups.map((path) => `cgroup=${path}`)))
  return { process: child, group, cgroups }
}

function makeGroups(groups: Groups, name: string): readonly string[] {
  try {
    return groups.make(name)
  } catch (fault) {
    // WHY not go on without: the limits were promised.
    throw new JobFault(
      'SpawnFailed',
      `the control group of the job cannot be created: ${errorCodeOf(fault)}`,
    )
  }
}

function spawnHelper(helper: string, cgroups: readonly string[]): ChildProcess {
  try {
    return spawn(helper, ['supervise'], {
      // WHY: the path of the helper tells where Pawl keeps its files, and a job can read this.
      argv0: 'pawl-job',
      ...{ detached: true, stdio: ['pipe', 'pipe', 'ignore'], env: {} },
    })
  } catch (fault) {
    letGroupsGo(cgroups)
    throw new JobFault('SpawnFailed', `the helper cannot be started: ${errorCodeOf(fault)}`)
  }
}

/** Tells it of its job: it hears of nothing more, and ends with that. Fault `InvalidInput`. */
export function instruct({ process: { stdin } }: Supervisor, words: readonly string[]): void {
  const frame = frameOf(words)
  if (frame.length > wordsBytesMax) {
    throw new JobFault('InvalidInput', `the command line has more than ${wordsBytesMax} bytes`)
  }
  stdin?.end(frame)
}

/** Lets one go that has no job: it ends by itself, and its groups with it. */
export function dismiss({ process: { stdin } }: Supervisor): void {
  stdin?.destroy()
}
