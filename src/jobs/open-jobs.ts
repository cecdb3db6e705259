/**
 * Connects the runner with runs: calls about jobs are judged, the end of a job is recorded in its
 * run, and a run that ends stops its jobs.
 */
import { createHash } from 'node:crypto'
import { homedir, userInfo } from 'node:os'
import type { JsonObject } from '../core/json.ts'
import { hashJson } from '../core/machine/hash.ts'
import type { JobTool } from '../core/tools/pawl-tool-names.ts'
import { installJobHelper } from '../daemon/install-job-helper.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { repeatEvery } from '../daemon/repeat-timer.ts'
import type { JobsConfig } from '../home/config-jobs.ts'
import type { Home } from '../home/home.ts'
import { statusOf } from '../runner/job-status.ts'
import { checkKill, killJob } from '../runner/kill-job.ts'
import { listJobs } from '../runner/list-jobs.ts'
import { networkFor } from '../runner/network-for.ts'
import { openRunner, type Runner } from '../runner/open-runner.ts'
import { checkLogs, readLogs, waitForBytes } from '../runner/read-log-page.ts'
import { checkJob, type RunningJob, waitForEnd } from '../runner/running-job.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type {
  IsolationLevel,
  JobCaller,
  JobPending,
  JobResult,
  Jobs,
  RunWish,
} from '../runtime/jobs/jobs-port.ts'
import { isOpen } from '../runtime/runs/open-statuses.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { callInput } from './call-input.ts'
import { isPending, judgeJob, reportJob } from './judge-job.ts'
import { reportJobExits } from './report-job-exit.ts'
import { requireRun } from './require-run.ts'

type JobsSettings = {
  readonly runtime: Runtime
  readonly home: Home
  readonly config: JobsConfig
  readonly newId: () => string
  readonly log: LogLine
  /** Absent: compiled into the data directory when it is first needed. */
  readonly helper?: () => Promise<string>
  /** Stronger means are left out, so that weaker ones can be tested. */
  readonly strongest?: IsolationLevel
}

export type OpenJobs = Jobs & { readonly close: () => Promise<void> }

const sweepMs = 1_000
/** How long a call waits for a person at most before it says that it is pending. */
const askMsMax = 20_000
/** What a job of a run that has ended gets between the polite and the hard end. */
const lastSeconds = 2

/** Opens the runner; jobs of a daemon before are taken over. */
export function openJobs(settings: JobsSettings): OpenJobs {
  const { runtime, home, config, log } = settings
  const own = home.socketFolder === null ? [home.folder] : [home.folder, home.socketFolder]
  const ends = reportJobExits(runtime, log)
  const runner = openRunner({
    ...{ folder: home.jobs, own, now: Date.now, limits: config.limits },
    helper: settings.helper ?? (() => installJobHelper(home)),
    ...(settings.strongest === undefined ? {} : { strongest: settings.strongest }),
    userFolders: [...new Set([userInfo().homedir, homedir()])],
    homePaths: config.home,
    path: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    onEnd: ends.tell,
  })
  const onFault = (fault: unknown): void =>
    log('error', 'the periodic check of jobs failed', { fault: String(fault) })
  const timer = repeatEvery(
    sweepMs,
    async () => {
      await runner.sweep()
      await endOrphans(runtime, runner)
    },
    onFault,
  )
  return {
    ...jobsOf(settings, runner),
    close: async () => {
      await timer.stop()
      runner.close()
      await ends.told()
    },
  }
}

/** A job does not outlive its run. */
async function endOrphans(runtime: Runtime, runner: Runner): Promise<void> {
  const soon = Date.now() + lastSeconds * 1_000
  // WHY not all that are being killed: a kill may give its job an hour.
  const running = runner
    .all()
    .filter((job) => job.end === null && (job.forceAt === null || job.forceAt > soon))
  for (const runId of new Set(running.map(({ note }) => note.runId))) {
    if (runId === null) continue
    const head = await runtime.readHead(runId)
    if (head !== null && isOpen(head.status)) continue
    for (const job of running.filter(({ note }) => note.runId === runId)) {
      // WHY not awaited: the next run must not wait for a job that ignores the signal.
      killJob(job, { force_after: lastSeconds }, Date.now).catch(() => checkJob(job, Date.now()))
    }
  }
}

