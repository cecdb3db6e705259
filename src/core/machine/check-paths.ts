/**
 * Findings about where a run can go and whether it can end.
 * Knows the graph of stages. Must not know tools or values.
 */
import { type Finding, finding } from '../finding.ts'
import { type CheckContext, isOpenEnded, linksOf, stageOf, withNamed } from './check-context.ts'
import { cyclesOf, type Edge, reachableFrom, reverse } from './graph.ts'
import { quotedList } from './name-suggestions.ts'

/** STAGE_UNREACHABLE: no way leads there. */
export function checkReachable(survey: CheckContext): readonly Finding[] {
  const { machine, index, names, words } = survey
  const initial = index.get(survey.meant(machine.initial) ?? '')
  // Where the beginning is unknown, every stage would be unreachable, which helps nobody.
  if (initial === undefined) return []
  const targets = machine.detours.flatMap((one) => index.get(survey.meant(one.target) ?? '') ?? [])
  const seeds = isOpenEnded(survey, names[initial] ?? null) ? [initial, ...targets] : [initial]
  const isReached = reachableFrom(
    withNamed(
      survey,
      linksOf(survey, () => true),
    ),
    seeds,
  )
  return names.flatMap((name, node) => {
    const stage = stageOf(survey, name)
    if (isReached[node] || stage === undefined) return []
    const message = `\`${name}\` can never be reached from \`${machine.initial}\``
    const hint = `add a route to \`${name}\` from another ${words.stage}, or remove it`
    return [finding('STAGE_UNREACHABLE', stage.origin, { message, hint })]
  })
}

/** DEAD_END and NO_PATH_TO_FINAL: work that can never end. */
export function checkEnds(survey: CheckContext): readonly Finding[] {
  const ways = new Set(survey.edges.map((edge) => edge.from))
  const isDeadEnd = (name: string) => isOpenEnded(survey, name) && !ways.has(name)
  return [...deadEnds(survey, isDeadEnd), ...endless(survey, isDeadEnd)]
}

function deadEnds(survey: CheckContext, isDeadEnd: (name: string) => boolean): Finding[] {
  const { stage } = survey.words
  return survey.names.filter(isDeadEnd).map((name) => {
    const message = `there is no way out of \`${name}\`, and it is not a final ${stage}`
    const hint = `add a route from \`${name}\` to another ${stage}, or make it final`
    const origin = stageOf(survey, name)?.origin ?? ''
    return finding('DEAD_END', origin, { message, hint })
  })
}

/** One finding for stages that are stuck together: they have one cause. */
function endless(survey: CheckContext, isDeadEnd: (name: string) => boolean): Finding[] {
  const canEnd = canEndAt(survey)
  const isStuck = survey.names.map((name, node) => !canEnd[node] && !isDeadEnd(name))
  const next = linksOf(survey, (edge) => edge.kind !== 'fork')
  const back = reverse(next)
  const isTold = new Set<number>()
  const found: Finding[] = []
  for (const [node, name] of survey.names.entries()) {
    if (!isStuck[node] || isTold.has(node)) continue
    const group = new Set([node])
    for (const member of group) {
      for (const near of [...(next[member] ?? []), ...(back[member] ?? [])]) {
        if (isStuck[near]) group.add(near)
      }
    }
    for (const member of group) isTold.add(member)
    const members = [...group].map((member) => survey.names[member] ?? '')
    const message = `the end can never be reached from ${quotedList(members)}`
    const origin = stageOf(survey, name)?.origin ?? ''
    found.push(finding('NO_PATH_TO_FINAL', origin, { message, hint: survey.words.ending }))
  }
  return found
}

/**
 * For each stage, whether a run that stands there can end.
 * A branch ends a run of its own, so that a fork is no way to the end, only its join is.
 * A target that does not exist counts as an end: it is found already, and may be one.
 */
function canEndAt(survey: CheckContext): readonly boolean[] {
  const links = withNamed(
    survey,
    linksOf(survey, (edge) => edge.kind !== 'fork'),
  )
  const inHandler = new Set(survey.machine.detours.flatMap((one) => one.handler))
  const afterReturn = links.length
  const seeds: number[] = []
  const interrupted: number[] = []
  for (const [node, name] of survey.names.entries()) {
    if (!isOpenEnded(survey, name)) seeds.push(node)
    else if (!inHandler.has(name)) interrupted.push(node)
  }
  links.push(interrupted)
  for (const edge of survey.edges) {
    const node = survey.index.get(edge.from ?? '')
    if (node === undefined) continue
    if (edge.kind === 'end' || isDangling(survey, edge)) seeds.push(node)
    if (edge.kind !== 'return') continue
    // Outside of a detour it is an error of its own.
    if (inHandler.has(edge.from ?? '')) links[node]?.push(afterReturn)
    else seeds.push(node)
  }
  return reachableFrom(reverse(links), seeds)
}

function isDangling(survey: CheckContext, edge: Edge): boolean {
  return edge.to !== null && edge.kind !== 'fork' && survey.meant(edge.to) === undefined
}

/**
 * CYCLE_WITHOUT_LIMIT: rounds that nothing counts and no person interrupts.
 * WHY: only for work with tools of its own. A question asked again, or a form filled in again, is
 *      how a process and a form are meant to be written.
 * The limits of a stage do not help: entering it starts all its counts anew, also from itself.
 */
export function checkCycles(survey: CheckContext): readonly Finding[] {
  const { machine, names } = survey
  const { callsMax, microUsdMax } = machine.limits
  if (machine.dialect !== 'workflow' || callsMax !== null || microUsdMax !== null) return []
  const next = linksOf(survey, (edge) => !edge.hasGate)
  return cyclesOf(next).map((cycle) => {
    const members = [...cycle].sort((a, b) => a - b).map((node) => names[node] ?? '')
    const circle = members.length > 1 ? 'lead to each other in a circle' : 'leads to itself'
    const message = `${quotedList(members)} ${circle}, and nothing limits the rounds`
    const hint =
      'limit the calls of the whole run with `meta.calls_max`, or require approval in each round'
    const origin = stageOf(survey, members[0] ?? '')?.origin ?? ''
    return finding('CYCLE_WITHOUT_LIMIT', origin, { message, hint })
  })
}
