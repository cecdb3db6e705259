/** Jobs as tools: run a command in isolation, monitor it, read its output, stop it. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { HostDescriptor } from '../../core/hosts/host-descriptor.ts'
import { agentHosts } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import { commonToolOf } from '../../core/tools/tool-names.ts'
import { openStatuses } from '../../runtime/runs/open-statuses.ts'
import type { OperationAnswer } from '../api/contract.ts'
import { jobInputError, killInputs, listInputs, logsInputs, runInputs } from '../api/job-inputs.ts'
import { omitUndefined } from '../api/omit-undefined.ts'
import { PawlProblem } from '../api/problem.ts'
import { filterAllowed } from './filter-allowed.ts'
import type { RunReadings } from './resolve-run.ts'
import { type McpTool, type ToolContext, type ToolInvocation, tool } from './tool-context.ts'
import type { ToolResult } from './tool-result.ts'

type Result = Exclude<OperationAnswer<'jobs.run'>, { status: 'pending_approval' }>
type Pending = Extract<OperationAnswer<'jobs.run'>, { status: 'pending_approval' }>

/** How long one question to the daemon waits; a client hears in between that the job goes on. */
const waitMs = 10_000
const mebibyte = 1024 * 1024
/** Bytes of a page of each stream, where the agent names none. */
const pageBytes = 4 * mebibyte
/** Characters of a log in the text of an answer; the values have all of the page. */
const logCharsMax = 80_000

const process_id = z.string().describe('as returned by process_run')
const text = { type: 'string' } as const
const whole = { type: 'integer' } as const
const maybe = { type: ['integer', 'null'] } as const
const usageSchema: JsonObject = {
  type: 'object',
  properties: {
    ...{ cpu_ms: maybe, memory_peak_bytes: maybe, io_read_bytes: maybe, io_write_bytes: maybe },
  },
}
const entrySchema: JsonObject = {
  ...{ process_id: text, command: text, state: text, exit_code: maybe, started_at: text },
  ...{ duration_ms: whole, resource_usage: usageSchema },
}
const pendingSchema: JsonObject = { status: text, approval_id: text, message: text }

const runTool = tool({
  name: 'process_run',
  title: 'Run a command',
  description:
    'Run a command in isolation; returns exit code, output, duration and resource usage. With ' +
    '`args` the command is a program and no shell is used. On timeout the state is `timed_out` ' +
    'and the partial output is kept. For longer than an hour set `background: true`, and use ' +
    'process_monitor, process_logs and process_kill.',
  input: z.strictObject({
    ...runInputs,
    network: z.enum(['none', 'allowed']).optional(),
    network_hosts: z
      .array(z.string())
      .optional()
      .describe('restrict allowed connections to these: `host` or `host:port`'),
    min_isolation: z.enum(['full', 'isolated', 'restricted', 'contained']).optional(),
  }),
  more: {
    ...entrySchema,
    ...pendingSchema,
    ...{ stdout_summary: text, stderr_summary: text, isolation: { type: 'object' } },
    ...{ network_refused: whole },
    ...{ limits_enforced: { type: 'boolean' }, warnings: { type: 'array', items: text } },
  },
  effect: 'runs',
  run: async (context, call) => {
    const whose = await whoseOf(context, call)
    const { workspace } = context
    const wish = { ...omitUndefined(call.input), ...whose, workspace, wait_ms: waitMs }
    const commandId = randomUUID()
    const ask = () => context.link.ask('jobs.run', wish, { commandId })
    const begun = await ask()
    if (isPending(begun)) return pendingTold(begun)
    const isFollowed = call.input.background !== true
    const result = isFollowed ? await stay(context, call, { begun, whose, ask }) : begun
    if (isPending(result)) return pendingTold(result)
    return { reading: null, text: resultText(result), more: { ...result } as JsonObject }
  },
})

type Whose = { readonly run_id?: string; readonly branch?: string }
type Begun = {
  readonly begun: Result
  readonly whose: Whose
  /** The very same call once more: one job, and no call of its own in the run. */
  readonly ask: () => Promise<Result | Pending>
}

