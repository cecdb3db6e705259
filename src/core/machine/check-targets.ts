/**
 * Findings about names of stages and about moves that can never work: unknown targets, forks that
 * cannot join, returns that nobody can take.
 * Knows edges. Must not know how a stage is written down.
 */
import { type Finding, finding } from '../finding.ts'
import { type CheckContext, isOpenEnded, linksOf, stageOf, withNamed } from './check-context.ts'
import { type Edge, type GraphLinks, reachableFrom } from './graph.ts'
import type { ForkBranch, Move } from './machine.ts'
import { quotedList } from './name-suggestions.ts'

// INVARIANT: one walk per branch is not linear, so that all of them together have a maximum.
const branchVisitsMax = 1_000_000

/** INITIAL_UNKNOWN: the run has nowhere to begin. */
export function checkInitial(survey: CheckContext): readonly Finding[] {
  const { initial } = survey.machine
  // An empty name was already refused for its shape.
  if (initial === '' || stageOf(survey, initial) !== undefined) return []
  const message = `\`${initial}\` is the initial ${survey.words.stage}, but it does not exist`
  return [finding('INITIAL_UNKNOWN', '/initial', { message, hint: nameHint(survey, initial) })]
}

/** TARGET_UNKNOWN: a name of a stage that does not exist, wherever it stands. */
export function checkTargets(survey: CheckContext): readonly Finding[] {
  const found: Finding[] = []
  for (const edge of survey.edges) {
    if (edge.to === null || stageOf(survey, edge.to) !== undefined) continue
    found.push(
      unknownTarget(survey, edge.to, { at: edge.targetOrigin, says: saysOf(survey, edge) }),
    )
  }
  for (const { from, branch } of branchesOf(survey)) {
    if (stageOf(survey, branch.terminal) !== undefined) continue
    const says = `branch \`${branch.name}\` of a fork in \`${from}\` ends at`
    found.push(unknownTarget(survey, branch.terminal, { at: branch.origin, says }))
  }
  return found
}

type Mention = { readonly at: string; readonly says: string }

function unknownTarget(survey: CheckContext, name: string, mention: Mention): Finding {
  const message = `${mention.says} \`${name}\`, but that ${survey.words.stage} does not exist`
  const place = { pointer: mention.at, saying: name }
  return finding('TARGET_UNKNOWN', place, { message, hint: nameHint(survey, name) })
}

function nameHint(survey: CheckContext, name: string): string {
  const { stage } = survey.words
  const meant = survey.meant(name)
  if (meant !== undefined) return `did you mean \`${meant}\`?`
  if (survey.names.length === 0) return `add a ${stage} \`${name}\``
  return `add a ${stage} \`${name}\`, or name one that exists: ${quotedList(survey.names)}`
}

function saysOf(survey: CheckContext, edge: Edge): string {
  const place = `\`${edge.from ?? ''}\``
  const when = edge.signal === null ? '' : ` on \`${edge.signal}\``
  switch (edge.kind) {
    case 'fallback':
      return `${place} leads with any unknown ${survey.words.signal} to`
    case 'detour':
      return `the ${survey.words.detour} leads to`
    case 'fork':
      return `a branch that ${place} forks${when} begins in`
    case 'join':
      return `after the branches that ${place} forks${when}, the run continues to`
    case 'invoke':
      return `after what ${place} invokes${when}, the run continues to`
    case 'fail':
      return `after a failure of what ${place} starts${when}, the run continues to`
    default:
      return `${place} leads${when} to`
  }
}

/** FORK_INVALID: forks whose branches can never be done. */
export function checkForks(survey: CheckContext): readonly Finding[] {
  const found: Finding[] = []
  for (const { from, move } of forksOf(survey)) {
    if (move.branches.length > 0) continue
    const message = `\`${from}\` forks into no branches, so there is nothing to wait for`
    const hint = `give the fork a branch, with its first and its last ${survey.words.stage}`
    found.push(finding('FORK_INVALID', move.origin, { message, hint }))
  }
  const branches = branchesOf(survey)
  if (branches.length === 0) return found
  // A branch may be sent on a detour, and leave it by another way.
  const next = withDetours(
    survey,
    withNamed(
      survey,
      linksOf(survey, (edge) => edge.kind !== 'fork'),
    ),
  )
  let visitsLeft = branchVisitsMax
  for (const { branch, isTwin } of branches) {
    const invalid = invalidBranch(survey, branch)
    if (isTwin) found.push(twinBranch(branch))
    if (invalid !== undefined) found.push(invalid)
    if (isTwin || invalid !== undefined || visitsLeft <= 0) continue
    const initial = survey.index.get(branch.initial)
    const terminal = survey.index.get(branch.terminal)
    if (initial === undefined || terminal === undefined) continue
    const walk = canReach(next, initial, terminal)
    visitsLeft -= walk.visits
    if (!walk.isReached) found.push(stuckBranch(survey, branch))
  }
  return found
}

