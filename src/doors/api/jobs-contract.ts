/**
 * Inputs and answers of the operations about jobs, with the field names of the process
 * capabilities. The runner checks ranges, and its errors say what to do next.
 */
import { z } from 'zod'
import { isolationLevels } from '../../core/machine/isolation-levels.ts'
import { jobStates } from '../../runtime/jobs/job-states.ts'
import { killInputs, listInputs, logsInputs, runInputs } from './job-inputs.ts'
import { countSchema, folderSchema, nameSchema, textSchema } from './wire-schemas.ts'

/** How long one request may wait: as long as the longest foreground job. */
const waitMsMax = 3_700_000

const level = z.enum(isolationLevels)
const state = z.enum(jobStates)
const whole = z.int()
const process_id = nameSchema.describe('as returned by `jobs.run`')
const caller = {
  run_id: nameSchema.optional().describe('the run that the call belongs to; required for agents'),
  branch: nameSchema.optional(),
}
const wait_ms = countSchema.max(waitMsMax).optional()
const figure = countSchema.nullable().describe('null if this machine cannot measure it')

const usage = z.object({
  cpu_ms: figure,
  memory_peak_bytes: figure,
  io_read_bytes: figure,
  io_write_bytes: figure,
})

const isolation = z
  .object({
    level,
    filesystem: z.string(),
    network: z.string(),
    pids: z.string(),
    memory: z.string(),
    cpu: z.string(),
    notes: z.array(z.string()).readonly(),
  })
  .meta({ id: 'Isolation' })

const entryFields = {
  process_id: z.string(),
  command: z.string(),
  state,
  exit_code: whole.nullable(),
  started_at: z.string(),
  duration_ms: countSchema,
  resource_usage: usage,
  run_id: z.string().nullable(),
}
const entry = z.object(entryFields).meta({ id: 'JobEntry' })

const statusFields = {
  ...entryFields,
  signal: z.string().nullable(),
  working_directory: z.string(),
  background: z.boolean(),
  isolation,
  limits_enforced: z.boolean(),
  stdout_size: countSchema,
  stderr_size: countSchema,
  stdout_dropped_bytes: countSchema,
  stderr_dropped_bytes: countSchema,
  network_refused: countSchema.describe('number of connections that the list of hosts blocked'),
  warnings: z.array(z.string()).readonly(),
}
const status = z.object(statusFields).meta({ id: 'JobStatus' })
const result = z
  .object({ ...statusFields, stdout_summary: textSchema, stderr_summary: textSchema })
  .meta({ id: 'JobResult' })

const pending = z
  .object({
    status: z.literal('pending_approval'),
    approval_id: z.string(),
    capability: z.string(),
    message: z.string(),
  })
  .meta({ id: 'JobPending' })

export const jobsContract = {
  'jobs.run': {
    input: z.strictObject({
      ...caller,
      workspace: folderSchema.optional().describe('the folder of a job that has no run'),
      ...runInputs,
      network: z.enum(['none', 'allowed', 'all']).optional(),
      network_hosts: z
        .array(z.string())
        .optional()
        .describe('restrict allowed connections to these: `host` or `host:port`'),
      min_isolation: level.optional(),
      wait_ms: wait_ms.describe('return after this time, even if the job is still running'),
    }),
    answer: z.union([result, pending]),
  },
  'jobs.list': {
    input: z.strictObject({ ...caller, ...listInputs }),
    answer: z.union([
      z.object({ processes: z.array(entry).readonly(), total: countSchema }),
      pending,
    ]),
  },
  'jobs.isolation': { input: z.strictObject({}), answer: isolation },
  'jobs.read': {
    input: z.strictObject({ ...caller, process_id }),
    answer: z.union([status, pending]),
  },
  'jobs.wait': {
    input: z.strictObject({ ...caller, process_id, wait_ms }),
    answer: z.union([result, pending]),
  },
  'jobs.logs': {
    input: z.strictObject({
      ...caller,
      process_id,
      ...logsInputs,
      encoding: z.enum(['utf8', 'base64']).optional(),
      wait_ms: wait_ms.describe('how long to wait for output after the offset'),
    }),
    answer: z.union([
      z.object({
        stdout: textSchema,
        stderr: textSchema,
        stdout_size: countSchema,
        stderr_size: countSchema,
        truncated: z.boolean(),
        process_id: z.string(),
        state,
        stdout_next_offset: countSchema,
        stderr_next_offset: countSchema,
        next_offset: countSchema
          .nullable()
          .describe('where the next page begins; null if each stream goes on at its own offset'),
        stdout_dropped_bytes: countSchema,
        stderr_dropped_bytes: countSchema,
      }),
      pending,
    ]),
  },
  'jobs.kill': {
    input: z.strictObject({ ...caller, process_id, ...killInputs }),
    answer: z.union([
      z.object({ killed: z.boolean(), signal_sent: z.string(), process_id: z.string(), state }),
      pending,
    ]),
  },
} as const
