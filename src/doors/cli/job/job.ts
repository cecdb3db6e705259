/**
 * `pawl job`: commands that run in a box, watched and ended from here.
 */
import type { Verb } from '../io.ts'
import { oneWord, usage } from '../options.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { followJob, printLogs } from './follow-job.ts'
import { type JobCommand, jobKinds, numberOf, runOf } from './request.ts'
import { runJob } from './run-job.ts'
import { jobsText, statusText } from './show-job.ts'

const help = `\
pawl job: run commands in a box, follow them, read what they said, end them

Usage: pawl job run [OPTIONS] -- COMMAND ARGS…
       pawl job run [OPTIONS] --shell TEXT
       pawl job list [--state STATE] [--limit N]
       pawl job show JOB
       pawl job logs JOB [--follow] [--stream STREAM] [--offset N] [--limit N]
       pawl job kill JOB [--signal SIGNAL] [--force-after SECONDS]

A job sees the system read-only and its folder writable; it has no network but what \`jobs.network\`
of config.json lists, no secrets, and no environment but what it is given. How much of that holds
here, \`pawl doctor\` says.

Options of run:
  --background         do not wait; the job has no timeout then
  --timeout SECONDS    1 to 3600; else 300
  --cwd FOLDER         where it starts, inside of this folder
  --env NAME=VALUE     a variable; may be given several times
  --stdin TEXT         what it reads; \`-\` takes it from here
  --cpu CORES          as a fraction: 0.5 is half a core
  --memory BYTES       of the whole job
  --lines N            lines of each summary; else 100
  --network WHAT       none, allowed (as the configuration says; default) or all (a person only)
  --network-host H     of what is allowed, only HOST or HOST:PORT; may be given several times
  --min-isolation L    full, isolated, restricted or contained: refuse to run with less
  --run RUN            as a call of this run, judged by its stage
Options of the others:
  --state STATE        running, completed, killed, timed_out or all
  --follow             go on with what it says, until it ends
  --stream STREAM      stdout, stderr or both
  --offset N           bytes to skip of each stream
  --limit N            at most so many bytes, or jobs
  --signal SIGNAL      SIGTERM (default), SIGKILL, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2
  --force-after S      SIGKILL after so many seconds; else 10, 0: never
${commonHelp}

Exit codes: 0 done, 1 the job failed or was refused, 2 it could not be asked
`

const tasks = ['run', 'list', 'show', 'logs', 'kill'] as const
const wordsMax = 10_001

const remote = remoteVerb({
  name: 'job',
  summary: 'run commands in a box, follow and end them',
  help,
  kinds: jobKinds,
  names: { min: 0, max: wordsMax, what: 'something to do' },
  run: async (request) => {
    const [first = 'list', ...words] = request.files
    const task = oneWord('job', first, tasks)
    if (task === 'run') return runJob(request, words)
    if (task === 'list') return list(request)
    const [id, more] = words
    if (id === undefined) throw usage('job', `\`pawl job ${task}\` needs a job`)
    if (more !== undefined) throw usage('job', `\`${more}\` is one too many`)
    if (task === 'show') return show(request, id)
    return task === 'kill' ? kill(request, id) : logs(request, id)
  },
})

export const jobVerb: Verb = {
  ...remote,
  // `-f` and `-c` are what fingers know.
  run: (args, io) => {
    const end = args.indexOf('--')
    const own = end < 0 ? args : args.slice(0, end)
    const spelled = own.map((word) =>
      word === '-f' ? '--follow' : word === '-c' ? '--shell' : word,
    )
    return remote.run([...spelled, ...(end < 0 ? [] : args.slice(end))], io)
  },
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
    return `${done.process_id}: ${done.state}, ${done.signal_sent} was sent\n`
  })
  return 0
}

async function logs(request: JobCommand, id: string): Promise<number> {
  const { values, look } = request
  if (values.follow) {
    if (look === 'json') throw usage('job', '`--follow` prints text; leave out `--json`')
    const offset = numberOf(request, 'offset') ?? 0
    await followJob(request, { id, offset, stream: values.stream ?? 'both' })
    return 0
  }
  return printLogs(request, id)
}
