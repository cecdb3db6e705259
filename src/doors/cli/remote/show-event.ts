/**
 * A record of a log on one line; under a refusal stand its reason and its rule.
 */
import { type CountedDenial, denialIn } from '../../../core/engine/count-denials.ts'
import type { Event } from '../../../core/engine/types.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { describeEvent } from '../play/describe-event.ts'
import {
  hang,
  printLines,
  printSpan,
  type StyledLine,
  type StyledSpan,
  styledSpan,
  type Tone,
} from '../play/styled-text.ts'
import { displayWidth } from '../play/view-lines.ts'
import { momentText, spanText } from './show-table.ts'

export type ShownRecord = OperationAnswer<'runs.events'>['items'][number]

/** `12:03:11     4  agent:agent  stage.entered  fixing (signal)`; `whose` stands in front. */
export function eventText(record: ShownRecord, whose: readonly StyledSpan[], io: Io): string {
  const now = Date.now()
  const lead = [
    styledSpan(`${momentText(record.at, now)} `, 'dim'),
    ...whose,
    styledSpan(`${String(record.seq).padStart(5)}  `, 'dim'),
  ]
  const [type = '', detail = ''] = splitOnce(detailOf(record))
  const line = [
    ...lead,
    styledSpan(type.padEnd(18), toneOf(record.type)),
    styledSpan(` ${detail}`),
    styledSpan(`  ${record.actor}`, 'dim'),
  ]
  return printLines([line, ...refusalLines(record, io)], io)
}

const refusalIndent = 16
/** The rule of a denial that no author wrote. */
const builtIn = 'built into Pawl'

/** Why a call or a signal was refused, or would have been, and by which rule. */
function refusalLines(record: ShownRecord, io: Io): StyledLine[] {
  // WHY the cast: the daemon's own records; of a newer one, a field may be missing.
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
