/**
 * Findings about what guards rely on: the agent's own word, or data that comes too late.
 * Knows guards and who writes variables. Must not evaluate expressions.
 */
import { compare } from '../expr/compare-values.ts'
import { type Finding, finding } from '../finding.ts'
import { own } from '../json.ts'
import { type CheckContext, isOpenEnded, stageOf } from './check-context.ts'
import { whyNever } from './check-guards.ts'
import { type GuardUse, guardUsesOf, writersOf } from './variable-writers.ts'

/** GUARD_UNSATISFIABLE, because its data comes too late, and GUARD_SELF_REPORTED. */
export function checkEvidence(survey: CheckContext): readonly Finding[] {
  const claimed = claimedUses(survey)
  const isFirst = isNeverEnteredAgain(survey)
  const tooEarly = claimed.filter((use) => {
    return isFirst && use.stage.name === survey.machine.initial && use.trigger.fields === null
  })
  const late = new Set(tooEarly)
  const reported = claimed.filter((use) => !late.has(use) && !isHarmless(survey, use))
  return [...timingFindings(survey, tooEarly), ...selfReportedFindings(survey, reported)]
}

/**
 * Uses of guards that only data sent by the agent can make true: the author's values do not pass,
 * and neither an op nor an observed result writes the field.
 */
function claimedUses(survey: CheckContext): readonly GuardUse[] {
  const { machine } = survey
  const writers = writersOf(machine)
  return guardUsesOf(machine).filter(({ guard }) => {
    if (guard.source === 'observed' || guard.source === 'given') return false
    if (writers.computed.has(guard.field) || writers.observed.has(guard.field)) return false
    if (whyNever(guard, writers) !== null) return false
    return !compare(guard.op, own(machine.vars, guard.field), guard.value)
  })
}

/** Whether the run stands in its first stage once only, with no data sent before. */
function isNeverEnteredAgain(survey: CheckContext): boolean {
  const { machine } = survey
  // A detour leads away and back, and what is sent meanwhile counts.
  if (machine.detours.some((detour) => detour.handler.length > 0)) return false
  return survey.edges.every((edge) => {
    if (edge.kind === 'named') return false
    return edge.to !== machine.initial || (edge.from !== null && !isOpenEnded(survey, edge.from))
  })
}

function timingFindings(survey: CheckContext, uses: readonly GuardUse[]): Finding[] {
  return uses.map(({ guard, stage, trigger, route }) => {
    const message =
      `guard \`${guard.name}\` cannot hold on \`${trigger.name}\`: ` +
      `\`${stage.name}\` comes first, and the data of an ${survey.words.signal} ` +
      'is merged after the move'
    const hint =
      `send \`${guard.field}\` with an earlier ${survey.words.signal}, ` +
      'put it in the definition, or start the run with it'
    return finding('GUARD_UNSATISFIABLE', route.origin, { message, hint })
  })
}

/** A person looks at the way, or it leads to no success: a false claim gains nothing there. */
function isHarmless(survey: CheckContext, use: GuardUse): boolean {
  const { gate, move } = use.route
  if (gate !== null) return true
  if (move.kind === 'end') return move.outcome !== 'completed'
  const target = move.kind === 'goto' ? stageOf(survey, move.stage) : undefined
  return target !== undefined && target.final !== null && target.final !== 'completed'
}

/** One finding per guard, at its definition, however often it is used. */
function selfReportedFindings(survey: CheckContext, uses: readonly GuardUse[]): Finding[] {
  const isTold = new Set<string>()
  const found: Finding[] = []
  const command = testCommandIn(survey)
  for (const { guard } of uses) {
    if (guard.source !== null || isTold.has(guard.origin)) continue
    isTold.add(guard.origin)
    const message =
      `guard \`${guard.name}\` relies on what the agent claims: ` +
      `only the data of an ${survey.words.signal} sets \`${guard.field}\``
    const evidence =
      command === null ? '' : `ask for evidence instead (\`"evidence": "${command}"\`), `
    const hint =
      `${evidence}require approval where a false claim would do harm, ` +
      'or accept it with `"source": "claimed"`'
    found.push(finding('GUARD_SELF_REPORTED', guard.origin, { message, hint }))
  }
  return found
}

/** A listed command that runs tests: Pawl can see how it ends, so that nobody has to claim it. */
function testCommandIn({ machine }: CheckContext): string | null {
  const entries = Object.values(machine.stages).flatMap(({ rule }) => rule.commands ?? [])
  return entries.find((entry) => /(?:^|[\s:/_-])(?:test|tests|pytest)\b/.test(entry)) ?? null
}
