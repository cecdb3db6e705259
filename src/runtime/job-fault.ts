/**
 * What is said instead of an answer about a job: a type, what happened, and what can be done next.
 * The form is that of the process capabilities, so that an agent reads it the same over every door.
 */
import type { JsonObject } from '../core/json.ts'

export const jobFaultTypes = [
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

export type Recovery = { readonly action: string; readonly description: string }

/** The fault as it goes over a wire. */
export type JobError = {
  readonly error_type: JobFaultType
  readonly description: string
  /** The same with the first thing to do, in one line. */
  readonly agent_description: string
  readonly recovery_actions: readonly Recovery[]
  readonly retryable: boolean
  readonly context: JsonObject
}

/** What can be done next about each type, unless a fault knows better. */
const recoveries: Readonly<Record<JobFaultType, readonly Recovery[]>> = {
  InvalidInput: [
    { action: 'fix_input', description: 'Send the call again with the input put right.' },
  ],
  CommandNotFound: [
    {
      action: 'check_path',
      description:
        "Use process.run(command='which', args=['command_name']) to check if it is installed.",
    },
    { action: 'use_full_path', description: 'Specify the full absolute path to the executable.' },
  ],
  ResourceLimitExceeded: [
    {
      action: 'increase_limits',
      description: 'Retry with a higher cpu_limit or memory_limit, within what is allocated.',
    },
    { action: 'optimize', description: 'Change the command so that it uses fewer resources.' },
  ],
  ResourceExhausted: [
    { action: 'wait', description: 'Wait until a job has ended, or kill one; then retry.' },
  ],
  PathOutOfScope: [
    { action: 'check_scope', description: 'Name a folder inside the workspace, or none.' },
  ],
  SpawnFailed: [
    {
      action: 'check_permissions',
      description: 'Verify that the command is executable and that `pawl doctor` finds no trouble.',
    },
    { action: 'retry', description: 'Retry the operation.' },
  ],
  ProcessNotFound: [
    { action: 'list_processes', description: 'Use process.list to see all tracked processes.' },
  ],
  ProcessAlreadyExited: [
    { action: 'check_status', description: 'Use process.monitor to see the state and exit code.' },
  ],
  KillFailed: [{ action: 'force_kill', description: "Retry with signal='SIGKILL'." }],
  InvalidFilter: [
    {
      action: 'use_valid_filter',
      description: "Use one of: 'running', 'completed', 'killed', 'timed_out', 'all'.",
    },
  ],
  InvalidStream: [
    { action: 'use_valid_stream', description: "Use one of: 'stdout', 'stderr', 'both'." },
  ],
  PolicyDenied: [
    { action: 'choose_another', description: 'Do what the stage and the policy allow instead.' },
  ],
  ApprovalRejected: [
    { action: 'ask_person', description: 'Ask the person what they would agree to.' },
  ],
}

type More = { readonly recovery?: readonly Recovery[]; readonly context?: JsonObject }

/** Thrown by the runner and what wires it; a door turns it into its own form. */
export class JobFault extends Error {
  readonly error: JobError

  constructor(type: JobFaultType, description: string, more: More = {}) {
    super(description)
    this.name = 'JobFault'
    const actions = more.recovery ?? recoveries[type]
    const first = actions[0]?.description ?? ''
    this.error = {
      error_type: type,
      description,
      agent_description: `${description}. ${first}`.trim(),
      recovery_actions: actions,
      retryable: type === 'ResourceExhausted',
      context: more.context ?? {},
    }
  }
}