/** Waits for the end; whoever no longer wants the answer does not want the job either. */
async function stay(
  { link }: ToolContext,
  { signal, progress }: ToolInvocation<unknown>,
  { begun, whose, ask }: Begun,
): Promise<Result | Pending> {
  const { process_id: id } = begun
  for (let result: Result | Pending = begun; ; ) {
    if (isPending(result) || result.state !== 'running') return result
    if (signal.aborted) {
      await link.ask('jobs.kill', { process_id: id, force_after: 2, ...whose })
      return result
    }
    progress(`${id} has been running for ${Math.round(result.duration_ms / 1_000)} s`)
    result = await ask()
  }
}

const monitorTool = tool({
  name: 'process_monitor',
  title: 'Job status',
  description:
    'Return the state, exit code, runtime and resource usage of a job started by process_run.',
  input: z.strictObject({ process_id }),
  more: { ...entrySchema, ...pendingSchema, isolation: { type: 'object' } },
  effect: 'looks',
  run: async (context, call) => {
    const found = await context.link.ask('jobs.read', {
      ...call.input,
      ...(await whoseOf(context, call)),
    })
    if (isPending(found)) return pendingTold(found)
    return { reading: null, text: stateText(found), more: { ...found } as JsonObject }
  },
})

const killTool = tool({
  name: 'process_kill',
  title: 'Stop a job',
  description:
    'Stop a job with a signal. After SIGTERM, SIGKILL follows if the job has not ended after ' +
    '`force_after` seconds (0 for never).',
  input: z.strictObject({
    process_id,
    ...killInputs,
  }),
  more: {
    ...{ killed: { type: 'boolean' }, signal_sent: text, process_id: text, state: text },
    ...pendingSchema,
  },
  effect: 'runs',
  run: async (context, call) => {
    const wish = { ...omitUndefined(call.input), ...(await whoseOf(context, call)) }
    const done = await context.link.ask('jobs.kill', wish)
    if (isPending(done)) return pendingTold(done)
    const what = `${done.process_id} is ${done.state}; ${done.signal_sent} was sent.`
    return { reading: null, text: what, more: { ...done } as JsonObject }
  },
})

const listTool = tool({
  name: 'process_list',
  title: 'List jobs',
  description: 'List the jobs of this run, newest first.',
  input: z.strictObject(listInputs),
  more: {
    processes: { type: 'array', items: { type: 'object', properties: entrySchema } },
    ...{ total: whole, ...pendingSchema },
  },
  effect: 'looks',
  run: async (context, call) => {
    const wish = { ...omitUndefined(call.input), ...(await whoseOf(context, call)) }
    const list = await context.link.ask('jobs.list', wish)
    if (isPending(list)) return pendingTold(list)
    const lines = list.processes.map(stateText)
    const told = lines.length === 0 ? 'No jobs found.' : lines.join('\n')
    return { reading: null, text: told, more: { ...list } as unknown as JsonObject }
  },
})

const logsTool = tool({
  name: 'process_logs',
  title: 'Job output',
  description:
    'Read the output of a running or ended job: all of it, or with `offset` and `limit` a part. ' +
    'If `truncated` is true there is more: set `offset` to `next_offset`, or where that is null ' +
    'read each stream on at its own offset (`stdout_next_offset`, `stderr_next_offset`).',
  input: z.strictObject({
    process_id,
    ...logsInputs,
    limit: logsInputs.limit.describe(
      `bytes of each stream; default: all of it, up to ${pageBytes / mebibyte} MiB`,
    ),
  }),
  more: {
    ...{ stdout: text, stderr: text, stdout_size: whole, stderr_size: whole, process_id: text },
    ...{ truncated: { type: 'boolean' }, next_offset: maybe, state: text, ...pendingSchema },
    ...{ stdout_next_offset: whole, stderr_next_offset: whole },
  },
  effect: 'looks',
  run: async (context, call) => {
    const wish = {
      limit: pageBytes,
      ...omitUndefined(call.input),
      ...(await whoseOf(context, call)),
    }
    const page = await context.link.ask('jobs.logs', wish)
    if (isPending(page)) return pendingTold(page)
    return { reading: null, text: logText(page), more: { ...page } as JsonObject }
  },
})

