/**
 * A walk in progress: takes lines, keeps what can be undone, returns what to show.
 * Must not know where lines come from or go to.
 */

import { assertNever } from '../../../core/assert.ts'
import type { View } from '../../../core/dialects/run-view.ts'
import type { Recorded } from '../../../core/engine/family.ts'
import { hasEnded } from '../../../core/engine/is-running.ts'
import type { Reply } from '../../../core/engine/types.ts'
import { own } from '../../../core/json.ts'
import type { Stage } from '../../../core/machine/machine.ts'
import {
  addressed,
  lastMoment,
  listeningMember,
  momentsMax,
  startWalk,
  takeAct,
  viewNow,
  type Walk,
} from '../../../testing/walk.ts'
import type { PlayInput, Situation } from './input.ts'
import type { Trouble } from './read-data.ts'
import { readLine } from './read-line.ts'
import { isGranted, showDecision, showLog } from './show-decision.ts'
import { showHelp, showVars } from './show-help.ts'
import { showMap, showPicture } from './show-map.ts'
import { playRunStateOf, showChange, showRunState } from './show-run-state.ts'
import { hang, type StyledLine, styledLine, styledSpan } from './styled-text.ts'
import { displayWidth, type ViewFrame } from './view-lines.ts'

/** Walks that are kept to go back to. */
export const undoStatesMax = 500

export type Session = {
  walk: Walk
  /** Newest last. */
  readonly past: Walk[]
  readonly frame: ViewFrame
  /** Writes the walk as a case; gives back what to tell, or what went wrong. */
  readonly save: (walk: Walk, file: string, existing: 'keep' | 'replace') => Saved
}

export type Saved =
  | { readonly ok: true; readonly path: string }
  | ({ readonly ok: false } & Trouble)

/** What one line led to. */
export type LineOutcome = {
  readonly lines: readonly StyledLine[]
  readonly outcome: 'nothing' | 'done' | 'refused' | 'unclear' | 'quit'
  readonly reply: Reply | null
  readonly recorded: readonly Recorded[]
  readonly trouble: Trouble | null
  readonly view: View
}

/** Takes one line. */
export function takeLine(session: Session, text: string): LineOutcome {
  return carryOut(
    session,
    readLine(text, (branch) => situationOf(session.walk, branch)),
  )
}

/** What the next line is read against. */
export function situationOf(walk: Walk, branch: string | null): Situation {
  const { machine, state } = listeningMember(walk, branch)
  // WHY the cast: a run stands in a stage of its machine; nothing else can be entered.
  const stage = own(machine.stages, state.stage) as Stage
  return { machine, stage, view: viewNow(walk, branch), openCall: state.openCalls.at(-1) ?? null }
}

function carryOut(session: Session, input: PlayInput): LineOutcome {
  const { walk, frame } = session
  switch (input.kind) {
    case 'nothing':
      return heard(session, { outcome: 'nothing' })
    case 'acts':
      return doActs(session, input)
    case 'look':
      return look(session, input.branch)
    case 'vars':
      return heard(session, { lines: showVars(viewNow(walk, input.branch), frame) })
    case 'log':
      return heard(session, { lines: showLog(walk, frame) })
    case 'draw':
      return heard(session, { lines: showPicture(walk) })
    case 'map':
      return heard(session, { lines: showMap(walk, frame) })
    case 'help':
      return heard(session, { lines: showHelp(input.word, viewNow(walk, null), frame) })
    case 'undo':
      return undo(session, input.count)
    case 'save':
      return save(session, input)
    case 'restart':
      return restart(session)
    case 'quit':
      return heard(session, { outcome: 'quit' })
    case 'unclear':
      return troubled(session, input.trouble)
    default:
      return assertNever(input)
  }
}

function heard(session: Session, what: Partial<LineOutcome>): LineOutcome {
  const view = viewNow(session.walk, null)
  return { lines: [], outcome: 'done', reply: null, recorded: [], trouble: null, view, ...what }
}

/** A line that was not understood changes nothing. */
function troubled(session: Session, trouble: Trouble): LineOutcome {
  const width = displayWidth(session.frame)
  const head = [styledSpan('? ', 'warn')]
  const lines = hang(trouble.message, { head, width, tone: 'warn' })
  if (trouble.hint !== '')
    lines.push(...hang(trouble.hint, { head: [styledSpan('  → ', 'dim')], width }))
  return heard(session, { lines, outcome: 'unclear', trouble })
}