function jobsOf(settings: JobsSettings, runner: Runner): Jobs {
  const { runtime } = settings
  /** Judges a call that only looks or ends, makes it, and reports it. */
  const make = async <T extends object>(
    tool: JobTool,
    { input, caller }: { readonly input: JsonObject; readonly caller: JobCaller },
    act: () => Promise<T> | T,
  ): Promise<T | JobPending> => {
    // WHY not judged: what a person looks at is no call of the run, and uses up nothing of it.
    if (caller.actor.kind === 'person' && tool !== 'process_kill') return act()
    const judged = await judgeJob(runtime, { tool, input, caller, waitMs: 0 })
    if (isPending(judged)) return judged
    const place = { ...caller, callId: judged.callId }
    try {
      const answer = await act()
      await reportJob(runtime, place, { ok: true, bytes: JSON.stringify(answer).length })
      return answer
    } catch (fault) {
      await reportJob(runtime, place, { ok: false })
      throw fault
    }
  }
  return {
    run: (wish, caller, waitMs) => run(settings, runner, { wish, caller, waitMs }),
    wait: async (id, by, waitMs) => {
      const { job, caller } = findJob(runner, id, by)
      return make('process_monitor', { input: { process_id: id }, caller }, async () => {
        await waitForEnd(job, waitMs)
        return runner.result(job)
      })
    },
    monitor: async (id, by) => {
      const { job, caller } = findJob(runner, id, by)
      const input = { process_id: id }
      return make('process_monitor', { input, caller }, () => statusOf(job, Date.now()))
    },
    kill: async (id, wish, by) => {
      const { job, caller } = findJob(runner, id, by)
      checkKill(wish)
      const input = { process_id: id, ...wish }
      return make('process_kill', { input, caller }, () => killJob(job, wish, Date.now))
    },
    list: async (wish, caller) => {
      const visible = runner.all().filter((job) => isVisible(job, caller))
      const input = { ...wish }
      const shown = await listable(runtime, visible, { input, caller })
      return make('process_list', { input, caller }, () => listJobs(shown, wish, Date.now()))
    },
    logs: async (id, { waitMs, ...wish }, by) => {
      const { job, caller } = findJob(runner, id, by)
      checkLogs(wish)
      return make('process_logs', { input: { process_id: id, ...wish }, caller }, async () => {
        await waitForBytes(job, wish, waitMs)
        checkJob(job, Date.now())
        return readLogs(job, wish)
      })
    },
    isolation: runner.isolation,
  }
}

/** A job, and who asks for it: without a run, by the policies of where the job works. */
type JobOfCaller = { readonly job: RunningJob; readonly caller: JobCaller }

/** An agent without a run: what judges it are the policies of a workspace. */
function isFree({ actor, runId }: JobCaller): boolean {
  return runId === null && actor.kind !== 'person'
}

function callerAt(caller: JobCaller, { note }: RunningJob): JobCaller {
  return { ...caller, workspace: note.workspace }
}

type ListRequest = { readonly input: JsonObject; readonly caller: JobCaller }

/** Of the jobs without a run, those of workspaces whose policies let them be listed. */
async function listable(
  runtime: Runtime,
  jobs: readonly RunningJob[],
  { input, caller }: ListRequest,
): Promise<readonly RunningJob[]> {
  if (!isFree(caller)) return jobs
  const allowed = new Set<string>()
  let denied: unknown = null
  for (const job of new Map(jobs.map((one) => [one.note.workspace, one])).values()) {
    const asking = {
      tool: 'process_list',
      input,
      caller: callerAt(caller, job),
      waitMs: 0,
    } as const
    try {
      await judgeJob(runtime, asking)
      allowed.add(job.note.workspace)
    } catch (fault) {
      if (!(fault instanceof JobFault)) throw fault
      denied = fault
    }
  }
  if (denied !== null && allowed.size === 0) throw denied
  return jobs.filter(({ note }) => allowed.has(note.workspace))
}

