/**
 * Faults about a job: a type, what happened, and what to do next. The format is that of the
 * process capabilities, the same over every door.
 */
import type { JsonObject } from '../../core/json.ts'

const jobFaultTypes = [
  'InvalidInput',
  'CommandNotFound',
  'ResourceLimitExceeded',
  'ResourceExhausted',
  'PathOutOfScope',
  'SpawnFailed',
  'ProcessNotFound',
  'ProcessAlreadyExited',
  'KillFailed',
  'InvalidFilter',
  'InvalidStream',
  'PolicyDenied',
  'ApprovalRejected',
] as const
export type JobFaultType = (typeof jobFaultTypes)[number]

type Recovery = {
  readonly action: string
  readonly description: string
  /** The capability that does it, where one does. */
  readonly capability?: string
}

/** The fault as it goes over a wire. */
export type JobError = {
  readonly error_type: JobFaultType
  readonly description: string
  /** The same with the first thing to do, in one line. */
  readonly agent_description: string
  readonly recovery_actions: readonly Recovery[]
  /** The same call may succeed later, without any change. */
  readonly retryable: boolean
  /** Seconds; null: nobody can say. */
  readonly retry_after: number | null
  readonly context: JsonObject
}

/** What can be done next about each type. A fault that knows better says so first. */
const recoveries: Readonly<Record<JobFaultType, readonly Recovery[]>> = {
  InvalidInput: [{ action: 'fix_input', description: 'Fix the input and send the call again.' }],
  CommandNotFound: [
    {
      action: 'check_path',
      description: "Check what is installed: process.run with command='which' and args=['NAME'].",
      capability: 'process.run',
    },
    { action: 'use_full_path', description: 'Use the absolute path of the program.' },
  ],
  ResourceLimitExceeded: [
    {
      action: 'increase_limits',
      description: 'Raise `memory_limit` or `cpu_limit`, up to the maximum that a person has set.',
      capability: 'process.run',
    },
    { action: 'optimize', description: 'Make it do less at once: smaller parts, fewer workers.' },
  ],
  ResourceExhausted: [
    { action: 'wait', description: 'Wait until a job has ended, or kill one; then retry.' },
  ],
  PathOutOfScope: [
    {
      action: 'check_scope',
      description: 'Use a folder inside the workspace (`context.workspace`), or leave it out.',
    },
  ],
  SpawnFailed: [
    {
      action: 'check_permissions',
      description:
        'Check that the command is executable. If it is, ask a person: `pawl doctor` shows how ' +
        'jobs are isolated on this machine.',
    },
    {
      action: 'retry',
      description: 'Try once more, in case the machine was too busy.',
      capability: 'process.run',
    },
  ],
  ProcessNotFound: [
    {
      action: 'list_processes',
      description: 'List the jobs with process.list and use an id from there.',
      capability: 'process.list',
    },
  ],
  ProcessAlreadyExited: [
    {
      action: 'check_status',
      description: 'Call process.monitor, which says how the job ended and its exit code.',
      capability: 'process.monitor',
    },
  ],
  KillFailed: [
    {
      action: 'force_kill',
      description: "Send signal='SIGKILL', which no program can ignore.",
      capability: 'process.kill',
    },
  ],
  InvalidFilter: [
    {
      action: 'use_valid_filter',
      description: 'Use `running`, `completed`, `killed`, `timed_out` or `all`.',
      capability: 'process.list',
    },
  ],
  InvalidStream: [
    {
      action: 'use_valid_stream',
      description: 'Use `stdout`, `stderr` or `both`.',
      capability: 'process.logs',
    },
  ],
  PolicyDenied: [
    { action: 'choose_another', description: 'Do something that is allowed instead.' },
  ],
  ApprovalRejected: [
    { action: 'ask_person', description: 'Ask the person what they would approve.' },
  ],
}

type More = {
  /** Named before what can always be done about such a fault. */
  readonly recovery?: readonly Recovery[]
  readonly context?: JsonObject
}

/** Thrown by the runner and what wires it; a door turns it into its own form. */
export class JobFault extends Error {
  readonly error: JobError

  constructor(type: JobFaultType, description: string, more: More = {}) {
    super(description)
    this.name = 'JobFault'
    const own = more.recovery ?? []
    const usual = recoveries[type].filter(({ action }) => own.every((one) => one.action !== action))
    const actions = [...own, ...usual]
    const first = actions[0]?.description ?? ''
    this.error = {
      error_type: type,
      description,
      agent_description: `${description}. ${first}`.trim(),
      recovery_actions: actions,
      retryable: type === 'ResourceExhausted',
      retry_after: null,
      context: more.context ?? {},
    }
  }
}
