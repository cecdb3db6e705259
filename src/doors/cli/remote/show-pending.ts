/**
 * What waits for a decision, as lines: the call or the move, what is risky about it, who has to
 * agree, and what comes after a yes and after a no.
 */
import type { Endorsement, PendingCall, PendingMove } from '../../../core/engine/types.ts'
import type { JsonObject } from '../../../core/json.ts'
import { moveText } from '../../../core/machine/move-text.ts'
import { type Quorum, quorumText } from '../../../core/machine/quorum.ts'
import { editTextsIn } from '../../../core/tools/edit-texts.ts'
import { type StyledLine, type StyledSpan, styledSpan } from '../play/styled-text.ts'
import { labelCells, row } from '../play/view-lines.ts'
import { editLines } from './diff-lines.ts'
import type { ApprovalItem } from './show-approval.ts'

/** The question as a person would ask it; which rule asks is told apart. */
export function headlineOf(approval: ApprovalItem): string {
  if (approval.kind === 'move') return approval.message
  const { tool, input } = approval.pending as unknown as PendingCall
  if (commandKeyIn(input) !== undefined) return 'Run this command?'
  if (/mail/i.test(tool) && 'body' in input) return 'Send this mail?'
  return editTextsIn(input).length > 0 ? 'Make this edit?' : `Call ${tool}?`
}

function commandKeyIn(input: JsonObject): string | undefined {
  return ['command', 'cmd'].find((name) => typeof input[name] === 'string')
}

type Risk = ApprovalItem['risks'][number]

/** WHY whole and not cut: what is approved is what has been read. */
export function pendingLines(approval: ApprovalItem, width: number): StyledLine[] {
  // WHY the casts: the daemon's own answer; its kind tells which of the two it is.
  if (approval.kind === 'call') {
    const { tool, input } = approval.pending as unknown as PendingCall
    const call = callLines(tool, input, { risks: approval.risks, width })
    return [...call, ...riskLines(approval.risks, width)]
  }
  const { signal, move, data, editable = [] } = approval.pending as unknown as PendingMove
  const lines = row('move', `${signal} ${moveText(move)}`, { width })
  if (data !== null && Object.keys(data).length > 0)
    lines.push(...row('agent says', JSON.stringify(data), { width }))
  if (editable.length > 0) lines.push(...row('editable', editable.join(', '), { width }))
  return lines
}

type CallSpace = { readonly risks: readonly Risk[]; readonly width: number }

function callLines(tool: string, input: JsonObject, { risks, width }: CallSpace): StyledLine[] {
  const key = commandKeyIn(input)
  if (key !== undefined) {
    const { [key]: command, ...rest } = input
    return [
      ...row('call', tool, { width }),
      ...commandLines(String(command), risks),
      ...fieldLines(rest, width),
    ]
  }
  const { lines, rest } = editLines(input)
  return [...row('call', tool, { width }), ...fieldLines(rest, width), ...lines]
}

/** WHY not wrapped: where a command breaks is part of it. The risky parts are marked. */
function commandLines(command: string, risks: readonly Risk[]): StyledLine[] {
  const parts: StyledSpan[] = []
  let at = 0
  const marked = risks
    .flatMap(({ begin, text }) => (begin === null ? [] : [{ begin, end: begin + text.length }]))
    .toSorted((a, b) => a.begin - b.begin)
  for (const { begin, end } of marked) {
    if (end <= at) continue
    parts.push(styledSpan(command.slice(at, Math.max(at, begin))))
    parts.push(styledSpan(command.slice(Math.max(at, begin), end), 'bad'))
    at = end
  }
  parts.push(styledSpan(command.slice(at)))
  return splitLines(parts).map((line) => [styledSpan(' '.repeat(labelCells)), ...line])
}

/** Spans with line ends in them, as lines. */
function splitLines(spans: readonly StyledSpan[]): StyledSpan[][] {
  const lines: StyledSpan[][] = [[]]
  for (const { text, tone } of spans) {
    for (const [index, piece] of text.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) lines.push([])
      lines.at(-1)?.push(styledSpan(piece, tone))
    }
  }
  return lines
}

function fieldLines(fields: JsonObject, width: number): StyledLine[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    row(name, typeof value === 'string' ? value : JSON.stringify(value), { width }),
  )
}

function riskLines(risks: readonly Risk[], width: number): StyledLine[] {
  return risks.flatMap(({ why, text, begin }) =>
    row('risky', begin === null ? why : `${why}: ${text}`, { width, tone: 'bad' }),
  )
}

/** Who has to agree, where that is more than one person; and what comes next. */
export function outcomeLines(approval: ApprovalItem, width: number): StyledLine[] {
  // WHY the casts: kept so by the runtime, beside what waits.
  const { quorum, endorsements = [] } = approval.pending as {
    readonly quorum?: Quorum
    readonly endorsements?: readonly Endorsement[]
  }
  const said = endorsements.map(({ by, note }) => (note === '' ? by.name : `${by.name} (${note})`))
  const soFar = said.length === 0 ? 'nobody has approved yet' : `approved by ${said.join(', ')}`
  const people = quorum === undefined ? [] : [`${quorumText(quorum)} must approve; ${soFar}`]
  return [
    ...people.flatMap((text) => row('people', text, { width })),
    ...row('if yes', yesText(approval), { width }),
    ...row('if no', noText(approval), { width }),
    ...row('because', ruleOf(approval), { width }),
  ]
}

/** Which rule asks: the engine writes it behind the question. */
function ruleOf({ kind, message }: ApprovalItem): string {
  if (kind === 'move') return 'the definition requires approval for this move'
  return /\?\s+(the policy .*)$/s.exec(message)?.[1] ?? message
}

function yesText({ kind, pending }: ApprovalItem): string {
  if (kind === 'call') return 'the agent can make exactly this call, once'
  const { move } = pending as unknown as PendingMove
  return `the run moves on: ${moveText(move)}`
}

function noText({ kind, pending }: ApprovalItem): string {
  if (kind === 'call') return 'the call is denied, and the agent reads your reason'
  const { refusal } = pending as unknown as PendingMove
  if (refusal === 'block') return 'the run is blocked until a person looks at it'
  return 'the run stays where it is, and the agent reads your reason'
}