/** A person sees every job, an agent those of its run; whatever else is asked for is not there. */
function findJob(runner: Runner, id: string, caller: JobCaller): JobOfCaller {
  const job = runner.find(id)
  if (job !== null && isVisible(job, caller)) {
    checkJob(job, Date.now())
    return { job, caller: isFree(caller) ? callerAt(caller, job) : caller }
  }
  throw new JobFault('ProcessNotFound', `job \`${id.slice(0, 100)}\` does not exist`)
}

function isVisible({ note }: RunningJob, { actor, runId }: JobCaller): boolean {
  if (actor.kind === 'person') return runId === null || note.runId === runId
  return note.runId === runId && (runId !== null || note.owner === 'agent')
}

type Running = {
  readonly wish: RunWish
  readonly caller: JobCaller
  readonly waitMs: number
}

async function run(
  settings: JobsSettings,
  runner: Runner,
  { wish, caller, waitMs }: Running,
): Promise<JobResult | JobPending> {
  const { runtime, config } = settings
  const workspace = await workspaceOf(runtime, caller)
  const id = idOf(settings, caller)
  const asked = fingerprint(wish, caller, workspace)
  const known = runner.known({ id, asked })
  if (known !== null) return answerOf(runner, known, waitMs)
  if (isFree(caller)) await requireRun(runtime, workspace)
  const asking = { input: callInput(wish), caller: { ...caller, workspace } }
  const patience = { waitMs: Math.min(waitMs, askMsMax) }
  const judged = await judgeJob(runtime, { tool: 'process_run', ...asking, ...patience })
  if (isPending(judged)) return judged
  const { callId } = judged
  const { runId, branch, actor } = caller
  const place = { runId, branch, workspace }
  try {
    const own = { level: config.minIsolation, by: '`jobs.minIsolation` of `config.json`' }
    const levels = [...(await runtime.minIsolations(place)), own]
    const job = await runner.start({
      // WHY from the verdict: a stage may take variables out of a command.
      wish: { ...wish, command: stringOr(judged.input.command, wish.command) },
      ...{ id, workspace, runId, branch, callId, asked },
      network: networkFor(config, wish, actor.kind),
      minIsolations: levels,
      owner: actor.kind === 'person' ? 'person' : 'agent',
    })
    return await answerOf(runner, job, waitMs)
  } catch (fault) {
    const isEnded = fault instanceof JobFault && fault.error.error_type === 'ResourceLimitExceeded'
    if (!isEnded) await reportJob(runtime, { runId, branch, callId }, { ok: false })
    throw fault
  }
}

async function answerOf(runner: Runner, job: RunningJob, waitMs: number): Promise<JobResult> {
  if (!job.note.background) await waitForEnd(job, waitMs)
  return runner.result(job)
}

/** Of all that makes a request: under the same id, anything else is another job. */
function fingerprint(wish: RunWish, caller: JobCaller, workspace: string): string {
  const { runId, branch, actor } = caller
  // WHY the cast: a wish is JSON, of which nothing is undefined.
  return hashJson([wish as JsonObject, runId, branch, actor.kind, workspace])
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

async function workspaceOf(runtime: Runtime, { runId, workspace }: JobCaller): Promise<string> {
  const found = runId === null ? workspace : (await runtime.readHead(runId))?.workspace
  if (typeof found === 'string') return found
  throw new JobFault('InvalidInput', 'there is no workspace to run the command in', {
    recovery: [
      { action: 'name_workspace', description: 'Name a workspace, or a run that has one.' },
    ],
  })
}

const idLength = 20

/** WHY from the command: whoever sends it again gets the job that was started, not another. */
function idOf({ newId }: JobsSettings, { commandId }: JobCaller): string {
  if (commandId === null) return `job_${newId()}`
  return `job_${createHash('sha256').update(commandId).digest('hex').slice(0, idLength)}`
}