function look(session: Session, branch: string | null): LineOutcome {
  const { walk, frame } = session
  if (branch !== null && !isBranch(walk, branch)) {
    const names = Object.keys(viewNow(walk, null).branches)
    const hint = names.length === 0 ? 'no fork is open' : `the branches are ${names.join(', ')}`
    return troubled(session, { message: `there is no branch \`${branch}\``, hint })
  }
  const view = viewNow(walk, branch)
  return heard(session, { lines: showRunState(walk, branch, frame), view })
}

function isBranch(walk: Walk, name: string): boolean {
  return addressed(walk.family, name).state.branch?.name === name
}

// ── acting ──────────────────────────────────────────────────────────────────

function doActs(
  session: Session,
  { acts, note }: Extract<PlayInput, { kind: 'acts' }>,
): LineOutcome {
  const before = session.walk
  if (before.moments.length + acts.length > momentsMax) {
    const message = `this session has reached its limit of ${momentsMax} inputs`
    return troubled(session, { message, hint: 'write `restart` or `undo`' })
  }
  const lines: StyledLine[] = note === '' ? [] : [styledLine(`  (${note})`, 'dim')]
  const recorded: Recorded[] = []
  for (const act of acts) {
    session.walk = takeAct(session.walk, act)
    const moment = lastMoment(session.walk)
    lines.push(...showDecision(moment, session.walk, session.frame))
    recorded.push(...moment.recorded)
    if (!isGranted(moment.reply)) break
  }
  keepPast(session, before)
  const { reply, view } = lastMoment(session.walk)
  const outcome = isGranted(reply) ? 'done' : 'refused'
  const standing = newStanding(session, before, acts[0].branch)
  return heard(session, { lines: [...lines, ...standing], outcome, reply, recorded, view })
}

/** What is new for the run that was spoken to, or for the main run once that has ended. */
function newStanding(session: Session, before: Walk, branch: string | null): StyledLine[] {
  const { walk, frame } = session
  const isOpen = branch !== null && isBranch(walk, branch)
  const shown = isOpen && !hasEnded(addressed(walk.family, branch).state) ? branch : null
  return showChange(playRunStateOf(before, shown, frame), walk, { branch: shown, frame })
}

function keepPast(session: Session, walk: Walk): void {
  session.past.push(walk)
  if (session.past.length > undoStatesMax) session.past.shift()
}

function undo(session: Session, count: number): LineOutcome {
  const kept = session.past.length
  if (kept === 0) {
    return troubled(session, { message: 'there is nothing to undo', hint: 'this is the start' })
  }
  if (count > kept) {
    const hint =
      kept === undoStatesMax ? `only ${undoStatesMax} are kept` : '`restart` starts again'
    return troubled(session, { message: `only ${kept} inputs can be undone`, hint })
  }
  const back = session.past.splice(kept - count)
  session.walk = back[0] as Walk
  const told = count === 1 ? 'undone' : `${count} inputs undone`
  return heard(session, { lines: [styledLine(`↶ ${told}`, 'good'), ...wholeRunState(session)] })
}

function wholeRunState({ walk, frame }: Session): StyledLine[] {
  return showRunState(walk, null, frame)
}

function restart(session: Session): LineOutcome {
  const started = startWalk(session.walk.setting)
  // A setting that started once starts again: nothing in it has changed.
  if ('kind' in started) return troubled(session, { message: started.reason, hint: started.hint })
  keepPast(session, session.walk)
  session.walk = started
  return heard(session, {
    lines: [styledLine('↺ restarted', 'good'), ...wholeRunState(session)],
  })
}

function save(session: Session, input: Extract<PlayInput, { kind: 'save' }>): LineOutcome {
  const saved = session.save(session.walk, input.file, input.mayReplace ? 'replace' : 'keep')
  if (!saved.ok) return troubled(session, saved)
  const steps = session.walk.moments.length - 1
  const told = `saved ${steps} ${steps === 1 ? 'input' : 'inputs'} to ${saved.path}`
  const how = `  run it with \`pawl test ${saved.path}\``
  return heard(session, { lines: [styledLine(`✔ ${told}`, 'good'), styledLine(how, 'dim')] })
}
