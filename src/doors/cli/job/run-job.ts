/**
 * `pawl job run`: starts a job in this folder and waits for it, unless it runs in the background.
 */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { isolationLevels } from '../../../runtime/jobs/jobs-port.ts'
import type { OperationAnswer, OperationInput } from '../../api/contract.ts'
import { plain } from '../ansi.ts'
import { oneOf, usage } from '../options.ts'
import { printResult } from '../remote/remote-verb.ts'
import { followJob } from './follow-job.ts'
import { type JobCommand, numberOf, runOf } from './job-command-line.ts'
import { resultText } from './show-job.ts'

type Result = Exclude<OperationAnswer<'jobs.run'>, { status: 'pending_approval' }>

/** How long one request waits; then it is asked again. */
const waitMs = 20_000

/** Gives the exit code: 0 where the job ended with 0, or goes on in the background. */
export async function runJob(request: JobCommand, words: readonly string[]): Promise<number> {
  const { remote, values, look, io } = request
  const wish = await wishOf(request, words)
  const isFollowed = look === 'text' && !values.background
  const wait_ms = isFollowed ? 0 : waitMs
  const again = { commandId: randomUUID() }
  const begun = await remote.call('jobs.run', { ...wish, wait_ms }, again)
  if ('status' in begun) {
    printResult(request, begun, () =>
      plain(`${begun.message}\n  → pawl approve ${begun.approval_id}\n`),
    )
    return 1
  }
  if (values.background) {
    printResult(request, begun, () => resultText(begun, io))
    return 0
  }
  const { process_id: id } = begun
  const letGo = endOnInterrupt(request, id)
  try {
    if (isFollowed) await followJob(request, { id, offset: 0, stream: 'both' })
    // The very same call once more: one job, and no call of its own in a run.
    const ended = await waitFor(begun, () =>
      remote.call('jobs.run', { ...wish, wait_ms: waitMs }, again),
    )
    printResult(request, ended, () => '')
    if (isFollowed) io.err(resultText(ended, io))
    return ended.state === 'completed' && ended.exit_code === 0 ? 0 : 1
  } finally {
    letGo()
  }
}

async function waitFor(
  begun: Result,
  ask: () => Promise<OperationAnswer<'jobs.run'>>,
): Promise<Result> {
  for (let result = begun; ; ) {
    if (result.state !== 'running') return result
    const next = await ask()
    if (!('status' in next)) result = next
  }
}

/** Ctrl-C stops a job in the foreground. */
function endOnInterrupt({ remote, ...request }: JobCommand, id: string): () => void {
  const end = (): void => {
    const kill = { process_id: id, force_after: 2, ...runOf({ remote, ...request }) }
    remote.call('jobs.kill', kill).catch(() => undefined)
  }
  process.once('SIGINT', end)
  return () => void process.off('SIGINT', end)
}

async function wishOf(
  request: JobCommand,
  words: readonly string[],
): Promise<OperationInput<'jobs.run'>> {
  const { values, io } = request
  const [program, ...args] = words
  if ((program === undefined) === (values.shell === null)) {
    throw usage('job', 'name a command after `--`, or a shell command with `--shell`')
  }
  const numbers = {
    timeout: numberOf(request, 'timeout'),
    cpu_limit: numberOf(request, 'cpu'),
    memory_limit: numberOf(request, 'memory'),
    stdout_lines: numberOf(request, 'lines'),
  }
  const level = oneOf('job', { name: 'min-isolation', value: values['min-isolation'] }, [
    ...isolationLevels,
  ])
  const network = oneOf('job', { name: 'network', value: values.network }, [
    ...(['none', 'allowed', 'all'] as const),
  ])
  const hosts = values['network-host']
  const stdin = values.stdin === '-' ? await text(io.input) : values.stdin
  return {
    ...(program === undefined ? { command: values.shell ?? '' } : { command: program, args }),
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
    ...runOf(request),
    workspace: io.cwd,
    environment: environmentOf(values.env),
    ...(values.background ? { background: true } : {}),
    ...(values.cwd === null ? {} : { working_directory: values.cwd }),
    ...(stdin === null ? {} : { stdin }),
    ...(level === null ? {} : { min_isolation: level }),
    ...(network === null ? {} : { network }),
    ...(hosts.length === 0 ? {} : { network_hosts: [...hosts] }),
  }
}

function environmentOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usage('job', `\`--env ${pair}\` is not NAME=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}
