/**
 * Proves a claim about every path of a machine, or finds the shortest path that breaks it.
 * Knows moves and obligations. Must not know how a proof is printed.
 *
 * The search leaves out every move that fulfils the obligation. If the target can still be
 * reached, the claim is false; if only through something that cannot be looked into, it is
 * unknown. It is never proved by mistake: see `proof-moves.ts`.
 */
import { assertNever } from '../assert.ts'
import { closestName } from '../closest-name.ts'
import type { Obligation, PathClaim } from './claim.ts'
import type { Guard, Machine } from './machine.ts'
import { anyStage, type ProofMove, type ProofMoves, proofMovesOf } from './proof-moves.ts'

export type Proof = {
  readonly claim: PathClaim
  /** `invalid`: the claim is about a stage that does not exist. */
  readonly verdict: 'proved' | 'disproved' | 'unknown' | 'invalid'
  readonly reason: string
  /** The shortest path that breaks the claim, or may break it. */
  readonly path: readonly ProofMove[]
  /** Where every path has to pass. */
  readonly passes: readonly ProofMove[]
}

/** Whether every path to a target fulfils an obligation. */
export function proveClaim(machine: Machine, claim: PathClaim): Proof {
  const moves = proofMovesOf(machine)
  const isOutcome = !Object.hasOwn(machine.stages, claim.target)
  if (isOutcome && claim.target !== 'completed') return unknownTarget(machine, claim)
  const search = searchOf(machine, claim, moves)
  const certain = search((move) => move.isOpaque !== true)
  if (certain !== null) {
    return proofOf(claim, 'disproved', { reason: disproofReason(claim, moves), path: certain })
  }
  const possible = search(() => true)
  if (possible !== null) {
    const reason = 'the path leads through another definition, which is not looked into'
    return proofOf(claim, 'unknown', { reason, path: possible })
  }
  if (machine.hasDebug) {
    const reason = 'the definition sets `debug`, so that a person can force a run into any stage'
    return proofOf(claim, 'unknown', { reason, path: [] })
  }
  const passes = [...moves.values()].flat().filter((move) => fulfils(move, claim.without))
  const isReached = searchOf(machine, { ...claim, without: nothing }, moves)(() => true) !== null
  const reason = isReached ? 'every path passes it' : `no path leads to \`${claim.target}\``
  return { ...proofOf(claim, 'proved', { reason, path: [] }), passes: isReached ? passes : [] }
}

/** No move has an empty name, so that this is fulfilled by none. */
const nothing: Obligation = { kind: 'evidence', name: '' }

type Search = (isUsed: (move: ProofMove) => boolean) => readonly ProofMove[] | null

function proofOf(
  claim: PathClaim,
  verdict: Proof['verdict'],
  { reason, path }: { readonly reason: string; readonly path: readonly ProofMove[] },
): Proof {
  return { claim, verdict, reason, path, passes: [] }
}

function unknownTarget(machine: Machine, claim: PathClaim): Proof {
  const meant = closestName(claim.target, Object.keys(machine.stages))
  const advice = meant === null ? 'name one, or `completed`' : `did you mean \`${meant}\`?`
  const reason = `there is no stage \`${claim.target}\`: ${advice}`
  return proofOf(claim, 'invalid', { reason, path: [] })
}

/** A shortest path to a stage, whatever it needs; null: none leads there. */
export function shortestTrace(machine: Machine, target: string): readonly ProofMove[] | null {
  const moves = proofMovesOf(machine)
  const isTarget = (stage: string | null): boolean => stage === target
  return shortestPath(moves, machine.initial, { isTarget, isFollowed: () => true })
}

/** The shortest path to the claim's target whose moves do not fulfil the obligation. */
function searchOf(machine: Machine, claim: PathClaim, moves: ProofMoves): Search {
  const isStage = Object.hasOwn(machine.stages, claim.target)
  const isTarget = (stage: string | null): boolean => {
    if (isStage) return stage === claim.target
    return stage === null || machine.stages[stage]?.final === 'completed'
  }
  return (isUsed) => {
    const isFree = freeMoves(claim.without, moves, isUsed)
    // A branch that ends is not the end of the run.
    const isFollowed = (move: ProofMove): boolean =>
      isFree(move) && (isStage || move.isBranch !== true)
    return shortestPath(moves, machine.initial, { isTarget, isFollowed })
  }
}

