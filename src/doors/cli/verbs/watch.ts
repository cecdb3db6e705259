/**
 * `pawl watch`: the events of runs as they happen.
 */
import type { VerbHelp } from '../help.ts'
import type { StyledSpan } from '../play/styled-text.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { findRun } from '../remote/find-run.ts'
import { followLog, recordsOf } from '../remote/follow-log.ts'
import { type LogPrinter, openLogPrinter } from '../remote/log-printer.ts'
import { notAsked, printResult, type RemoteContext, remoteVerb } from '../remote/remote-verb.ts'
import { type RunInLine, remarkText, whoseSpan } from '../remote/show-event.ts'

const help: VerbHelp = {
  usage: ['watch [RUN] [OPTIONS]'],
  about: `\
Without RUN, prints the events of every run in this data directory until you press
Ctrl-C. With RUN, prints the events of that run from its start until it ends.
Watching continues when the daemon restarts.

A call is one line, printed when it ends, or at once if it is denied. Calls and costs
are added up at the end of a stage. With --json, every line is one record.`,
  examples: ['watch', 'watch --json'],
  exits: { 0: 'the run has ended', 2: notAsked },
}

export const watchVerb = remoteVerb({
  name: 'watch',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, io } = request
    if (files[0] === undefined) return watchAll(request)
    const runId = await findRun(files[0], request)
    const printer = openLogPrinter({ io, look: 'trace' })
    for await (const record of followLog(request, { runId, after: 0 })) {
      printResult(request, record, () => printer.next(record))
    }
    if (request.look === 'text') io.out(printer.end())
    return 0
  },
})

/** Everything that happens from now on. */
async function watchAll(asked: RemoteContext): Promise<number> {
  const { remote, io, look } = asked
  const { items } = await remote.call('runs.list', { limit: pageMax })
  const shown = new Map(items.map((head) => [head.id, head.seq]))
  const printers = new Map<string, LogPrinter>()
  const begun = Math.max(0, ...items.map((head) => head.updatedAt))
  if (look === 'text') io.err(remarkText(`watching the runs in ${daemonOf(io).folder}`, io))
  for await (const head of remote.watch({ after: begun })) {
    // A run that is older than the list is shown from here on.
    let after = shown.get(head.id) ?? (head.startedAt < begun ? head.seq - 1 : 0)
    const printer =
      printers.get(head.id) ??
      openLogPrinter({ io, look: 'trace', whose: [runSpan(head)], folder: head.workspace })
    for await (const record of recordsOf(asked, { runId: head.id, after })) {
      printResult(asked, record, () => printer.next(record))
      after = record.seq
    }
    shown.set(head.id, after)
    keepPrinter(printers, head, printer)
    if (head.endedAt !== null && look === 'text') io.out(printer.end())
  }
  return 0
}

const pageMax = 500
/** Runs whose open calls are remembered. */
const printersMax = 200

function runSpan({ id, definition }: RunInLine): StyledSpan {
  return whoseSpan(`${id} ${definition}`)
}

/** WHY put in again: the first of a map is then the one that has been quiet for longest. */
function keepPrinter(
  printers: Map<string, LogPrinter>,
  { id, endedAt }: RunInLine,
  printer: LogPrinter,
): void {
  printers.delete(id)
  if (endedAt === null) printers.set(id, printer)
  const [quiet] = printers.keys()
  if (printers.size > printersMax && quiet !== undefined) printers.delete(quiet)
}
