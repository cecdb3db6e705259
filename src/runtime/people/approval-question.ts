/**
 * An approval with everything that a decision is about: the command, the change of a file, the
 * mail, the move and the source of its values. Complete and exact, for every page and message.
 * Knows approvals and runs. Must not know how any of it looks.
 */
import type { PendingCall, PendingMove, RunState } from '../../core/engine/types.ts'
import type { EvidenceLine } from '../../core/evidence/describe-evidence.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { own } from '../../core/json.ts'
import type { Source } from '../../core/machine/machine.ts'
import { moveText } from '../../core/machine/move-text.ts'
import type { Quorum } from '../../core/machine/quorum.ts'
import type { ApprovalRow, RunHead } from '../ports.ts'
import type { LoadedRun } from '../runs/load-run.ts'

export type ApprovalQuestion = {
  readonly row: ApprovalRow
  readonly head: RunHead
  /** What people call the run; null: nothing. */
  readonly title: string | null
  /** Where the run that asks stands now. */
  readonly stage: string
  readonly parts: readonly QuestionPart[]
}

/** Who has to agree to what a row asks; null: one person, whoever it is. */
export function quorumIn(row: ApprovalRow): Quorum | null {
  return (JSON.parse(row.pending) as { readonly quorum?: Quorum }).quorum ?? null
}

/** Whether a row says that every decision on it has to be signed with a passkey. */
export function isSignedOnly(row: Pick<ApprovalRow, 'pending'>): boolean {
  return (JSON.parse(row.pending) as { readonly proof?: string }).proof === 'passkey'
}

/** The call that a row asks about; null: it asks about a move. */
export function pendingCallIn(row: ApprovalRow): PendingCall | null {
  return row.kind === 'call' ? (JSON.parse(row.pending) as PendingCall) : null
}

/** One thing to look at. */
export type QuestionPart = {
  readonly label: string
  /** `removed` and `added` are the two sides of a change. */
  readonly look: 'line' | 'text' | 'removed' | 'added'
  readonly text: string
  /** Whose word it is; null: nobody's in particular. */
  readonly source: Source | null
}

/** What is known beside the row and its run. */
type Known = { readonly title: string | null; readonly evidence: readonly EvidenceLine[] }

function seenPart({ grade, text }: EvidenceLine): QuestionPart {
  const source = grade === 'claimed' ? 'claimed' : 'observed'
  return { label: 'evidence', look: 'line', text, source }
}

/** The question that a row stands for, in a run as it is now. */
export function approvalQuestionOf(
  row: ApprovalRow,
  { head, family }: LoadedRun,
  { title, evidence }: Known,
): ApprovalQuestion {
  const state = family.members.find((one) => one.runId === row.member)?.state ?? null
  // WHY the casts: a projection of our own engine; its kind tells which of the two it is.
  const parts =
    row.kind === 'call'
      ? callParts(JSON.parse(row.pending) as PendingCall)
      : [...moveParts(JSON.parse(row.pending) as PendingMove, state), ...evidence.map(seenPart)]
  return { row, head, title, stage: state?.stage ?? head.stage, parts }
}

function callParts({ tool, input }: PendingCall): readonly QuestionPart[] {
  const parts: QuestionPart[] = [{ label: 'tool', look: 'line', text: tool, source: null }]
  for (const [key, value] of Object.entries(input)) parts.push(partOf(key, value, null))
  return parts
}

function moveParts(pending: PendingMove, state: RunState | null): readonly QuestionPart[] {
  const { signal, move, data } = pending
  const text = `${signal} ${moveText(move)}`
  const said = Object.entries(data ?? {})
  // WHY left out: what comes with the signal takes the place of what was known before.
  const known = Object.entries(state?.vars ?? {}).filter(([key]) => !hasKey(data, key))
  return [
    { label: 'move', look: 'line', text, source: null },
    ...said.map(([key, value]) => partOf(key, value, 'claimed')),
    ...known.map(([key, value]) =>
      partOf(key, value, own(state?.sources ?? {}, key) ?? ('given' as const)),
    ),
  ]
}

function hasKey(data: JsonObject | null, key: string): boolean {
  return data !== null && Object.hasOwn(data, key)
}

/** How hosts name the two sides of an edit. */
const looks: Readonly<Record<string, QuestionPart['look']>> = {
  old_string: 'removed',
  oldString: 'removed',
  new_string: 'added',
  newString: 'added',
}

function partOf(label: string, value: Json, source: Source | null): QuestionPart {
  if (typeof value !== 'string') {
    const isPlain = typeof value !== 'object' || value === null
    const text = JSON.stringify(value, null, 2)
    return { label, look: isPlain ? 'line' : 'text', text, source }
  }
  const isLine = source !== null && !value.includes('\n') && value.length <= lineCharsMax
  return { label, look: own(looks, label) ?? (isLine ? 'line' : 'text'), text: value, source }
}

/** A value of a move that is longer stands in a box of its own. */
const lineCharsMax = 80
