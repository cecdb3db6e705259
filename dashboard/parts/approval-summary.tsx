/** One-line summaries of approvals, for lists. */

import { shortPath } from '../../src/core/draw/short-path.ts'
import type { PendingMove } from '../../src/core/engine/types.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { editTextsIn } from '../../src/core/tools/edit-texts.ts'
import type { PendingApproval } from '../data/live-state.ts'
import { eventInputText, shownNameOf } from './event-text.ts'

type PendingCallShown = { readonly tool: string; readonly input: JsonObject }

/** The call that waits; null: it is a move. */
export function pendingCallOf(approval: PendingApproval): PendingCallShown | null {
  // WHY the cast: the kind says which of the two it is.
  return approval.kind === 'call' ? (approval.pending as unknown as PendingCallShown) : null
}

/** The move that waits; null: it is a call. */
export function moveOf(approval: PendingApproval): PendingMove | null {
  return approval.kind === 'move' ? (approval.pending as unknown as PendingMove) : null
}

/** One line about what is asked; paths begin in the workspace where there is one. */
export function titleOf(approval: PendingApproval, workspace: string | null = null): string {
  const call = pendingCallOf(approval)
  if (call === null) return approval.message
  return `${shownNameOf(call.tool)} ${shortPath(eventInputText(call.input), workspace)}`
}

/** The question as a person would ask it; who has to agree is told apart. */
export function questionOf(approval: PendingApproval): string {
  const call = pendingCallOf(approval)
  if (call === null) return approval.message.replace(/\s*\(needs approval from [^)]*\)$/, '')
  if ('command' in call.input || 'cmd' in call.input) return 'Run this command?'
  if (/mail/i.test(call.tool) && 'body' in call.input) return 'Send this mail?'
  if (editTextsIn(call.input).length > 0 || 'patch' in call.input) return 'Make this edit?'
  return `Call ${shownNameOf(call.tool)}?`
}

/** Which rule asks: the engine writes it behind the question. */
export function ruleOf({ kind, message }: PendingApproval): string {
  if (kind === 'move') return 'The definition requires approval for this move.'
  const rule = /\?\s+(the policy .*)$/s.exec(message)?.[1] ?? message
  return `${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}`
}

/** Where a move leads, in words. */
export function moveTargetOf({ move }: PendingMove): string {
  switch (move.kind) {
    case 'goto':
      return move.stage
    case 'end':
      return move.outcome
    case 'invoke':
      return move.machine
    case 'fork':
      return move.branches.map((one) => one.name).join(' + ')
    case 'return':
      return 'back from the detour'
  }
}
