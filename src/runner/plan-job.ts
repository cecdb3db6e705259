/**
 * Plans a job from a request: the stored note, the command line, its environment.
 * Faults are `JobFault`s; nothing has been created by then.
 */
import { join } from 'node:path'
import { secretsIn } from '../core/redact.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { MinIsolation } from '../runtime/jobs/jobs-port.ts'
import { describe, type IsolationMeans, levelOf, rank } from './find-isolation.ts'
import { hiddenPaths } from './hidden-paths.ts'
import { inputName, type JobNote, scratchName } from './job-files.ts'
import { findJobPlace, isPathInside, type JobPlace, noJobWorkspace } from './job-workspace.ts'
import { markName } from './kill-leftovers.ts'
import { isBoxed, type LaunchArgv, type Mechanism } from './launch-argv.ts'
import { graceMs, linesDefault, segmentBytes, timeoutSecondsDefault } from './limits.ts'
import { socketsBeside } from './open-sockets.ts'
import type { JobRequest, RunnerSettings } from './runner-settings.ts'
import { validateRequest } from './validate-request.ts'
import { visibleHome } from './visible-home.ts'

export type JobPlan = {
  readonly note: JobNote
  readonly chain: LaunchArgv
  /** The text of the file that is its input; null: nothing comes in. */
  readonly stdin: string | null
  /** Values that summaries leave out. */
  readonly secrets: readonly string[]
  /** Of the whole tree; null: all that is allocated. */
  readonly limitsAsked: { readonly memoryBytes: number | null; readonly cpus: number | null }
}

export type HeldJob = { readonly means: IsolationMeans; readonly helper: string }

/** `cgroups` are made later: they are folders of the system. */
export function planJob(settings: RunnerSettings, held: HeldJob, request: JobRequest): JobPlan {
  const { wish } = request
  const { limits } = settings
  validateRequest(wish, { cpus: limits.cpus, memoryBytes: limits.memoryBytes })
  const place = findJobPlace({
    workspace: request.workspace,
    folder: wish.working_directory,
    own: settings.own,
  })
  const { workspace, cwd } = place
  const mechanism = requireLevel(held.means, [
    ...request.minIsolations,
    { level: wish.min_isolation ?? 'none', by: '`min_isolation` of the call' },
  ])
  const secrets = hiddenPaths(settings)
  refuseHidden(workspace, secrets)
  if (mechanism.kind === 'landlock') refuseSecrets(workspace, secrets)
  const home = visibleHome(settings)
  const isOpen = request.network === 'all' || !isBoxed(mechanism)
  const hidden = isOpen ? secrets : [...secrets, ...socketsBeside(workspace)]
  const folder = join(settings.folder, request.id)
  const scratch = join(folder, scratchName)
  const network = networkOf(held.means, request)
  const isBackground = wish.background === true
  const stdin = isBackground ? null : (wish.stdin ?? null)
  const chain = {
    ...{ mechanism, folder, workspace, cwd, scratch, network, hidden, home },
    input: stdin === null ? null : join(folder, inputName),
    environment: environmentOf(settings, request, isBoxed(mechanism) ? null : scratch),
    program:
      wish.args === undefined ? ['/bin/sh', '-c', wish.command] : [wish.command, ...wish.args],
    numbers: numbersOf(settings, held.means, request),
  }
  return {
    note: noteOf(settings, held.means, { request, place }),
    ...{ chain, stdin },
    secrets: secretsIn(wish.environment ?? {}),
    limitsAsked: { memoryBytes: wish.memory_limit ?? null, cpus: wish.cpu_limit ?? null },
  }
}

/** Never weaker than is asked for, and never silently. */
function requireLevel(means: IsolationMeans, wanted: readonly MinIsolation[]): Mechanism {
  const level = levelOf(means)
  const least = wanted.reduce((one, two) => (rank(two.level) < rank(one.level) ? two : one))
  const { mechanism } = means
  if (mechanism !== null && rank(level) <= rank(least.level)) return mechanism
  const what =
    mechanism === null
      ? 'this machine cannot isolate jobs'
      : `${least.by} requires the isolation \`${least.level}\`, but this machine has \`${level}\``
  throw new JobFault('SpawnFailed', what, {
    recovery: [
      {
        action: 'check_isolation',
        description: 'Ask a person: `pawl doctor` shows what is missing on this machine.',
      },
    ],
    context: {
      ...{ level, min_isolation: least.level, required_by: least.by },
      notes: [...means.notes],
    },
  })
}

