/** All of one record of a log: for a call, from its input to the end of its output. */
import { denialIn } from '../../../core/engine/count-denials.ts'
import type { Event } from '../../../core/engine/types.ts'
import { withoutEscapes } from '../../../core/evidence/terminal-text.ts'
import type { JsonObject } from '../../../core/json.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledLine, styledSpan } from '../play/styled-text.ts'
import { displayWidth, row } from '../play/view-lines.ts'
import { editLines } from './diff-lines.ts'
import { recordsOf } from './follow-log.ts'
import { printResult, type RemoteContext } from './remote-verb.ts'
import { allowedByText, endedText, type ReportedCall, verdictText } from './show-call.ts'
import type { ShownRecord } from './show-event.ts'
import { momentText } from './show-table.ts'

type RecordPlace = { readonly runId: string; readonly seq: number }

/** Shows it; gives the exit code. */
export async function showRecord(asked: RemoteContext, place: RecordPlace): Promise<number> {
  const { runId, seq } = place
  const query = { runId, after: seq - 1, limit: 1 }
  const [record] = seq < 1 ? [] : (await asked.remote.call('runs.events', query)).items
  if (record === undefined) {
    const hint = '`pawl log` shows the number of each record'
    throw new PawlError('USAGE', `the log has no record ${seq}`, { hint })
  }
  const end = await endOfCall(asked, record, place)
  printResult(asked, end === null ? record : { ...record, end }, () => {
    return recordText(record, end, asked.io)
  })
  return 0
}

/** Records that are looked through for the end of a call. */
const endDistanceMax = 20_000

async function endOfCall(
  asked: RemoteContext,
  { data }: ShownRecord,
  { runId, seq }: RecordPlace,
): Promise<ShownRecord | null> {
  // WHY the casts here: the daemon's own records.
  const event = data as unknown as Event
  if (event.type !== 'call.allowed') return null
  for await (const one of recordsOf(asked, { runId, after: seq })) {
    const later = one.data as unknown as Event
    if (later.type === 'call.reported' && later.callId === event.callId) return one
    if (one.seq > seq + endDistanceMax) return null
  }
  return null
}

/** In words. */
export function recordText(record: ShownRecord, end: ShownRecord | null, io: Io): string {
  const width = displayWidth(io)
  const event = record.data as unknown as Event
  const when = `${momentText(record.at, Date.now())}, by ${record.actor}`
  const head: StyledLine = [
    styledSpan(`${record.seq}  `, 'dim'),
    styledSpan(record.type, 'strong'),
    styledSpan(`  ${when}`, 'dim'),
  ]
  const about =
    event.type === 'call.allowed' || event.type === 'call.denied' || event.type === 'call.asked'
      ? callLines(event, end, { width, at: record.at })
      : [
          ...fieldLines(record.data as JsonObject, width),
          ...(event.type === 'call.reported' ? outputLines(event) : []),
        ]
  return printLines([head, ...about], io)
}

type CallEvent = Extract<Event, { type: 'call.allowed' | 'call.denied' | 'call.asked' }>
type CallSpace = { readonly width: number; readonly at: number }

function callLines(
  event: CallEvent,
  end: ShownRecord | null,
  { width, at }: CallSpace,
): StyledLine[] {
  const verdict = verdictText(event)
  const rule = allowedByText(event)
  const denial = denialIn(event)
  const reported = end === null ? null : (end.data as unknown as ReportedCall)
  return [
    ...row('tool', event.tool, { width }),
    ...inputLines(event.input, width),
    ...(verdict === '' ? [] : row('verdict', verdict, { width, tone: 'bad' })),
    ...(denial === null ? [] : row('told', denial.reason, { width })),
    ...(denial === null ? [] : row('rule', denial.rule ?? 'built into Pawl', { width })),
    ...(rule === '' ? [] : row('rule', rule, { width })),
    ...(reported === null || end === null
      ? []
      : row('ended', endedText(reported, end.at - at), { width })),
    ...(reported === null ? [] : outputLines(reported)),
  ]
}

/** An edit as a diff, anything else as its fields. */
function inputLines(input: JsonObject, width: number): StyledLine[] {
  const { lines, rest } = editLines(input)
  return [...fieldLines(rest, width), ...lines]
}

function fieldLines(fields: JsonObject, width: number): StyledLine[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    name === 'type' || name === 'output'
      ? []
      : row(name, typeof value === 'string' ? value : JSON.stringify(value), { width }),
  )
}

function outputLines({ output }: ReportedCall): StyledLine[] {
  if (output === undefined) return []
  const title = output.isCut ? 'the end of its output:' : 'its output:'
  const lines = withoutEscapes(output.text)
    .split('\n')
    .map((text) => [styledSpan('│ ', 'dim'), styledSpan(text)])
  return [styledLine(title, 'dim'), ...lines]
}
