/**
 * A record of a log on one line; under a refusal stand its reason and its rule.
 */
import { cellsOf } from '../../../core/draw/label-text.ts'
import { type CountedDenial, denialIn } from '../../../core/engine/count-denials.ts'
import type { Event } from '../../../core/engine/types.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { describeEvent } from '../play/describe-event.ts'
import {
  hang,
  printable,
  printLines,
  printSpan,
  type StyledLine,
  type StyledSpan,
  styledSpan,
  type Tone,
} from '../play/styled-text.ts'
import { cutLine, displayWidth } from '../play/view-lines.ts'
import {
  allowedByText,
  type BegunCall,
  callTitle,
  endedText,
  type ReportedCall,
  verdictText,
} from './show-call.ts'
import { momentText, spanText } from './show-table.ts'

export type ShownRecord = OperationAnswer<'runs.events'>['items'][number]

type LinePlace = {
  readonly io: Io
  /** Stands in front of each record, where there are several runs; absent: nothing. */
  readonly whose?: readonly StyledSpan[]
  readonly branch?: string | null
  /** The stage it belongs to, whose rules are named from there on; absent: not known. */
  readonly stage?: string
  /** The workspace; paths in it are told from there on. Absent: not known. */
  readonly folder?: string | null
  /** How the call ended, and when; absent: it is not told here. */
  readonly ended?: { readonly event: ReportedCall; readonly at: number }
}

/** `12:03:11     4  stage.entered      fixing (signal)  agent:agent`; a call has no actor. */
export function eventText(record: ShownRecord, place: LinePlace): string {
  const { io, whose = [], branch = null, folder = null, ended } = place
  // WHY the cast: the daemon's own records; of a newer one, a field may be missing.
  const event = record.data as unknown as Event
  const isCall = event.type === 'call.allowed' || event.type === 'call.denied'
  const tone = ended?.event.ok === false ? 'warn' : toneOf(record.type)
  const head = [
    styledSpan(`${momentText(record.at, Date.now())} `, 'dim'),
    ...whose,
    styledSpan(`${String(record.seq).padStart(5)}  `, 'dim'),
    ...(branch === null ? [] : [styledSpan(`[${branch}] `, 'accent')]),
    styledSpan(`${record.type.padEnd(18)} `, tone),
  ]
  const title = isCall
    ? shortPaths(callTitle(event), folder)
    : (splitOnce(detailOf(record))[1] ?? '')
  const tail = isCall ? callTail(event, place, record.at) : [styledSpan(`  ${record.actor}`, 'dim')]
  const line = fitLine({ head, title: oneLine(title), tail }, io)
  return printLines([line, ...refusalLines(record, io)], io)
}

function callTail(event: BegunCall, { ended, stage }: LinePlace, at: number): StyledSpan[] {
  const how = [
    verdictText(event),
    ...(ended === undefined ? [] : [endedText(ended.event, ended.at - at)]),
  ].filter((one) => one !== '')
  const rule = allowedByText(event)
  const own = stage === undefined ? -1 : rule.indexOf(`/${stage}/`)
  const short = own < 0 || stage === undefined ? rule : rule.slice(own + stage.length + 2)
  return [
    styledSpan(how.length === 0 ? '' : `  ${oneLine(how.join(', '))}`),
    styledSpan(short === '' ? '' : `  ${oneLine(short)}`, 'dim'),
  ]
}

function shortPaths(text: string, folder: string | null): string {
  return folder === null ? text : text.replaceAll(`${folder}/`, '')
}

type LineParts = {
  readonly head: StyledLine
  readonly title: string
  readonly tail: StyledLine
}

/** Columns that are left to what a record is about, however narrow the terminal is. */
const titleCellsMin = 20