/** Without a network space of its own there are other ways out, and the list would hold nothing. */
function networkOf({ mechanism }: IsolationMeans, { network }: JobRequest): LaunchArgv['network'] {
  if (typeof network === 'string') return network
  if (mechanism !== null && isBoxed(mechanism)) return 'some'
  throw new JobFault('SpawnFailed', 'this machine cannot limit a job to a list of hosts', {
    recovery: [
      {
        action: 'run_without_network',
        description: 'Pass `network: none`, or ask a person: `pawl doctor` shows what is missing.',
      },
    ],
  })
}

function refuseHidden(workspace: string, hidden: readonly string[]): void {
  const found = hidden.find((path) => isPathInside(path, workspace))
  if (found === undefined) return
  throw noJobWorkspace(
    `the workspace \`${workspace}\` is inside \`${found}\`, which jobs may not see`,
  )
}

/** WHY: Landlock opens a whole workspace or none of it, and nothing in it can be covered. */
function refuseSecrets(workspace: string, hidden: readonly string[]): void {
  const found = hidden.find((path) => isPathInside(workspace, path))
  if (found === undefined) return
  throw noJobWorkspace(
    `the workspace \`${workspace}\` contains \`${found}\`, which jobs may not see`,
  )
}

function numbersOf(
  { limits }: RunnerSettings,
  { groups, mechanism }: IsolationMeans,
  { wish }: JobRequest,
): LaunchArgv['numbers'] {
  const seconds = wish.background === true ? 0 : (wish.timeout ?? timeoutSecondsDefault)
  const hasOwnUsers = mechanism !== null && isBoxed(mechanism)
  return {
    timeoutMs: seconds * 1_000,
    graceMs,
    leaseMs: limits.leaseMs,
    outputBytesMax: limits.outputBytes,
    segmentBytes: Math.min(segmentBytes, limits.outputBytes),
    tmpBytes: limits.tmpBytes,
    fileBytes: limits.fileBytes,
    cpuSeconds: limits.cpuSeconds ?? 0,
    // The group limits the tree; without one each process is limited by itself.
    dataBytes: groups === null ? (wish.memory_limit ?? limits.memoryBytes) : 0,
    // WHY only in a space of its own: elsewhere the limit counts every process of the user.
    processes: groups === null && hasOwnUsers ? limits.processes : 0,
  }
}

type PlacedRequest = { readonly request: JobRequest; readonly place: JobPlace }

function noteOf(
  settings: RunnerSettings,
  means: IsolationMeans,
  { request, place }: PlacedRequest,
): JobNote {
  const { wish, id, runId, branch, callId, owner, network, asked } = request
  const isBackground = wish.background === true
  const warnings: string[] = []
  if (isBackground && wish.stdin !== undefined) {
    warnings.push('stdin is ignored: the job runs in the background')
  }
  if (isBackground && wish.timeout !== undefined) {
    warnings.push('timeout is ignored: the job runs in the background')
  }
  const { memory = false, cpu = false, pids = false } = means.groups?.has ?? {}
  const isMissed =
    (wish.memory_limit !== undefined && !memory) || (wish.cpu_limit !== undefined && !cpu)
  if (isMissed) warnings.push('not every requested limit can be enforced here')
  return {
    ...{ id, runId, branch, callId, owner, asked, warnings },
    command: wish.command,
    args: wish.args ?? null,
    workspace: place.workspace,
    folder: place.cwd,
    variables: Object.keys(wish.environment ?? {}).sort(),
    startedAt: settings.now(),
    background: isBackground,
    stdoutLines: wish.stdout_lines ?? linesDefault,
    isolation: describe(means, network),
    destinations: typeof network === 'string' ? null : network,
    // Limits of all three are in force for every job, asked for or not.
    limitsEnforced: memory && cpu && pids,
    cgroups: [],
  }
}

/** `scratch`: where an unboxed job keeps its own files; null: in the `/tmp` of its box. */
function environmentOf(
  { path }: RunnerSettings,
  { wish, id }: JobRequest,
  scratch: string | null,
): Readonly<Record<string, string>> {
  return {
    ...wish.environment,
    PATH: path,
    HOME: scratch ?? '/tmp/home',
    TMPDIR: scratch ?? '/tmp',
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    [markName]: id,
  }
}
