/**
 * `pawl log`: what happened to a run, and the proof that nobody changed it since.
 */
import { resolve } from 'node:path'
import { asObject } from '../../../core/json.ts'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Anchor } from '../../../runtime/runtime.ts'
import { plain } from '../ansi.ts'
import { shownPath } from '../inputs.ts'
import type { Io } from '../io.ts'
import { usage } from '../options.ts'
import { parseJsonValue } from '../play/read-data.ts'
import { findRun } from '../remote/find-run.ts'
import { followLog, recordsOf } from '../remote/follow-log.ts'
import { readCount } from '../remote/read-values.ts'
import {
  commonHelp,
  printResult,
  type RemoteContext,
  type RemoteVerbSpec,
  remoteVerb,
} from '../remote/remote-verb.ts'
import { eventText, type ShownRecord } from '../remote/show-event.ts'
import { writeFile } from '../write-file.ts'

const help = `\
pawl log: what happened to a run, record by record

Usage: pawl log [RUN] [--follow] [OPTIONS]
       pawl log [RUN] --verify
       pawl log [RUN] --anchor [--out FILE]
       pawl log [RUN] --against FILE

Every record carries a hash over itself and the record before it. --verify computes them all again
and names the first record that does not fit. What the hashes alone cannot prove: whoever can write
the database can compute the whole chain anew, or cut off its end. An anchor proves that: keep it
where the writer of the database cannot reach it.

Options:
  --follow         go on with what happens, until the run ends
  --after N        begin behind record N
  --verify         check the hashes of the whole log
  --anchor         print how long the log is and its last hash: { "runId", "seq", "hash" }
  --out FILE       with --anchor: write it to a file
  --against FILE   check the hashes, and that the log still is the one that was anchored in FILE
${commonHelp}
                   (with --follow one value per line, a record each)

Exit codes: 0 told, 1 the log was changed, 2 it could not be asked
`

const kinds = {
  follow: 'flag',
  after: 'text',
  verify: 'flag',
  anchor: 'flag',
  out: 'text',
  against: 'text',
} as const

export const logVerb = remoteVerb({
  name: 'log',
  summary: 'tell what happened to a run, and prove it',
  help,
  kinds,
  names: { min: 0, max: 1, what: 'a run' },
  run: runLog,
})

async function runLog(request: RemoteVerbSpec<typeof kinds>): Promise<number> {
  const { files, values, io } = request
  const { follow, verify, anchor, against, out } = values
  const isProof = verify || against !== null
  if ([isProof, anchor, follow].filter(Boolean).length > 1) {
    throw usage('log', 'name one of `--follow`, `--verify` or `--against`, and `--anchor`')
  }
  if (out !== null && !anchor) throw usage('log', '`--out` goes with `--anchor`')
  const known = against === null ? null : readAnchor(against, io)
  const runId = await findRun(files[0] ?? known?.runId, request)
  if (known !== null && known.runId !== runId) {
    throw usage('log', `the anchor is of the run \`${known.runId}\`, not of \`${runId}\``)
  }
  if (isProof) return proveLog(request, runId, known)
  if (anchor) return tellAnchor(request, runId, out)
  const after = readCount('log', { name: 'after', value: values.after, max: 2 ** 53 }) ?? 0
  if (follow) {
    for await (const record of followLog(request, { runId, after })) {
      printResult(request, record, () => eventText(record, [], io))
    }
    return 0
  }
  const items: ShownRecord[] = []
  for await (const record of recordsOf(request, { runId, after })) {
    if (request.look === 'json') items.push(record)
    else io.out(eventText(record, [], io))
  }
  printResult(request, { items, next: items.at(-1)?.seq ?? after }, () => '')
  return 0
}

async function proveLog(
  asked: RemoteContext,
  runId: string,
  anchor: Anchor | null,
): Promise<number> {
  const more = anchor === null ? {} : { seq: anchor.seq, hash: anchor.hash }
  const found = await asked.remote.call('runs.verify', { runId, ...more })
  printResult(asked, found, () => {
    if (!found.ok) return plain(`record ${found.seq} does not fit: ${found.problem}\n`)
    const since = anchor === null ? '' : `, and record ${anchor.seq} is the one that was anchored`
    return `${found.count} records, every hash fits${since}\n`
  })
  return found.ok ? 0 : 1
}

/** Only a log that fits is worth an anchor. */
async function tellAnchor(
  asked: RemoteContext,
  runId: string,
  out: string | null,
): Promise<number> {
  const found = await asked.remote.call('runs.verify', { runId })
  if (!found.ok) {
    printResult(asked, found, () => plain(`record ${found.seq} does not fit: ${found.problem}\n`))
    return 1
  }
  const anchor: Anchor = { runId, seq: found.count, hash: found.hash }
  const text = `${JSON.stringify(anchor)}\n`
  if (out === null) asked.io.out(text)
  else {
    const path = resolve(asked.io.cwd, out)
    writeFile(path, shownPath(path, asked.io.cwd), text)
    printResult(asked, anchor, () => `record ${anchor.seq} of ${runId} is anchored in ${out}\n`)
  }
  return 0
}

function readAnchor(name: string, io: Io): Anchor {
  const anchor = asObject(parseJsonValue(readText(resolve(io.cwd, name), name)))
  const { runId, seq, hash } = anchor ?? {}
  if (typeof runId === 'string' && Number.isSafeInteger(seq) && typeof hash === 'string') {
    return { runId, seq: Number(seq), hash }
  }
  throw new PawlError('USAGE', `\`${name}\` holds no anchor`, {
    hint: 'name a file that `pawl log RUN --anchor --out FILE` wrote',
  })
}