/** Versions of the capabilities in their document, where they are not the first. */
const versions: Readonly<Record<string, string>> = { process_run: '1.1' }

export const jobTools: readonly McpTool[] = [
  ...[runTool, monitorTool, killTool, listTool, logsTool],
].map((one) => ({
  ...one,
  errorOf: jobInputError,
  meta: { 'pawl/capability': capabilityOf(one) },
}))

/** The capability that a tool is, with the permission that it has where no rule says otherwise. */
function capabilityOf({ name, effect }: McpTool): JsonObject {
  return {
    name: name.replace('_', '.'),
    version: versions[name] ?? '1.0',
    permission: effect === 'looks' ? 'autonomous' : 'notify',
  }
}

function isPending(answer: object): answer is Pending {
  return 'status' in answer
}

function pendingTold(pending: Pending): ToolResult {
  const { message, approval_id } = pending
  const told = `A person must approve first: ${message} (approval ${approval_id}). Then call again.`
  return { reading: null, text: told, more: { ...pending } }
}

function stateText(one: Pick<Result, 'process_id' | 'state' | 'exit_code' | 'command'>): string {
  const exit = one.exit_code === null ? '' : ` (exit code ${one.exit_code})`
  return `${one.process_id} ${one.state}${exit}: ${one.command}`
}

function logText(
  page: Exclude<OperationAnswer<'jobs.logs'>, { status: 'pending_approval' }>,
): string {
  const output = [page.stdout, page.stderr].filter((part) => part !== '').join('\n')
  const isCut = output.length > logCharsMax
  const lead = [
    `${page.process_id} is ${page.state}.`,
    ...(page.truncated ? ['There is more.'] : []),
    ...(isCut ? ['Only its beginning is shown as text: use `offset` and `limit`.'] : []),
  ].join(' ')
  return output === '' ? lead : `${lead}\n${output.slice(0, logCharsMax)}`
}

function resultText(result: Result): string {
  const { stdout_summary: out, stderr_summary: err, warnings, isolation } = result
  const lines = [
    stateText(result),
    ...(isolation.level === 'full' ? [] : [`Isolation: ${isolation.level}.`]),
    ...warnings,
    ...(out === '' ? [] : ['stdout:', out]),
    ...(err === '' ? [] : ['stderr:', err]),
  ]
  return lines.join('\n')
}

/** The run that a call belongs to; none: no run is open here, and policies alone judge it. */
async function whoseOf(
  { places, link, workspace }: ToolContext,
  { who }: ToolInvocation<unknown>,
): Promise<Whose> {
  try {
    const { runId, branch } = await places.find(who)
    return branch === null ? { run_id: runId } : { run_id: runId, branch }
  } catch (fault) {
    if (!(fault instanceof PawlProblem) || fault.code !== 'RUN_UNKNOWN') throw fault
    // WHY looked for: where runs are open, of whichever session, none must be got around.
    const query = { workspace, statuses: [...openStatuses], limit: 1 }
    const { items } = await link.ask('runs.list', query)
    if (items.length > 0) throw fault
    return {}
  }
}

/**
 * The tools for jobs that the stage of a run and the policies over it do not block; all of them for
 * a host that would not see them in a later stage. Every call is judged.
 */
export async function offeredJobTools(
  { link, host }: ToolContext,
  reading: RunReadings | null,
): Promise<readonly McpTool[]> {
  if (reading === null || readsToolsOnce(host)) return jobTools
  const { tools } = reading.view
  const named = jobTools.filter(({ name }) => {
    const common = commonToolOf(name)
    return tools === 'all' || tools.some((one) => commonToolOf(one) === common)
  })
  const asked = named.map((one) => {
    const input: JsonObject =
      one.name === 'process_run' ? { command: 'true', args: [] } : { process_id: '' }
    return { name: one.name, input, one }
  })
  return (await filterAllowed(link, { runId: reading.head.id }, asked)).map(({ one }) => one)
}

function readsToolsOnce(host: ToolContext['host']): boolean {
  const descriptor: HostDescriptor | undefined = host === null ? undefined : agentHosts[host]
  return descriptor?.readsToolsOnce === true
}
