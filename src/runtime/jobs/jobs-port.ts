/**
 * What the doors may ask of the runner: jobs of the operating system, in the terms of the process
 * capabilities (`process.run` and others).
 * Knows jobs and whom they belong to. Must not know how a job is isolated, or transports.
 */
import type { IsolationLevel } from '../../core/machine/isolation-levels.ts'
import type { By } from '../runtime.ts'
import type { JobState } from './job-states.ts'

export {
  type IsolationLevel,
  isolationLevels,
  type MinIsolation,
} from '../../core/machine/isolation-levels.ts'

export { type JobState, jobStates } from './job-states.ts'

/** Where a job may connect to: nowhere, what a person has allowed, or everywhere. */
type NetworkWish = 'none' | 'allowed' | 'all'

/** `process.run`: every input of it. */
export type RunWish = {
  readonly command: string
  readonly args?: readonly string[]
  readonly working_directory?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Seconds. */
  readonly timeout?: number
  readonly background?: boolean
  readonly stdin?: string
  readonly cpu_limit?: number
  readonly memory_limit?: number
  readonly stdout_lines?: number
  readonly network?: NetworkWish
  /** Of what is allowed, only these: `host` or `host:port`. */
  readonly network_hosts?: readonly string[]
  readonly min_isolation?: IsolationLevel
}

/** Null: it could not be measured here, and a note of the isolation says so. */
export type ResourceUsage = {
  readonly cpu_ms: number | null
  readonly memory_peak_bytes: number | null
  readonly io_read_bytes: number | null
  readonly io_write_bytes: number | null
}

/** What really holds a job, and by which means. */
export type Isolation = {
  readonly level: IsolationLevel
  readonly filesystem: string
  readonly network: string
  readonly pids: string
  readonly memory: string
  readonly cpu: string
  readonly notes: readonly string[]
}

/** One job, as a list shows it. */
export type JobEntry = {
  readonly process_id: string
  readonly command: string
  readonly state: JobState
  readonly exit_code: number | null
  readonly started_at: string
  readonly duration_ms: number
  readonly resource_usage: ResourceUsage
  /** The run it belongs to. */
  readonly run_id: string | null
}

/** `process.monitor`, and more of the same. */
export type JobStatus = JobEntry & {
  /** The signal that ended it; null: it ended by itself, or has not ended. */
  readonly signal: string | null
  readonly working_directory: string
  readonly background: boolean
  readonly isolation: Isolation
  /** Whether memory, cpu and processes of the whole tree are held by a group. */
  readonly limits_enforced: boolean
  readonly stdout_size: number
  readonly stderr_size: number
  readonly stdout_dropped_bytes: number
  readonly stderr_dropped_bytes: number
  /** Connections that its list of hosts did not let through. */
  readonly network_refused: number
  readonly warnings: readonly string[]
}

/** `process.run`: what came of it so far. */
export type JobResult = JobStatus & {
  readonly stdout_summary: string
  readonly stderr_summary: string
}

/** A person has to agree first; the same call made again after that is let through. */
export type JobPending = {
  readonly status: 'pending_approval'
  readonly approval_id: string
  readonly capability: string
  readonly message: string
}

export type KillWish = { readonly signal?: string; readonly force_after?: number }
export type KillResult = {
  readonly killed: boolean
  readonly signal_sent: string
  readonly process_id: string
  readonly state: JobState
}

export type ListWish = { readonly state_filter?: string; readonly limit?: number }
export type JobList = { readonly processes: readonly JobEntry[]; readonly total: number }

export type LogWish = {
  readonly stream?: string
  readonly offset?: number
  readonly limit?: number
  /** How the bytes are told; `base64` tells any byte. */
  readonly encoding?: 'utf8' | 'base64'
}
export type JobLogs = {
  readonly stdout: string
  readonly stderr: string
  readonly stdout_size: number
  readonly stderr_size: number
  readonly truncated: boolean
  readonly process_id: string
  readonly state: JobState
  /** Where to go on reading, of each stream. */
  readonly stdout_next_offset: number
  readonly stderr_next_offset: number
  /** Where the next page begins; null: each stream has to be read on at its own offset. */
  readonly next_offset: number | null
  /** The oldest bytes, which are gone. */
  readonly stdout_dropped_bytes: number
  readonly stderr_dropped_bytes: number
}

/** Who asks, and for which run; a person sees all jobs, an agent those of its run. */
export type JobCaller = By & {
  readonly runId: string | null
  readonly branch: string | null
  /** Where a job without a run works. */
  readonly workspace: string | null
}

/** Everything that doors may ask. Faults are `JobFault`s. */
export type Jobs = {
  /** Answers when the job has ended, or after `waitMs` with a job that is still running. */
  readonly run: (
    wish: RunWish,
    caller: JobCaller,
    waitMs: number,
  ) => Promise<JobResult | JobPending>
  /** The job as `run` would answer it, when it has ended or the time is over. */
  readonly wait: (id: string, caller: JobCaller, waitMs: number) => Promise<JobResult | JobPending>
  readonly monitor: (id: string, caller: JobCaller) => Promise<JobStatus | JobPending>
  readonly kill: (id: string, wish: KillWish, caller: JobCaller) => Promise<KillResult | JobPending>
  readonly list: (wish: ListWish, caller: JobCaller) => Promise<JobList | JobPending>
  /** `waitMs`: how long to wait for more bytes, while the job runs. */
  readonly logs: (
    id: string,
    wish: LogWish & { readonly waitMs: number },
    caller: JobCaller,
  ) => Promise<JobLogs | JobPending>
  /** What this machine can hold a job with. */
  readonly isolation: () => Promise<Isolation>
}
