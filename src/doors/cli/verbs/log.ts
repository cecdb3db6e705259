/**
 * `pawl log`: the log of a run, and the proof that nobody changed it.
 */

import { resolve } from 'node:path'
import {
  type CountedDenial,
  denialIn,
  openDenialCounter,
  type RecordedDenial,
} from '../../../core/engine/count-denials.ts'
import type { Event } from '../../../core/engine/types.ts'
import { asObject } from '../../../core/json.ts'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Anchor } from '../../../runtime/runtime.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { counted, plain } from '../ansi.ts'
import { shownPath } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io } from '../io.ts'
import { usage } from '../options.ts'
import { parseJsonValue } from '../play/read-data.ts'
import { findLastRun, findRun } from '../remote/find-run.ts'
import { followLog, recordsOf } from '../remote/follow-log.ts'
import { openLogPrinter } from '../remote/log-printer.ts'
import { readCount } from '../remote/read-values.ts'
import {
  notAsked,
  printResult,
  type RemoteContext,
  type RemoteVerbSpec,
  remoteVerb,
} from '../remote/remote-verb.ts'
import { denialCountText, remarkText, runRemark, type ShownRecord } from '../remote/show-event.ts'
import { showRecord } from '../remote/show-record.ts'
import { writeFile } from '../write-file.ts'

const help: VerbHelp = {
  usage: [
    'log [RUN] [--follow] [OPTIONS]',
    'log [RUN] --denied',
    'log [RUN] --record N',
    'log [RUN] --verify',
    'log [RUN] --anchor [--out FILE]',
    'log [RUN] --against FILE',
  ],
  about: `\
Without RUN, shows the last run of this folder, even one that has ended. A call is one
line: when it began, how long it took, how it ended and the rule that allowed it. The
reason and the rule are shown below each denied call. Calls and costs are added up for
each stage.

Every record contains a hash over itself and the record before it. --verify
recomputes all hashes, checks the signatures of decisions against the registered
passkeys, and names the first record that does not match. Somebody
who can write to the database could still recompute the whole chain, or cut off
its end. An anchor detects that: keep it where they cannot write.`,
  options: [
    ['--follow', 'keep printing new records until the run ends'],
    ['--after N', 'start after record N'],
    [
      '--denied',
      'show only denied calls, with a count for each rule; for a run with --observe, ' +
        'the calls that would have been denied',
    ],
    ['--record N', 'show all of record N: for a call its input, verdict, rule, end and output'],
    ['--all', 'show every record on a line of its own, including every report of a cost'],
    ['--verify', 'check the hashes of the whole log, and every signature of a decision'],
    ['--anchor', 'print the length and last hash of the log: { "runId", "seq", "hash" }'],
    ['--out FILE', 'with --anchor: write it to FILE'],
    ['--against FILE', 'check the hashes, and that the log still matches the anchor in FILE'],
  ],
  notes: `\
With --follow, --json prints one record per line.`,
  examples: ['log --record 12', 'log --anchor --out anchor.json', 'log --against anchor.json'],
  exits: { 0: 'done', 1: 'the log was changed', 2: notAsked },
}

const kinds = {
  follow: 'flag',
  after: 'text',
  denied: 'flag',
  record: 'text',
  all: 'flag',
  verify: 'flag',
  anchor: 'flag',
  out: 'text',
  against: 'text',
} as const

export const logVerb = remoteVerb({
  name: 'log',
  help,
  kinds,
  names: { min: 0, max: 1, what: 'a run' },
  run: runLog,
})

async function runLog(request: RemoteVerbSpec<typeof kinds>): Promise<number> {
  const { files, values, io } = request
  const { follow, verify, anchor, against, out } = values
  const isProof = verify || against !== null
  if ([isProof, anchor, follow, values.record !== null].filter(Boolean).length > 1) {
    throw usage(
      'log',
      '`--follow`, `--record`, `--verify` or `--against`, and `--anchor` exclude each other',
    )
  }
  if (out !== null && !anchor) throw usage('log', '`--out` needs `--anchor`')
  const known = against === null ? null : readAnchor(against, io)
  const name = files[0] ?? known?.runId
  const runId = await (name === undefined ? findLastRun(request) : findRun(name, request))
  if (known !== null && known.runId !== runId) {
    throw usage('log', `the anchor belongs to the run \`${known.runId}\`, not to \`${runId}\``)
  }
  const folder = request.look === 'text' ? await tellWhich(request, runId) : null
  if (isProof) return proveLog(request, runId, known)
  if (anchor) return tellAnchor(request, runId, out)
  const wanted = readCount('log', { name: 'record', value: values.record, max: 2 ** 53 })
  if (wanted !== null) return showRecord(request, { runId, seq: wanted })
  const after = readCount('log', { name: 'after', value: values.after, max: 2 ** 53 }) ?? 0
  const all = (follow ? followLog : recordsOf)(request, { runId, after })
  const records = values.denied ? deniedIn(all) : all
  if (request.look === 'text') return printLog(request, records, folder)
  if (follow) {
    for await (const record of records) printResult(request, record, () => '')
    return 0
  }
  const items: ShownRecord[] = []
  for await (const record of records) items.push(record)
  printResult(request, { items, next: items.at(-1)?.seq ?? after }, () => '')
  return 0
}

