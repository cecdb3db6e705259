/**
 * `pawl statusline`: one line about the run here. Starts no daemon, waits for nobody, and always
 * has something to say: a host shows whatever comes.
 */
import { text } from 'node:stream/consumers'
import { openClient } from '../../../client/open-client.ts'
import { asObject, type Json } from '../../../core/json.ts'
import type { Io, Verb } from '../io.ts'
import { plain } from '../paint.ts'
import type { DaemonDoor } from '../remote/daemon-door.ts'
import { openStatuses } from '../remote/find-run.ts'

const help = `\
pawl statusline: one line about the run here, for the status line of Claude Code

Usage: pawl statusline

Reads what Claude Code tells its status line from the standard input, and prints the definition, the
stage, the calls that are left, and the cost. \`pawl init claude\` installs it.

Exit codes: 0 always
`

/** A status line that comes late is not looked at. */
const answerMsMax = 1_000

export const statuslineVerb: Verb = {
  name: 'statusline',
  summary: 'print one line about the run here, for the status line of Claude Code',
  help,
  run: async (_: readonly string[], io: Io): Promise<number> => {
    const told = parse(await text(io.input))
    io.out(`${plain(await lineFor(told, io)).replaceAll('\n', ' ')}\n`)
    return 0
  },
}

type Told = { readonly workspace: string | null; readonly costUsd: number | null }

function parse(input: string): Told {
  try {
    const value = asObject(JSON.parse(input) as Json) ?? {}
    const folder = asObject(value.workspace)?.project_dir ?? value.cwd
    const cost = asObject(value.cost)?.total_cost_usd
    return {
      workspace: typeof folder === 'string' ? folder : null,
      costUsd: typeof cost === 'number' ? cost : null,
    }
  } catch {
    // Not what Claude Code says: then it is about the current folder.
    return { workspace: null, costUsd: null }
  }
}

async function lineFor(told: Told, { daemon, cwd }: Io): Promise<string> {
  try {
    if (daemon === undefined || daemon.find() === null) return 'pawl: asleep'
    return await ask(daemon, { ...told, workspace: told.workspace ?? cwd })
  } catch {
    // Whatever it is, `pawl status` says it; here is no room for it.
    return 'pawl: no answer'
  }
}

type Asked = { readonly workspace: string; readonly costUsd: number | null }

async function ask(daemon: DaemonDoor, { workspace, costUsd }: Asked): Promise<string> {
  const client = openClient({
    socket: daemon.socket,
    token: daemon.token('agent'),
    retriesMax: 0,
    timeoutMs: answerMsMax,
  })
  try {
    const query = { workspace, statuses: [...openStatuses], limit: 2 }
    const { items, next } = await client.call('runs.list', query)
    const [head] = items
    if (head === undefined) return 'pawl: no run here'
    const { view } = await client.call('runs.read', { runId: head.id })
    const cost = head.costMicroUsd > 0 ? head.costMicroUsd / 1e6 : (costUsd ?? 0)
    const parts = [
      `pawl ${view.name}`,
      view.status === 'running' ? view.stage : `${view.stage} (${view.status})`,
      ...(view.callsLeft === null ? [] : [`${view.callsLeft} calls left`]),
      `$${cost.toFixed(2)}`,
      ...(items.length > 1 || next !== null ? ['more runs here'] : []),
    ]
    return parts.join(' · ')
  } finally {
    client.close()
  }
}
