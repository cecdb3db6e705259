/**
 * The inputs of the process capabilities, the same over every door: types and defaults as their
 * document has them, and the error of an input that does not fit.
 * WHY ranges are only described: the runner checks them, and its errors say what to do next.
 */
import { z } from 'zod'
import { type JobError, JobFault, type JobFaultType } from '../../runtime/jobs/job-fault.ts'
import { jobStates } from '../../runtime/jobs/job-states.ts'

const signals = ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']

/** `process.run`. */
export const runInputs = {
  command: z.string().describe('a shell command; with `args`, the name of a program'),
  args: z.array(z.string()).optional().describe('arguments of the program; no shell is used'),
  working_directory: z
    .string()
    .optional()
    .describe('a folder inside the workspace; default: the workspace'),
  environment: z.record(z.string(), z.string()).optional().describe('variables to set'),
  timeout: z
    .int()
    .optional()
    .meta({
      description: 'maximum seconds in the foreground',
      ...{ default: 300, minimum: 1, maximum: 3_600 },
    }),
  background: z.boolean().optional().meta({
    description: 'return at once; the timeout does not apply',
    default: false,
  }),
  stdin: z.string().optional().describe('its input; ignored in the background'),
  cpu_limit: z.number().optional().meta({
    description: 'cores: 0.5 is half a core',
    exclusiveMinimum: 0,
  }),
  memory_limit: z
    .int()
    .optional()
    .meta({ description: 'bytes', minimum: 4 * 1024 * 1024 }),
  stdout_lines: z
    .int()
    .optional()
    .meta({
      description: 'number of lines in each summary, from the end of the output',
      ...{ default: 100, minimum: 0, maximum: 10_000 },
    }),
}

/** `process.kill`, beside the id. */
export const killInputs = {
  signal: z
    .string()
    .optional()
    .meta({
      description: 'the signal to send',
      ...{ default: 'SIGTERM', enum: signals },
    }),
  force_after: z
    .int()
    .optional()
    .meta({
      description: 'seconds between SIGTERM and SIGKILL; 0 for no SIGKILL',
      ...{ default: 10, minimum: 0, maximum: 3_600 },
    }),
}

/** `process.list`. */
export const listInputs = {
  state_filter: z
    .string()
    .optional()
    .meta({
      description: 'the state of the jobs',
      ...{ default: 'all', enum: [...jobStates, 'all'] },
    }),
  limit: z
    .int()
    .optional()
    .meta({
      description: 'number of jobs, the newest first',
      ...{ default: 50, minimum: 1, maximum: 1_000 },
    }),
}

/** `process.logs`, beside the id. */
export const logsInputs = {
  stream: z
    .string()
    .optional()
    .meta({
      description: 'the stream to read',
      ...{ default: 'both', enum: ['stdout', 'stderr', 'both'] },
    }),
  offset: z.int().optional().meta({ description: 'bytes to skip in each stream', minimum: 0 }),
  limit: z.int().optional().meta({
    description: 'bytes of each stream; default: all of it',
    minimum: 0,
  }),
}

type InputIssue = { readonly path: readonly PropertyKey[] }

/** Inputs that have an error of their own. */
const faultTypes: Readonly<Record<string, JobFaultType>> = {
  state_filter: 'InvalidFilter',
  stream: 'InvalidStream',
}

/** The error of an input that its schema does not accept. */
export function jobInputError(issues: readonly InputIssue[], detail: string): JobError {
  const field = String(issues[0]?.path[0] ?? '')
  return new JobFault(faultTypes[field] ?? 'InvalidInput', detail).error
}
