/** Shows an approval, with everything that the decision is about. */

import { cellsOf } from '../../../core/draw/label-text.ts'
import type { PendingCall } from '../../../core/engine/types.ts'
import { sawText } from '../../../core/evidence/describe-evidence.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { printable, printLines, type StyledLine, styledSpan } from '../play/styled-text.ts'
import { cutLine, displayWidth, row } from '../play/view-lines.ts'
import { changesLines, type RunChangesAnswer } from './diff-lines.ts'
import { callTitle } from './show-call.ts'
import { remarkText } from './show-event.ts'
import { headlineOf, outcomeLines, pendingLines } from './show-pending.ts'
import { spanText, tableText } from './show-table.ts'

export type ApprovalItem = OperationAnswer<'approvals.read'>

type EvidenceSeen = NonNullable<ApprovalItem['evidence']>[number]

/** What the run of an approval changed; null: it is not shown. */
export type ShownChanges = { readonly changes: RunChangesAnswer; readonly isWhole: boolean } | null

/** The approval and its outcome; while it is pending, how to decide it. */
export function approvalText(approval: ApprovalItem, shown: ShownChanges, io: Io): string {
  const { id, status } = approval
  const width = displayWidth(io)
  const isPending = status === 'pending'
  const answer = isPending ? answerLines(id, width) : row(status, decidedText(approval), { width })
  // Of a call, the call itself is looked at; the names say what else there is to look at.
  const length = shown?.isWhole ? 'whole' : approval.kind === 'call' ? 'names' : 'short'
  const changed = shown === null ? [] : [...changesLines(shown.changes, length), []]
  const next = isPending ? outcomeLines(approval, width) : []
  return printLines([...questionLines(approval, width), ...changed, ...next, ...answer], io)
}

/** Columns for what is asked, however narrow the terminal is. */
const whatCellsMin = 32
/** Columns of a line that goes to no terminal. */
const widthMax = 140
const gapCells = 2
const expiresCells = 'expires'.length + gapCells
const titleCellsMax = 28
const idCharsMin = 8

/** Approvals in a table, one line each. */
export function approvalsTable(items: readonly ApprovalItem[], io: Io): string {
  const ids = items.map((one) => one.id)
  const byRisk = items.toSorted((a, b) => Number(b.risks.length > 0) - Number(a.risks.length > 0))
  const whole = byRisk.map((one): StyledLine => {
    const isOpen = one.status === 'pending'
    const left = one.expiresAt === null ? 'never' : `in ${spanText(one.expiresAt - Date.now())}`
    return [
      styledSpan(shortId(one.id, ids), 'strong'),
      styledSpan(cutLine(printable(one.runTitle ?? one.runId), titleCellsMax)),
      styledSpan(`${spanText(Date.now() - one.requestedAt)} ago`, 'dim'),
      styledSpan(isOpen ? left : one.status, 'dim'),
      styledSpan(printable(askedText(one)), one.risks.length > 0 ? 'bad' : 'plain'),
    ]
  })
  const widthOf = (column: number): number =>
    Math.max(...whole.map((cells) => cellsOf(cells[column]?.text ?? ''))) + gapCells
  const left = widthOf(0) + widthOf(1) + widthOf(2) + Math.max(widthOf(3), expiresCells)
  const whatCells = Math.max(whatCellsMin, (io.columns > 0 ? io.columns : widthMax) - left)
  const rows = whole.map((cells) => [
    ...cells.slice(0, -1),
    styledSpan(cutLine(cells.at(-1)?.text ?? '', whatCells), cells.at(-1)?.tone),
  ])
  const table = tableText(['id', 'run', 'asked', 'expires', 'what'], rows, io)
  return table + remarkText('`pawl approvals ID` shows everything you need to decide', io)
}

/** As much of an id as no other one in the list begins with. */
function shortId(id: string, ids: readonly string[]): string {
  for (let length = idCharsMin; length < id.length; length += 1) {
    const short = id.slice(0, length)
    if (ids.filter((one) => one.startsWith(short)).length === 1) return short
  }
  return id
}

function askedText(approval: ApprovalItem): string {
  if (approval.kind === 'move') return approval.message
  const title = callTitle(approval.pending as unknown as PendingCall)
  return approval.risks.length > 0 ? `risky: ${title}` : title
}

/** The two ways to decide an approval. */
export function answerLines(id: string, width: number): StyledLine[] {
  const look = { width, tone: 'dim' } as const
  return [...row('decide', `pawl approve ${id}`, look), ...row('', `pawl refuse ${id}`, look)]
}

/** The approval by itself: everything that the decision is about. */
export function questionText(approval: ApprovalItem, io: Io): string {
  return printLines(questionLines(approval, displayWidth(io)), io)
}

function questionLines(approval: ApprovalItem, width: number): StyledLine[] {
  const { runId, runTitle, kind, member } = approval
  const whose = member === runId ? runId : `${runId}, in ${member}`
  return [
    [styledSpan('? ', 'warn'), styledSpan(headlineOf(approval), 'strong')],
    ...pendingLines(approval, width),
    ...(approval.evidence ?? []).flatMap((one) => evidenceRow(one, width)),
    ...(approval.status === 'pending' && approval.note !== ''
      ? row('so far', approval.note, { width })
      : []),
    ...row('run', runTitle === null ? whose : `${runTitle} (${whose})`, { width }),
    ...row('asked', `${whenText(approval)}, for a ${kind}`, { width, tone: 'dim' }),
  ]
}

const witnesses = { claimed: 'agent says', host: 'Pawl saw', job: 'Pawl ran' } as const

/** The name of the row says who saw it, so the sentence does not. */
function evidenceRow({ grade, text }: EvidenceSeen, width: number): StyledLine[] {
  const begin = `${sawText(grade)} `
  const rest = text.startsWith(begin) ? text.slice(begin.length) : text
  return row(witnesses[grade], grade === 'claimed' ? `it ran ${rest}` : rest, { width })
}

function whenText({ requestedAt, expiresAt, status }: ApprovalItem): string {
  const asked = `${spanText(Date.now() - requestedAt)} ago`
  if (expiresAt === null || status !== 'pending') return asked
  return `${asked}, expires in ${spanText(expiresAt - Date.now())}`
}

function decidedText({ decidedBy, note }: ApprovalItem): string {
  return [decidedBy === null ? '' : `by ${decidedBy}`, note].filter((one) => one !== '').join(': ')
}
