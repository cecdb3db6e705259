/**
 * Every way in which a run of a machine can come to another stage, as a proof counts them.
 * Knows moves. Must not know what is proved.
 *
 * INVARIANT: at least every move that the engine can make is here. Guards are taken to hold and
 * files to be changed whenever that leads somewhere, so that a proof over these moves is true for
 * every run. Left out is a route that is never taken, because an earlier one holds whenever it
 * does. Returns are left out: they lead to where the run has been already.
 */
import { assertNever } from '../assert.ts'
import { guardsOfEnd, shadowedRoutes } from './choose-order.ts'
import type { Guard, Machine, Move, Route, Stage, Trigger } from './machine.ts'

export type ProofMove = {
  readonly from: string
  /** Null: the run ends well where it stands. */
  readonly to: string | null
  readonly how: MoveKind
  /** The signal, the interrupt, or what is invoked. */
  readonly name: string | null
  readonly guards: readonly Guard[]
  readonly hasGate: boolean
  /** Branches that have to end first, and how many of them; absent: none. */
  readonly after?: { readonly branches: readonly BranchPath[]; readonly join: 'all' | 'any' }
  /** It begins a branch, which is a run of its own. */
  readonly isBranch?: true
  /** What happens in between is in another definition. */
  readonly isOpaque?: true
}

type BranchPath = { readonly initial: string; readonly terminal: string }

type MoveKind = 'signal' | 'unknown signal' | 'named stage' | 'interrupt' | 'branch' | 'join'

/** The moves of every stage, by its name. */
export type ProofMoves = ReadonlyMap<string, readonly ProofMove[]>

/** A move to any stage that is there: its `to` stands for all of them. */
export const anyStage = ''

/** The moves out of every stage in which a run goes on. */
export function proofMovesOf(machine: Machine): ProofMoves {
  const moves = new Map<string, readonly ProofMove[]>()
  for (const stage of Object.values(machine.stages)) {
    moves.set(stage.name, stage.final === null ? movesFrom(machine, stage) : [])
  }
  return moves
}

function movesFrom(machine: Machine, stage: Stage): ProofMove[] {
  const triggers = Object.values(stage.signals)
  const free = { from: stage.name, guards: [], hasGate: false }
  const moves = triggers.flatMap((trigger) => {
    const never = new Set(shadowedRoutes(trigger.routes).map(({ route }) => route))
    return trigger.routes.flatMap((route) =>
      never.has(route) ? [] : movesOfRoute(stage, trigger, route),
    )
  })
  for (const trigger of triggers) {
    const { name, canName } = trigger
    const guards = guardsOfEnd(trigger)
    if (guards !== null) moves.push({ ...free, guards, to: null, how: 'signal', name })
    // WHY one for all: a move to each stage would make the graph quadratic.
    if (canName) moves.push({ ...free, to: anyStage, how: 'named stage', name })
  }
  const { fallback } = stage
  if (fallback !== null) {
    moves.push({ ...free, to: fallback.stage, how: 'unknown signal', name: null })
  }
  for (const { name, target } of machine.detours) {
    moves.push({ ...free, to: target, how: 'interrupt', name })
  }
  return moves
}

function movesOfRoute(stage: Stage, trigger: Trigger, route: Route): ProofMove[] {
  const { guards, gate, move } = route
  const base = { from: stage.name, name: trigger.name, guards, hasGate: gate !== null }
  return targetsOf(move).map((target) => ({ ...base, how: 'signal', ...target }))
}

type Target = Pick<ProofMove, 'to'> & Partial<ProofMove>

function targetsOf(move: Move): Target[] {
  switch (move.kind) {
    case 'goto':
      return [{ to: move.stage }]
    case 'return':
      return []
    case 'end':
      return move.outcome === 'completed' ? [{ to: null }] : []
    case 'invoke': {
      const failed: Target[] = move.onFail === null ? [] : [{ to: move.onFail, isOpaque: true }]
      return [{ to: move.onComplete, isOpaque: true }, ...failed]
    }
    case 'fork': {
      const begun = move.branches.map(
        ({ initial }): Target => ({ to: initial, how: 'branch', isBranch: true }),
      )
      const after = { branches: move.branches, join: move.join }
      const joined: Target = { to: move.onComplete, how: 'join', after }
      const failed: Target[] = move.onFail === null ? [] : [{ to: move.onFail, how: 'join' }]
      return [...begun, joined, ...failed]
    }
    default:
      return assertNever(move)
  }
}
