/**
 * A job without a run is judged by policies alone. If a run is open, a caller cannot bypass its
 * stages by leaving the run out.
 */
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { Runtime } from '../runtime/runtime.ts'

/** Fault `PolicyDenied`: a run is open for this workspace, or one above or below it. */
export async function requireRun(runtime: Runtime, workspace: string): Promise<void> {
  const located = await runtime.calls.locate({ workspace, runId: null, session: null })
  if (located.kind === 'none') return
  const why =
    located.kind === 'run'
      ? `the run \`${located.runId}\` is open in this workspace`
      : located.reason
  throw new JobFault('PolicyDenied', `${why}, so an agent can only start jobs for a run`, {
    context: { code: 'RUN_REQUIRED' },
    recovery: [
      { action: 'name_run', description: 'Pass the run as `run_id`, or ask a person to end it.' },
    ],
  })
}