function invalidBranch(survey: CheckContext, branch: ForkBranch): Finding | undefined {
  const name = `branch \`${branch.name}\``
  const { stage } = survey.words
  const terminal = stageOf(survey, branch.terminal)
  if (terminal !== undefined && terminal.final === null) {
    const message = `${name} ends at \`${branch.terminal}\`, which is not a final ${stage}`
    const hint = `make \`${branch.terminal}\` final, or end the branch at a ${stage} that is`
    return finding('FORK_INVALID', branch.origin, { message, hint })
  }
  const initial = stageOf(survey, branch.initial)
  const isOverAtOnce = initial !== undefined && initial.final !== null
  if (terminal === undefined || !isOverAtOnce || initial === terminal) return undefined
  const message = `${name} begins in \`${branch.initial}\`, which is final but not its end`
  const hint = `begin the branch in a ${stage} that leads to \`${branch.terminal}\``
  return finding('FORK_INVALID', branch.origin, { message, hint })
}

function twinBranch(branch: ForkBranch): Finding {
  const message = `two branches of one fork are named \`${branch.name}\``
  return finding('FORK_INVALID', branch.origin, { message, hint: 'rename one of them' })
}

function stuckBranch(survey: CheckContext, branch: ForkBranch): Finding {
  const message =
    `branch \`${branch.name}\` begins in \`${branch.initial}\`, ` +
    `from which \`${branch.terminal}\` can never be reached`
  const hint = `give a ${survey.words.stage} of the branch a route to \`${branch.terminal}\``
  return finding('FORK_INVALID', branch.origin, { message, hint })
}

function withDetours(survey: CheckContext, next: readonly (readonly number[])[]): GraphLinks {
  const targets = survey.machine.detours.flatMap((one) => survey.index.get(one.target) ?? [])
  const anyDetour = next.length
  const links = next.map((own, node) => {
    const isOpen = isOpenEnded(survey, survey.names[node] ?? null)
    return isOpen && targets.length > 0 ? [...own, anyDetour] : own
  })
  return [...links, targets]
}

function canReach(
  next: GraphLinks,
  from: number,
  to: number,
): { isReached: boolean; visits: number } {
  const seen = new Set([from])
  for (const node of seen) {
    if (node === to) return { isReached: true, visits: seen.size }
    for (const target of next[node] ?? []) seen.add(target)
  }
  return { isReached: false, visits: seen.size }
}

/** RETURN_OUTSIDE_DETOUR: a return on a stage where no detour ever leads. */
export function checkReturns(survey: CheckContext): readonly Finding[] {
  const returns = survey.edges.filter((edge) => edge.kind === 'return')
  if (returns.length === 0) return []
  const targets: number[] = []
  for (const { target } of survey.machine.detours) {
    const meant = survey.meant(target)
    // The return may belong to the detour whose target is misspelt; that is found already.
    if (meant === undefined) return []
    targets.push(survey.index.get(meant) ?? 0)
  }
  const next = withNamed(
    survey,
    linksOf(survey, (edge) => edge.kind !== 'fork'),
  )
  const isReached = reachableFrom(next, targets)
  const { stage, detour } = survey.words
  const found: Finding[] = []
  for (const edge of returns) {
    if (isReached[survey.index.get(edge.from ?? '') ?? -1]) continue
    const message = `\`${edge.from}\` returns on \`${edge.signal}\`, but no ${detour} leads there`
    const hint = `name the ${stage} to go to, or make an ${detour} lead to \`${edge.from}\``
    found.push(finding('RETURN_OUTSIDE_DETOUR', edge.targetOrigin, { message, hint }))
  }
  return found
}

// ── forks ───────────────────────────────────────────────────────────────────

type ForkMove = Extract<Move, { kind: 'fork' }>

function forksOf(survey: CheckContext): { readonly from: string; readonly move: ForkMove }[] {
  const forks: { readonly from: string; readonly move: ForkMove }[] = []
  for (const stage of Object.values(survey.machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const { move } of trigger.routes) {
        if (move.kind === 'fork') forks.push({ from: stage.name, move })
      }
    }
  }
  return forks
}

type PlacedBranch = {
  readonly from: string
  readonly branch: ForkBranch
  readonly isTwin: boolean
}

function branchesOf(survey: CheckContext): PlacedBranch[] {
  return forksOf(survey).flatMap(({ from, move }) => {
    const names = new Set<string>()
    return move.branches.map((branch) => {
      const isTwin = names.has(branch.name)
      names.add(branch.name)
      return { from, branch, isTwin }
    })
  })
}
