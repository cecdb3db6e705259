/** Shows an approval, with everything that the decision is about. */

import type { PendingCall, PendingMove } from '../../../core/engine/types.ts'
import { moveText } from '../../../core/machine/move-text.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledSpan } from '../play/styled-text.ts'
import { displayWidth, row } from '../play/view-lines.ts'
import { spanText } from './show-table.ts'

export type ApprovalItem = OperationAnswer<'approvals.read'>

/** The approval and its outcome; while it is pending, how to decide it. */
export function approvalText(approval: ApprovalItem, io: Io): string {
  const { id, status } = approval
  const width = displayWidth(io)
  const answer =
    status === 'pending' ? answerLines(id, width) : row(status, decidedText(approval), { width })
  return printLines([...questionLines(approval, width), ...answer], io)
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
  const { runId, kind, message, member } = approval
  const whose = member === runId ? runId : `${runId}, in ${member}`
  return [
    [styledSpan('? ', 'warn'), styledSpan(message, 'strong')],
    ...pendingLines(approval, width),
    ...(approval.status === 'pending' && approval.note !== ''
      ? row('so far', approval.note, { width })
      : []),
    ...row('run', whose, { width }),
    ...row('asked', `${whenText(approval)}, for a ${kind}`, { width, tone: 'dim' }),
  ]
}

/** WHY whole and not cut: what is approved is what has been read. */
function pendingLines(approval: ApprovalItem, width: number): StyledLine[] {
  // WHY the casts: the daemon's own answer; its kind tells which of the two it is.
  if (approval.kind === 'call') {
    const { tool, input } = approval.pending as unknown as PendingCall
    return row('call', `${tool} ${JSON.stringify(input)}`, { width })
  }
  const { signal, move, data, editable = [] } = approval.pending as unknown as PendingMove
  const lines = row('move', `${signal} ${moveText(move)}`, { width })
  if (data !== null) lines.push(...row('data', JSON.stringify(data), { width }))
  if (editable.length > 0) lines.push(...row('editable', editable.join(', '), { width }))
  return lines
}

function whenText({ requestedAt, expiresAt, status }: ApprovalItem): string {
  const asked = `${spanText(Date.now() - requestedAt)} ago`
  if (expiresAt === null || status !== 'pending') return asked
  return `${asked}, expires in ${spanText(expiresAt - Date.now())}`
}

function decidedText({ decidedBy, note }: ApprovalItem): string {
  return [decidedBy === null ? '' : `by ${decidedBy}`, note].filter((one) => one !== '').join(': ')
}
