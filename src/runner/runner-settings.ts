/** The settings with which a runner is opened. */
import type { IsolationLevel, MinIsolation, RunWish } from '../runtime/jobs/jobs-port.ts'
import type { Network } from './destinations.ts'
import type { Mechanism } from './launch-argv.ts'
import type { RunningJob } from './running-job.ts'

/** What a person may set. */
export type RunnerLimits = {
  /** Allocated to each job. */
  readonly cpus: number
  readonly memoryBytes: number
  readonly processes: number
  /** Of each stream. */
  readonly outputBytes: number
  readonly fileBytes: number
  /** Null: none but the timeout. */
  readonly cpuSeconds: number | null
  readonly tmpBytes: number
  /** How long a job goes on while no daemon is there. */
  readonly leaseMs: number
  readonly jobsRunningMax: number
  /** Ended jobs are kept so long, so many, and with so many bytes. */
  readonly keepMs: number
  readonly keepCount: number
  readonly keepBytes: number
}

export type RunnerSettings = {
  /** Where the folders of jobs are. */
  readonly folder: string
  /** The compiled helper. Fault `SpawnFailed`: there is none. */
  readonly helper: () => Promise<string>
  /** Folders of Pawl itself, which no job sees. */
  readonly own: readonly string[]
  /** Homes of the user: as the password file says, and as the environment does. */
  readonly userFolders: readonly string[]
  /** What a person lists of them: jobs see it, and nothing else. */
  readonly homePaths: readonly string[]
  /** Where programs are looked for. */
  readonly path: string
  readonly now: () => number
  readonly limits: RunnerLimits
  /** Stronger means are left out, so that weaker ones can be tested. */
  readonly strongest?: IsolationLevel
  readonly leaveOut?: readonly Mechanism['kind'][]
  /** Hears of every job that has ended, once in the life of this runner; until then it is kept. */
  readonly onEnd: (job: RunningJob) => void | Promise<void>
}

/** A job that somebody may start. */
export type JobRequest = {
  readonly id: string
  readonly wish: RunWish
  readonly workspace: string
  readonly network: Network
  /** The strongest of these has to be met. */
  readonly minIsolations: readonly MinIsolation[]
  readonly runId: string | null
  readonly branch: string | null
  readonly callId: string | null
  readonly owner: 'agent' | 'person'
  /** A hash of everything that was asked for. */
  readonly asked: string
}
