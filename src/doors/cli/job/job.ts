/**
 * `pawl job`: commands in a sandbox: runs, lists, follows and stops them.
 */
import type { VerbHelp } from '../help.ts'
import type { Verb } from '../io.ts'
import { oneWord, refuseMore, usage } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { followJob, printLogs } from './follow-job.ts'
import { type JobCommand, jobKinds, numberOf, runOf } from './job-command-line.ts'
import { runJob } from './run-job.ts'
import { jobsText, statusText } from './show-job.ts'

const help: VerbHelp = {
  usage: [
    'job run [OPTIONS] -- COMMAND ARGS…',
    'job run [OPTIONS] --shell TEXT',
    'job list [--state STATE] [--limit N]',
    'job show JOB',
    'job logs JOB [--follow] [--stream STREAM] [--offset N] [--limit N]',
    'job kill JOB [--signal SIGNAL] [--force-after SECONDS]',
  ],
  about: `\
A job can read the system and write to its folder. It has no network except what
\`jobs.network\` of config.json allows, no secrets, and only the environment that
you pass. \`pawl doctor\` shows how much of that is enforced on this machine.`,
  options: [
    ['--background', 'run: do not wait for the job; it then has no timeout'],
    ['--timeout SECONDS', 'run: stop the job after this time; 1 to 3600, default: 300'],
    ['--shell TEXT', 'run: a shell command; -c for short'],
    ['--cwd DIR', 'run: the folder to start in, inside this folder'],
    ['--env NAME=VALUE', 'run: set an environment variable; repeatable'],
    ['--stdin TEXT', 'run: standard input of the job; `-` reads it from here'],
    ['--cpu CORES', 'run: limit the CPU; 0.5 is half a core'],
    ['--memory BYTES', 'run: limit the memory of the whole job'],
    ['--lines N', 'run: output lines to show per stream; default: 100'],
    ['--network MODE', 'run: none, allowed (by config.json, default) or all (people only)'],
    ['--network-host HOST', 'run: restrict the network to HOST or HOST:PORT; repeatable'],
    [
      '--min-isolation LEVEL',
      'run: full, isolated, restricted or contained; do not start with less',
    ],
    ['--run RUN', 'run it as a tool call of RUN, judged by its current stage'],
    ['--state STATE', 'list: running, completed, killed, timed_out or all'],
    ['--follow', 'logs: keep printing until the job ends; -f for short'],
    ['--stream STREAM', 'logs: stdout, stderr or both'],
    ['--offset N', 'logs: skip N bytes of each stream'],
    ['--limit N', 'logs: at most N bytes; list: at most N jobs'],
    [
      '--signal SIGNAL',
      'kill: SIGTERM (default), SIGKILL, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 or SIGUSR2',
    ],
    ['--force-after SECONDS', 'kill: send SIGKILL after this time; default: 10, 0 means never'],
  ],
  examples: ['job run -- npm test', "job run --timeout 60 --shell 'make && make check'"],
  exits: { 0: 'done', 1: 'the job failed or was denied', 2: notAsked },
}

const tasks = ['run', 'list', 'show', 'logs', 'kill'] as const
const wordsMax = 10_001

const remote = remoteVerb({
  name: 'job',
  help,
  kinds: jobKinds,
  names: { min: 0, max: wordsMax, what: 'a subcommand' },
  run: async (asked) => {
    const request = await withRun(asked)
    const [first = 'list', ...words] = request.files
    const task = oneWord('job', first, tasks)
    if (task === 'run') return runJob(request, words)
    if (task === 'list') return list(request)
    const [id] = words
    if (id === undefined) throw usage('job', `\`pawl job ${task}\` needs a job`)
    refuseMore('job', words, 1)
    if (task === 'show') return show(request, id)
    return task === 'kill' ? kill(request, id) : logs(request, id)
  },
})

export const jobVerb: Verb = {
  ...remote,
  // `-f` and `-c`, as in `tail -f` and `sh -c`.
  run: (args, io) => {
    const end = args.indexOf('--')
    const own = end < 0 ? args : args.slice(0, end)
    const spelled = own.map((word) =>
      word === '-f' ? '--follow' : word === '-c' ? '--shell' : word,
    )
    return remote.run([...spelled, ...(end < 0 ? [] : args.slice(end))], io)
  },
}

/** The run may be named by the beginning of its id. */
async function withRun(request: JobCommand): Promise<JobCommand> {
  const { run } = request.values
  if (run === null) return request
  return { ...request, values: { ...request.values, run: await findRun(run, request) } }
}

async function list(request: JobCommand): Promise<number> {
  const { remote, values, io } = request
  const limit = numberOf(request, 'limit')
  const found = await remote.call('jobs.list', {
    ...(values.state === null ? {} : { state_filter: values.state }),
    ...(limit === undefined ? {} : { limit }),
    ...runOf(request),
  })
  printResult(request, found, () => jobsText(found, io))
  return 0
}

async function show(request: JobCommand, id: string): Promise<number> {
  const found = await request.remote.call('jobs.read', { process_id: id, ...runOf(request) })
  printResult(request, found, () => statusText(found, request.io))
  return 0
}

async function kill(request: JobCommand, id: string): Promise<number> {
  const force_after = numberOf(request, 'force-after')
  const { signal } = request.values
  const done = await request.remote.call('jobs.kill', {
    process_id: id,
    ...runOf(request),
    ...(signal === null ? {} : { signal }),
    ...(force_after === undefined ? {} : { force_after }),
  })
  printResult(request, done, () => {
    if ('status' in done) return `${done.message} (approval ${done.approval_id})\n`
    return `${done.process_id}: ${done.state}, sent ${done.signal_sent}\n`
  })
  return 0
}

async function logs(request: JobCommand, id: string): Promise<number> {
  const { values, look } = request
  if (values.follow) {
    if (look === 'json') throw usage('job', '`--follow` and `--json` cannot be used together')
    const offset = numberOf(request, 'offset') ?? 0
    await followJob(request, { id, offset, stream: values.stream ?? 'both' })
    return 0
  }
  return printLogs(request, id)
}
