/**
 * `pawl statusline`: one line about the current run. Starts no daemon, does not wait, and always
 * prints something, because a host shows whatever it gets.
 */

import { text } from 'node:stream/consumers'
import { type Client, openClient } from '../../../client/open-client.ts'
import { asObject, type Json } from '../../../core/json.ts'
import { usdOf } from '../../../core/money.ts'
import type { RunHead } from '../../../runtime/ports.ts'
import { openStatuses } from '../../../runtime/runs/open-statuses.ts'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import type { DaemonDoor } from '../remote/daemon-door.ts'

const help: VerbHelp = {
  usage: ['statusline'],
  about: `\
Reads the status line input of Claude Code from standard input, and prints the
definition, the stage, the remaining calls and the cost. \`pawl init claude\`
installs it.`,
  examples: ['statusline < /dev/null'],
  exits: { 0: 'always' },
}

/** A status line that comes late is not looked at. */
const answerMsMax = 1_000

export const statuslineVerb: Verb = {
  help,
  run: async (_: readonly string[], io: Io): Promise<number> => {
    const told = parse(await text(io.input))
    io.out(`${plain(await lineFor(told, io)).replaceAll('\n', ' ')}\n`)
    return 0
  },
}

type StatusLineInput = {
  readonly workspace: string | null
  readonly session: string | null
  readonly costUsd: number | null
}

function parse(input: string): StatusLineInput {
  try {
    const value = asObject(JSON.parse(input) as Json) ?? {}
    const folder = asObject(value.workspace)?.project_dir ?? value.cwd
    const cost = asObject(value.cost)?.total_cost_usd
    return {
      workspace: typeof folder === 'string' ? folder : null,
      session: typeof value.session_id === 'string' ? value.session_id : null,
      costUsd: typeof cost === 'number' ? cost : null,
    }
  } catch {
    // Not what Claude Code says: then it is about the current folder.
    return { workspace: null, session: null, costUsd: null }
  }
}

async function lineFor(told: StatusLineInput, { daemon, cwd }: Io): Promise<string> {
  try {
    if (daemon === undefined || daemon.find() === null) return 'pawl: no daemon'
    return await ask(daemon, { ...told, workspace: told.workspace ?? cwd })
  } catch {
    // Whatever it is, `pawl status` says it; here is no room for it.
    return 'pawl: no answer'
  }
}

type RequestWithWorkspace = StatusLineInput & { readonly workspace: string }

async function ask(daemon: DaemonDoor, asked: RequestWithWorkspace): Promise<string> {
  const client = openClient({
    socket: daemon.socket,
    token: daemon.token('agent'),
    retriesMax: 0,
    timeoutMs: answerMsMax,
  })
  try {
    const head = (await runOfSession(client, asked)) ?? (await latestRun(client, asked))
    if (head === null) return 'pawl: no run here'
    const { view } = await client.call('runs.read', { runId: head.id })
    const { budget } = view
    const cost = usdOf(head.costMicroUsd) || (asked.costUsd ?? 0)
    const of = budget === null ? '' : ` of $${usdOf(budget.maxMicroUsd).toFixed(2)}`
    const parts = [
      `pawl ${view.name}`,
      view.status === 'running' ? view.stage : `${view.stage} (${view.status})`,
      ...(view.callsLeft === null ? [] : [`${view.callsLeft} calls left`]),
      `$${cost.toFixed(2)}${of}${budget !== null && budget.warned > 0 ? ' !' : ''}`,
    ]
    return parts.join(' · ')
  } finally {
    client.close()
  }
}

async function runOfSession(
  client: Client,
  { session }: RequestWithWorkspace,
): Promise<RunHead | null> {
  if (session === null) return null
  return (await client.call('sessions.read', { session: `claude:${session}` })).run
}

async function latestRun(
  client: Client,
  { workspace }: RequestWithWorkspace,
): Promise<RunHead | null> {
  const query = { workspace, statuses: [...openStatuses], limit: 1 }
  return (await client.call('runs.list', query)).items[0] ?? null
}
