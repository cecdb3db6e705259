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
  'jobs.run': (context, input) =>
    withJobs(context, (jobs) => {
      const { run_id, branch, workspace, wait_ms, ...wish } = input
      const caller = { ...callerOf(context, { run_id, branch }), workspace: workspace ?? null }
      return jobs.run(omitUndefined(wish), caller, wait_ms ?? waitMsDefault)
    }),
  'jobs.list': (context, { run_id, branch, ...wish }) =>
    withJobs(context, (jobs) =>
      jobs.list(omitUndefined(wish), callerOf(context, { run_id, branch })),
    ),
  'jobs.isolation': (context) => withJobs(context, (jobs) => jobs.isolation()),
  'jobs.read': (context, input) =>
    withJobs(context, (jobs) => jobs.monitor(input.process_id, callerOf(context, input))),
  'jobs.wait': (context, input) =>
    withJobs(context, (jobs) =>
      jobs.wait(input.process_id, callerOf(context, input), input.wait_ms ?? waitMsDefault),
    ),
  'jobs.logs': (context, input) => withJobs(context, (jobs) => logs(context, jobs, input)),
  'jobs.kill': (context, { process_id, run_id, branch, ...wish }) =>
    withJobs(context, (jobs) =>
      jobs.kill(process_id, omitUndefined(wish), callerOf(context, { run_id, branch })),
    ),
}

function logs(
  context: HandlerContext,
  jobs: Jobs,
  input: OperationRequest<'jobs.logs'>,
): ReturnType<Jobs['logs']> {
  const { process_id, run_id, branch, wait_ms, ...wish } = input
  const wanted = { ...omitUndefined(wish), waitMs: wait_ms ?? 0 }
  return jobs.logs(process_id, wanted, callerOf(context, { run_id, branch }))
}

function callerOf({ actor, commandId }: HandlerContext, { run_id, branch }: Whose): JobCaller {
  return { actor, commandId, runId: run_id ?? null, branch: branch ?? null, workspace: null }
}

async function withJobs<T>(
  context: HandlerContext,
  ask: (jobs: Jobs) => Promise<T>,
): Promise<HandlerAnswer<T>> {
  if (context.jobs !== null) return { ok: true, output: await ask(context.jobs) }
  const detail = 'this daemon has no runner'
  return { ok: false, problem: problem('JOB_FAILED', { detail, status: 503 }) }
}
