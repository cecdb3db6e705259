/**
 * `pawl wait`: waits for something to happen to a run.
 */

import { isOpen } from '../../../runtime/runs/open-statuses.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { VerbHelp } from '../help.ts'
import { oneOf } from '../options.ts'
import { findRun } from '../remote/find-run.ts'
import { readSeconds } from '../remote/read-values.ts'
import { notAsked, printResult, type RemoteContext, remoteVerb } from '../remote/remote-verb.ts'
import { runText } from '../remote/show-run.ts'

const help: VerbHelp = {
  usage: ['wait [RUN] [OPTIONS]'],
  options: [
    [
      '--until EVENT',
      'ended (default), moved (the run is in another stage, or has ended), or approval ' +
        '(the run needs an approval, or has ended)',
    ],
    ['--timeout SECONDS', 'give up after this time; default: wait forever'],
  ],
  examples: ['wait', 'wait --until approval --timeout 600'],
  exits: {
    0: 'the event happened',
    1: 'timed out, or the run ended with a status other than completed',
    2: notAsked,
  },
}

type RunAnswer = OperationAnswer<'runs.read'>
const wishes = ['ended', 'moved', 'approval'] as const
type WaitGoal = (typeof wishes)[number]

/** The daemon lets one request wait so long; then it is asked again. */
const waitMsMax = 30_000

export const waitVerb = remoteVerb({
  name: 'wait',
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
      io.err(`pawl: timed out: the run has not ${pastTense[until]}\n`)
      return 1
    }
    const { status } = reading.head
    return isOpen(status) || status === 'completed' ? 0 : 1
  },
})

const pastTense: Readonly<Record<WaitGoal, string>> = {
  ended: 'ended',
  moved: 'moved',
  approval: 'asked for an approval',
}

type Waiting = {
  readonly runId: string
  readonly until: WaitGoal
  /** Null: for ever. */
  readonly timeoutMs: number | null
}
type Waited = { readonly reading: RunAnswer; readonly isOver: boolean }

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

function hasHappened(until: WaitGoal, first: RunAnswer, now: RunAnswer): boolean {
  if (!isOpen(now.head.status)) return true
  if (until === 'approval') return now.view.approval !== null
  return until === 'moved' && now.head.stage !== first.head.stage
}