/**
 * Tells which run it is, and gives its workspace.
 * WHY from the list: the log of a run that cannot be read is shown all the same.
 */
async function tellWhich({ io, remote }: RemoteContext, runId: string): Promise<string | null> {
  const { items } = await remote.call('runs.list', { q: runId, limit: 1 })
  const head = items.find((one) => one.id === runId)
  if (head !== undefined) io.err(runRemark(head, io))
  return head?.workspace ?? null
}

async function printLog(
  { io, values }: RemoteVerbSpec<typeof kinds>,
  records: AsyncIterable<ShownRecord>,
  folder: string | null,
): Promise<number> {
  // WHY records where only some are shown: how a call ended is not among them.
  const look = values.all || values.denied || values.after !== null ? 'records' : 'trace'
  const printer = openLogPrinter({ io, look, folder })
  const denials = openDenialCounter()
  for await (const record of records) {
    io.out(printer.next(record))
    const denial = values.denied ? denialOf(record) : null
    if (denial !== null) denials.add(denial)
  }
  io.out(printer.end())
  if (values.denied) io.out(denialSummary(denials.rows(), io))
  return 0
}

function denialSummary(rows: readonly CountedDenial[], io: Io): string {
  if (rows.length === 0) return remarkText('no call was denied, or would have been', io)
  return `\n${denialCountText(rows, io)}`
}

/** The records of denied calls, and of those that an enforced run would not have let through. */
async function* deniedIn(records: AsyncIterable<ShownRecord>): AsyncGenerator<ShownRecord> {
  for await (const record of records) if (denialOf(record) !== null) yield record
}

function denialOf(record: ShownRecord): RecordedDenial | null {
  // WHY the cast: the daemon's own records.
  return denialIn(record.data as unknown as Event)
}

async function proveLog(
  asked: RemoteContext,
  runId: string,
  anchor: Anchor | null,
): Promise<number> {
  const more = anchor === null ? {} : { seq: anchor.seq, hash: anchor.hash }
  const found = await asked.remote.call('runs.verify', { runId, ...more })
  printResult(asked, found, () => {
    if (!found.ok) return plain(`record ${found.seq} does not match: ${found.problem}\n`)
    const since = anchor === null ? '' : `, and record ${anchor.seq} matches the anchor`
    return `${found.count} records, every hash matches${since}\n${signaturesText(found.signatures)}`
  })
  return found.ok ? 0 : 1
}

type Signatures = Extract<OperationAnswer<'runs.verify'>, { ok: true }>['signatures']

/** How the decisions in it are proven; nothing where there is none. */
function signaturesText(signatures: Signatures): string {
  const { signed = 0, unsigned = 0, refused = 0, foreignKeys = false } = signatures ?? {}
  const keys = foreignKeys ? 'with keys that the run brought along, not registered here' : ''
  const lines = [
    ...(signed === 0
      ? []
      : [`${counted(signed, 'signed decision')}, every signature verifies ${keys}`.trimEnd()]),
    ...(unsigned === 0 ? [] : [`${counted(unsigned, 'decision')} without a signature`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'unproven attempt')} to decide, refused`]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Only a log that verifies gets an anchor. */
async function tellAnchor(
  asked: RemoteContext,
  runId: string,
  out: string | null,
): Promise<number> {
  const found = await asked.remote.call('runs.verify', { runId })
  if (!found.ok) {
    printResult(asked, found, () => plain(`record ${found.seq} does not match: ${found.problem}\n`))
    return 1
  }
  const anchor: Anchor = { runId, seq: found.count, hash: found.hash }
  const text = `${JSON.stringify(anchor)}\n`
  if (out === null) asked.io.out(text)
  else {
    const path = resolve(asked.io.cwd, out)
    writeFile(path, shownPath(path, asked.io.cwd), text)
    printResult(
      asked,
      anchor,
      () => `wrote the anchor of ${runId} (record ${anchor.seq}) to ${out}\n`,
    )
  }
  return 0
}

function readAnchor(name: string, io: Io): Anchor {
  const anchor = asObject(parseJsonValue(readText(resolve(io.cwd, name), name)))
  const { runId, seq, hash } = anchor ?? {}
  if (typeof runId === 'string' && Number.isSafeInteger(seq) && typeof hash === 'string') {
    return { runId, seq: Number(seq), hash }
  }
  throw new PawlError('USAGE', `\`${name}\` is not an anchor`, {
    hint: 'name a file that `pawl log RUN --anchor --out FILE` wrote',
  })
}
