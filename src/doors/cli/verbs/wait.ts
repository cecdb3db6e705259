/**
 * `pawl wait`: returns when something has happened to a run.
 */

import { isOpen } from '../../../runtime/runs/open-statuses.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { oneOf } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { readSeconds } from '../remote/read-values.ts'
import { commonHelp, printResult, type RemoteContext, remoteVerb } from '../remote/remote-verb.ts'
import { runText } from '../remote/show-run.ts'

const help = `\
pawl wait: return when something has happened to a run

Usage: pawl wait [RUN] [OPTIONS]

Options:
  --until WHAT     ended (default), moved (it stands in another stage, or has ended), or
                   approval (a person is asked, or it has ended)
  --timeout S      give up after so many seconds; else it waits for ever
${commonHelp}

Exit codes: 0 it happened, 1 the time is over, or the run ended otherwise than completed,
2 it could not be asked
`

type Reading = OperationAnswer<'runs.read'>
const wishes = ['ended', 'moved', 'approval'] as const
type Wish = (typeof wishes)[number]

/** The daemon lets one request wait so long; then it is asked again. */
const waitMsMax = 30_000

export const waitVerb = remoteVerb({
  name: 'wait',
  summary: 'return when a run has ended, moved, or asks a person',
  help,
  kinds: { until: 'text', timeout: 'text' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, io } = request
    const until = oneOf('wait', { name: 'until', value: values.until }, wishes) ?? 'ended'
    const timeoutMs = readSeconds('wait', values.timeout)
    const runId = await findRun(files[0], request)
    const { reading, isOver } = await waitUntil(request, { runId, until, timeoutMs })
    const { view, notice } = reading
    printResult(request, reading, () => runText({ runId, view, notice }, io))
    if (isOver) {
      io.err(`pawl: the time is over, and the run has not ${words[until]}\n`)
      return 1
    }
    const { status } = reading.head
    return isOpen(status) || status === 'completed' ? 0 : 1
  },
})

const words: Readonly<Record<Wish, string>> = {
  ended: 'ended',
  moved: 'moved',
  approval: 'asked a person',
}

type Waiting = {
  readonly runId: string
  readonly until: Wish
  /** Null: for ever. */
  readonly timeoutMs: number | null
}
type Waited = { readonly reading: Reading; readonly isOver: boolean }

async function waitUntil(
  asked: RemoteContext,
  { runId, until, timeoutMs }: Waiting,
): Promise<Waited> {
  const { remote } = asked
  const end = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
  const first = await remote.call('runs.read', { runId })
  for (let reading = first; ; reading = await remote.call('runs.read', { runId })) {
    if (hasHappened(until, first, reading)) return { reading, isOver: false }
    const left = end - performance.now()
    if (left <= 0) return { reading, isOver: true }
    const wait = { runId, after: reading.head.seq, timeoutMs: Math.min(waitMsMax, Math.ceil(left)) }
    await remote.call('runs.wait', wait)
  }
}

function hasHappened(until: Wish, first: Reading, now: Reading): boolean {
  if (!isOpen(now.head.status)) return true
  if (until === 'approval') return now.view.approval !== null
  return until === 'moved' && now.head.stage !== first.head.stage
}
