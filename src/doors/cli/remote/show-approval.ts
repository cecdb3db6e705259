/**
 * A question to a person, with all that the answer is about.
 */

import type { PendingCall, PendingMove } from '../../../core/engine/types.ts'
import { moveText } from '../../../core/machine/move-text.ts'
import type { Answer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { type Line, printLines, span } from '../play/styled-text.ts'
import { row, widthOf } from '../play/view-lines.ts'
import { spanText } from './show-table.ts'

export type Approval = Answer<'approvals.read'>

/** The question and what became of it; while it is open, how to answer. */
export function approvalText(approval: Approval, io: Io): string {
  const { id, status } = approval
  const width = widthOf(io)
  const answer =
    status === 'pending' ? answerLines(id, width) : row(status, decidedText(approval), { width })
  return printLines([...questionLines(approval, width), ...answer], io)
}

/** The two ways to answer a question. */
export function answerLines(id: string, width: number): Line[] {
  const look = { width, tone: 'dim' } as const
  return [...row('answer', `pawl approve ${id}`, look), ...row('', `pawl refuse ${id}`, look)]
}

/** The question by itself: all that an answer is about. */
export function questionText(approval: Approval, io: Io): string {
  return printLines(questionLines(approval, widthOf(io)), io)
}

function questionLines(approval: Approval, width: number): Line[] {
  const { runId, kind, message, member } = approval
  const whose = member === runId ? runId : `${runId}, in ${member}`
  return [
    [span('? ', 'warn'), span(message, 'strong')],
    ...pendingLines(approval, width),
    ...(approval.status === 'pending' && approval.note !== ''
      ? row('so far', approval.note, { width })
      : []),
    ...row('run', whose, { width }),
    ...row('asked', `${whenText(approval)}, about a ${kind}`, { width, tone: 'dim' }),
  ]
}

/** WHY whole and not cut: what is approved is what has been read. */
function pendingLines(approval: Approval, width: number): Line[] {
  // WHY the casts: the daemon's own answer; its kind tells which of the two it is.
  if (approval.kind === 'call') {
    const { tool, input } = approval.pending as unknown as PendingCall
    return row('call', `${tool} ${JSON.stringify(input)}`, { width })
  }
  const { signal, move, data, editable = [] } = approval.pending as unknown as PendingMove
  const lines = row('move', `${signal} ${moveText(move)}`, { width })
  if (data !== null) lines.push(...row('data', JSON.stringify(data), { width }))
  if (editable.length > 0) lines.push(...row('may set', editable.join(', '), { width }))
  return lines
}

function whenText({ requestedAt, expiresAt, status }: Approval): string {
  const asked = `${spanText(Date.now() - requestedAt)} ago`
  if (expiresAt === null || status !== 'pending') return asked
  return `${asked}, refused by itself in ${spanText(expiresAt - Date.now())}`
}

function decidedText({ decidedBy, note }: Approval): string {
  return [decidedBy === null ? '' : `by ${decidedBy}`, note].filter((one) => one !== '').join(': ')
}
