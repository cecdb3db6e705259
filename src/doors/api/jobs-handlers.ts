/** Handlers of the operations about jobs. */
import type { JobCaller, Jobs } from '../../runtime/jobs/jobs-port.ts'
import type { OperationRequest } from './contract.ts'
import type { HandlerAnswer, HandlerContext, HandlersOf } from './handler-context.ts'
import type { jobsOperations } from './jobs-operations.ts'
import { omitUndefined } from './omit-undefined.ts'
import { problem } from './problem.ts'

/** As long as the longest foreground job, and a little more. */
const waitMsDefault = 3_650_000

type Whose = { readonly run_id?: string | undefined; readonly branch?: string | undefined }

export const jobsHandlers: HandlersOf<keyof typeof jobsOperations> = {
  'jobs.run': (desk, input) =>
    withJobs(desk, (jobs) => {
      const { run_id, branch, workspace, wait_ms, ...wish } = input
      const caller = { ...callerOf(desk, { run_id, branch }), workspace: workspace ?? null }
      return jobs.run(omitUndefined(wish), caller, wait_ms ?? waitMsDefault)
    }),
  'jobs.list': (desk, { run_id, branch, ...wish }) =>
    withJobs(desk, (jobs) => jobs.list(omitUndefined(wish), callerOf(desk, { run_id, branch }))),
  'jobs.isolation': (desk) => withJobs(desk, (jobs) => jobs.isolation()),
  'jobs.read': (desk, input) =>
    withJobs(desk, (jobs) => jobs.monitor(input.process_id, callerOf(desk, input))),
  'jobs.wait': (desk, input) =>
    withJobs(desk, (jobs) =>
      jobs.wait(input.process_id, callerOf(desk, input), input.wait_ms ?? waitMsDefault),
    ),
  'jobs.logs': (desk, input) => withJobs(desk, (jobs) => logs(desk, jobs, input)),
  'jobs.kill': (desk, { process_id, run_id, branch, ...wish }) =>
    withJobs(desk, (jobs) =>
      jobs.kill(process_id, omitUndefined(wish), callerOf(desk, { run_id, branch })),
    ),
}

function logs(
  desk: HandlerContext,
  jobs: Jobs,
  input: OperationRequest<'jobs.logs'>,
): ReturnType<Jobs['logs']> {
  const { process_id, run_id, branch, wait_ms, ...wish } = input
  const wanted = { ...omitUndefined(wish), waitMs: wait_ms ?? 0 }
  return jobs.logs(process_id, wanted, callerOf(desk, { run_id, branch }))
}

function callerOf({ actor, commandId }: HandlerContext, { run_id, branch }: Whose): JobCaller {
  return { actor, commandId, runId: run_id ?? null, branch: branch ?? null, workspace: null }
}

async function withJobs<T>(
  desk: HandlerContext,
  ask: (jobs: Jobs) => Promise<T>,
): Promise<HandlerAnswer<T>> {
  if (desk.jobs !== null) return { ok: true, output: await ask(desk.jobs) }
  const detail = 'this daemon has no runner'
  return { ok: false, problem: problem('JOB_FAILED', { detail, status: 503 }) }
}