/** Whether a move can be made without fulfilling the obligation, branches looked into. */
function freeMoves(
  without: Obligation,
  moves: ProofMoves,
  isUsed: (move: ProofMove) => boolean,
): (move: ProofMove) => boolean {
  const known = new Map<string, boolean>()
  return isFree

  function isFree(move: ProofMove): boolean {
    if (!isUsed(move) || fulfils(move, without)) return false
    if (move.after === undefined) return true
    const frees = move.after.branches.map(({ initial, terminal }) =>
      canEndFreely(initial, terminal),
    )
    return move.after.join === 'all' ? frees.every(Boolean) : frees.some(Boolean)
  }
  function canEndFreely(initial: string, terminal: string): boolean {
    const key = JSON.stringify([initial, terminal])
    const answer = known.get(key)
    if (answer !== undefined) return answer
    // While it is looked for, a fork within itself counts as free, which proves nothing.
    known.set(key, true)
    const isTarget = (stage: string | null): boolean => stage === terminal
    const isFound = shortestPath(moves, initial, { isTarget, isFollowed: isFree }) !== null
    known.set(key, isFound)
    return isFound
  }
}

type Walk = {
  readonly isTarget: (stage: string | null) => boolean
  readonly isFollowed: (move: ProofMove) => boolean
}

function shortestPath(moves: ProofMoves, from: string, walk: Walk): readonly ProofMove[] | null {
  if (walk.isTarget(from)) return []
  const cameBy = new Map<string, ProofMove | null>([[from, null]])
  const queue = [from]
  for (let head = 0; head < queue.length; head += 1) {
    for (const move of nextMoves(moves, queue[head] ?? '', cameBy)) {
      if (move.to !== null && cameBy.has(move.to)) continue
      if (!walk.isFollowed(move)) continue
      if (walk.isTarget(move.to)) return pathTo(move, cameBy)
      if (move.to === null) continue
      cameBy.set(move.to, move)
      queue.push(move.to)
    }
  }
  return null
}

/** The moves out of a stage; the first that may lead anywhere leads to all stages not yet seen. */
function nextMoves(
  moves: ProofMoves,
  stage: string,
  cameBy: Map<string, ProofMove | null>,
): readonly ProofMove[] {
  const own = moves.get(stage) ?? []
  const any = own.find((move) => move.to === anyStage)
  if (any === undefined || cameBy.has(anyStage)) return own.filter((move) => move !== any)
  cameBy.set(anyStage, any)
  const unseen = [...moves.keys()].filter((name) => !cameBy.has(name))
  return [...own, ...unseen.map((to) => ({ ...any, to }))].filter((one) => one.to !== anyStage)
}

function pathTo(last: ProofMove, cameBy: ReadonlyMap<string, ProofMove | null>): ProofMove[] {
  const path = [last]
  for (let at = cameBy.get(last.from); at != null; at = cameBy.get(at.from)) path.push(at)
  return path.reverse()
}

function fulfils(move: ProofMove, without: Obligation): boolean {
  switch (without.kind) {
    case 'approval':
      return move.hasGate && (without.signal === null || without.signal === move.name)
    case 'evidence':
      return move.guards.some((guard) => isEvidence(guard, without.name))
    default:
      return assertNever(without)
  }
}

/** The agent's word is not evidence. By its command, only a success is meant. */
function isEvidence(guard: Guard, name: string): boolean {
  if (guard.kind !== 'evidence' || guard.requirement.grade === 'claimed') return false
  const { command, exit } = guard.requirement
  return command === name ? exit === 0 : guard.name === name
}

/** Why a claim is false; a name that nothing has is the likeliest reason. */
function disproofReason({ without }: PathClaim, moves: ProofMoves): string {
  const all = [...moves.values()].flat()
  if (all.some((move) => fulfils(move, without))) return 'this path avoids it'
  if (without.kind === 'approval') {
    if (without.signal === null) return 'nothing asks for an approval'
    const isSignal = all.some((move) => move.name === without.signal)
    return isSignal
      ? `\`${without.signal}\` never asks for an approval`
      : `there is no \`${without.signal}\``
  }
  const guards = all.flatMap((move) => move.guards)
  const isClaimed = guards.some((guard) => guard.kind !== 'expr' && guard.name === without.name)
  return isClaimed
    ? `guard \`${without.name}\` rests on the agent's word, not on evidence`
    : `no move asks for evidence \`${without.name}\``
}
