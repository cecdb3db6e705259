/**
 * `pawl status`: the state of the daemon. Does not start one.
 */

import { openClient } from '../../../client/open-client.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { PawlProblem } from '../../api/problem.ts'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore } from '../options.ts'
import { printLines, type StyledLine, styledSpan } from '../play/styled-text.ts'
import { displayWidth, row } from '../play/view-lines.ts'
import {
  type DaemonDoor,
  daemonOf,
  type FoundDaemon,
  ownAddress,
  strangerText,
} from '../remote/daemon-door.ts'
import { spanText } from '../remote/show-table.ts'

const help: VerbHelp = {
  usage: ['status [--json]'],
  about: `\
Does not start a daemon.`,
  options: [['--json', 'print one JSON object (see below)']],
  notes: `\
JSON output: { "running": true, "folder", "socket", "pid", "version", "http",
"store", "startedAt", "runsCached", "waitersCount", "listenError", "found",
"trouble" }. Without a daemon: { "running": false, "folder", "socket", "found" }.`,
  examples: ['status', 'status --json'],
  exits: {
    0: 'the daemon is running and healthy',
    1: 'no daemon is running, or it reports a problem',
    2: 'usage error, or the daemon does not answer',
  },
}

export const statusVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('status', args, { json: 'flag' })
    refuseMore('status', files, 0)
    const daemon = daemonOf(io)
    const { folder, socket } = daemon
    const found = daemon.find()
    if (found === null) {
      const found = (await daemon.strangers()).map(strangerText)
      const stopped = { running: false, folder, socket, found }
      const lines = [`no daemon is running for ${folder}`, ...found]
      io.out(values.json ? `${JSON.stringify(stopped)}\n` : plain(`${lines.join('\n')}\n`))
      return 1
    }
    const told = await ask(daemon)
    const status = { running: true, folder, socket, ...found, ...told }
    io.out(values.json ? `${JSON.stringify(status)}\n` : statusText(status, io))
    return told.trouble === null ? 0 : 1
  },
}

type StatusAnswer = OperationAnswer<'status'>

async function ask(daemon: DaemonDoor): Promise<StatusAnswer> {
  const client = openClient({ ...ownAddress(daemon), token: daemon.token('agent') })
  try {
    return await client.call('status', {})
  } catch (thrown) {
    if (!(thrown instanceof PawlProblem)) throw thrown
    const hint = 'it may be starting or stopping: try again, or read `daemon.log`'
    throw new PawlError('DAEMON_UNREACHABLE', thrown.detail, { hint, cause: thrown })
  } finally {
    client.close()
  }
}

type Status = FoundDaemon & StatusAnswer & { readonly folder: string; readonly socket: string }

function statusText(status: Status, io: Io): string {
  const width = displayWidth(io)
  const { pid, version, http, folder, socket, store, startedAt, runsCached, waitersCount } = status
  const { trouble, found, listenError } = status
  const tone = trouble === null ? 'good' : 'bad'
  const lines: StyledLine[] = [
    [styledSpan('● ', tone), styledSpan(`pawl ${version}`, 'strong'), styledSpan(`, pid ${pid}`)],
    ...row('started', `${spanText(Date.now() - startedAt)} ago`, { width }),
    ...row('data', `${folder} (${store})`, { width }),
    ...row('socket', socket, { width }),
    ...row('http', http ?? 'not yet', { width }),
    ...row('load', `${runsCached} runs cached, ${waitersCount} waiting requests`, { width }),
    ...(listenError === null
      ? []
      : row('listen', `LISTEN/NOTIFY is not working, polling every second: ${listenError}`, {
          width,
        })),
    ...found.flatMap((one) => row('found', one, { width, tone: 'dim' })),
    ...(trouble === null ? [] : row('trouble', trouble, { width, tone: 'bad' })),
  ]
  return printLines(lines, io)
}