/** The title gives way where a terminal is too narrow; elsewhere nothing is cut. */
function fitLine({ head, title, tail }: LineParts, { isTerminal, columns }: Io): StyledLine {
  const around = [...head, ...tail].reduce((sum, part) => sum + cellsOf(printable(part.text)), 0)
  const room = isTerminal ? Math.max(titleCellsMin, columns - 1 - around) : Number.POSITIVE_INFINITY
  return [...head, styledSpan(cutLine(printable(title), room)), ...tail]
}

const refusalIndent = 16
/** The rule of a denial that no author wrote. */
const builtIn = 'built into Pawl'

/** Why a call or a signal was refused, or would have been, and by which rule. */
function refusalLines(record: ShownRecord, io: Io): StyledLine[] {
  const event = record.data as unknown as Event
  const denial = denialIn(event)
  const refusal = denial ?? (event.type === 'signal.rejected' ? event : null)
  if (refusal === null) return []
  const width = displayWidth(io)
  const line = (label: string, text: string): StyledLine[] => {
    const head = [styledSpan(`${' '.repeat(refusalIndent)}${label.padEnd(6)}`, 'dim')]
    return hang(oneLine(text), { head, width })
  }
  const why = line('why', String(refusal.reason))
  return denial === null ? why : [...why, ...line('rule', denial.rule ?? builtIn)]
}

/** WHY caught: a newer daemon may know events that this program does not. */
function detailOf(record: ShownRecord): string {
  try {
    // WHY the cast: the daemon's own records; what it is not is told by its type alone.
    return oneLine(describeEvent(record.data as unknown as Event))
  } catch {
    return record.type
  }
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('  ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)]
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ')
}

const tones: readonly (readonly [RegExp, Tone])[] = [
  [/^(run\.(completed|resumed)|approval\.granted|call\.allowed)$/, 'good'],
  [/^(run\.(failed|blocked|cancelled)|call\.denied|signal\.rejected)$/, 'bad'],
  [/^(approval\.(refused|expired)|limit\.reached)$/, 'bad'],
  [/^(approval\.requested|call\.asked|run\.paused|warning\.raised|signal\.held)$/, 'warn'],
  [/^(stage\.|run\.started|detour\.|fork\.|child\.)/, 'accent'],
]

function toneOf(type: string): Tone {
  return tones.find(([pattern]) => pattern.test(type))?.[1] ?? 'plain'
}

/** The name of a run in front of its records, where there are several. */
export function whoseSpan(name: string): StyledSpan {
  return styledSpan(`${name}  `, 'strong')
}

/** A run as lists know it. */
export type RunInLine = OperationAnswer<'runs.list'>['items'][number]

/** Which run it is, as a remark. */
export function runRemark(head: RunInLine, io: Io): string {
  const { id, title, definition, status, stage, updatedAt } = head
  const named = title === null ? id : `${id} “${title}”`
  const when = `changed ${spanText(Date.now() - updatedAt)} ago`
  return remarkText(`run ${named}: ${definition}, ${status} in ${stage}, ${when}`, io)
}

/** `3 ×  would be denied  Bash  COMMAND_NOT_ALLOWED  /states/plan/allowed_commands` a row. */
export function denialCountText(rows: readonly CountedDenial[], io: Io): string {
  const width = String(rows[0]?.count ?? 0).length
  const line = ({ count, verdict, isObserved, tool, code, rule }: CountedDenial): StyledLine => {
    const asked = verdict === 'ask' ? 'would need approval' : 'would be denied'
    const what = isObserved ? asked : 'denied'
    const where = [tool, code, rule ?? builtIn].filter((one) => one !== null).join('  ')
    return [
      styledSpan(`${String(count).padStart(width)} ×  `, 'strong'),
      styledSpan(what.padEnd(20), verdict === 'ask' ? 'warn' : 'bad'),
      styledSpan(oneLine(where)),
    ]
  }
  return printLines(rows.map(line), io)
}

/** A remark between the records. */
export function remarkText(text: string, io: Io): string {
  return `${printSpan(styledSpan(`· ${text}`, 'dim'), io)}\n`
}
