/**
 * The state of a run for a person who plays the agent: its brief, what it may do, what is still
 * missing.
 * Knows views and machines. Must not know terminals beyond their width.
 */

import type { View } from '../../../core/dialects/run-view.ts'
import { cellsOf } from '../../../core/draw/label-text.ts'
import { mainOf } from '../../../core/engine/family.ts'
import { hasEnded } from '../../../core/engine/is-running.ts'
import { listeningMember, viewNow, type Walk } from '../../../testing/walk.ts'
import { branchRows, fieldRows, sendRows, waitingRows } from './show-rows.ts'
import { hang, type StyledLine, styledLine, styledSpan } from './styled-text.ts'
import {
  briefLines,
  cutLine,
  displayWidth,
  ruleRows,
  titleLine,
  toneOf,
  type ViewFrame,
} from './view-lines.ts'

/** A standing in parts: where the run is and what it is told, what holds there, how it ended. */
export type PlayRunState = {
  readonly head: readonly StyledLine[]
  readonly rows: readonly StyledLine[]
  readonly end: readonly StyledLine[]
}

/** The standing of the main run, or of a branch. */
export function playRunStateOf(walk: Walk, branch: string | null, frame: ViewFrame): PlayRunState {
  const width = displayWidth(frame)
  const view = viewNow(walk, branch)
  const leaf = listeningMember(walk, branch)
  return {
    head: [...header(walk, view, { branch, width }), styledLine(''), ...briefLines(view, width)],
    rows: [
      ...ruleRows(view, width),
      ...sendRows(view, leaf, width),
      ...fieldRows(view, leaf, width),
      ...waitingRows(view, leaf, width),
      ...branchRows(walk, view, width),
    ],
    end: endLines(walk, width),
  }
}

/** The whole standing. */
export function showRunState(walk: Walk, branch: string | null, frame: ViewFrame): StyledLine[] {
  const { head, rows, end } = playRunStateOf(walk, branch, frame)
  return [...head, ...(rows.length > 0 ? [styledLine('')] : []), ...rows, ...end]
}

/** What is new: the whole standing, or only the rows that changed where the run has not moved. */
export function showChange(before: PlayRunState, walk: Walk, at: ChangeAt): StyledLine[] {
  const { branch, frame } = at
  const now = playRunStateOf(walk, branch, frame)
  const isSame = (left: readonly StyledLine[], right: readonly StyledLine[]): boolean =>
    JSON.stringify(left) === JSON.stringify(right)
  if (!isSame(before.head, now.head) || !isSame(before.end, now.end)) {
    return showRunState(walk, branch, frame)
  }
  const known = new Set(before.rows.map((one) => JSON.stringify(one)))
  const fresh = now.rows.filter((one) => !known.has(JSON.stringify(one)))
  if (fresh.length > 0) return fresh.map((one) => [styledSpan('  '), ...one])
  return [styledLine(`  still in ${viewNow(walk, branch).stage}; \`look\` shows it again`, 'dim')]
}

type ChangeAt = { readonly branch: string | null; readonly frame: ViewFrame }

// ── header ──────────────────────────────────────────────────────────────────

type BranchView = { readonly branch: string | null; readonly width: number }

function header(walk: Walk, view: View, { branch, width }: BranchView): StyledLine[] {
  const top = titleLine(view, width)
  return [styledLine('─'.repeat(width), 'dim'), top, pathLine(walk, view, { branch, width })]
}

/** The stages that were taken; the oldest are left out when the line is full. */
function pathLine(walk: Walk, view: View, { branch, width }: BranchView): StyledLine {
  const isBelow = view.runId !== mainOf(walk.family).runId
  const stages = stagesTaken(walk, isBelow ? view.runId : mainOf(walk.family).runId)
  const owner = isBelow ? ownerOf(walk, view, branch) : ''
  const room = width - cellsOf(owner) - 2
  const last = cutLine(stages.at(-1) ?? view.stage, room)
  let earlier = ''
  for (const stage of stages.slice(0, -1).reverse()) {
    const longer = `${stage} ▸ ${earlier}`
    if (cellsOf(longer) + cellsOf(last) > room) {
      earlier = `… ▸ ${earlier}`
      break
    }
    earlier = longer
  }
  return [styledSpan(owner, 'warn'), styledSpan(earlier, 'dim'), styledSpan(last, 'accent')]
}

/** `@lint ` for a branch, the path of the run above for an invoked definition. */
function ownerOf(walk: Walk, view: View, branch: string | null): string {
  const member = walk.family.members.find((one) => one.runId === view.runId)
  const name = member?.state.branch?.name ?? branch
  const parent = walk.family.members.find((one) => one.runId === member?.parentId)
  const above = parent === undefined ? '' : `${parent.state.stage} ⟫ `
  return name === null || name === undefined ? above : `${above}@${name} `
}

function stagesTaken(walk: Walk, runId: string): string[] {
  const stages: string[] = []
  for (const { recorded } of walk.moments) {
    for (const { runId: id, event } of recorded) {
      if (id === runId && event.type === 'stage.entered') stages.push(event.stage)
    }
  }
  return stages
}

function endLines(walk: Walk, width: number): StyledLine[] {
  const { state } = mainOf(walk.family)
  if (!hasEnded(state)) return []
  const why = state.reason === '' ? '' : `: ${state.reason}`
  const head = [styledSpan('■ ', toneOf(state.status))]
  return [
    styledLine(''),
    ...hang(`the run is ${state.status}${why}`, { head, width, tone: 'strong' }),
    styledLine('  undo · restart · save FILE · quit', 'dim'),
  ]
}
