/**
 * The names of what a run learns when one of its jobs ends. Pawl started the job and saw it end,
 * so guards with the source `observed` can rely on them.
 */

export const jobFactNames = [
  ...(['job_id', 'job_command', 'job_folder', 'job_environment', 'job_state'] as const),
  ...(['job_exit_code', 'job_stdout_sha256', 'job_stderr_sha256'] as const),
] as const

export type JobFactName = (typeof jobFactNames)[number]
