/**
 * Findings about evidence that can never be there: no stage lets its command run, or two
 * requirements of one route exclude each other.
 * Knows evidence guards and command lists. Must not know how evidence is recorded.
 */
import { isSameSubject } from '../evidence/recorded-evidence.ts'
import type { EvidenceRequirement } from '../evidence/requirement.ts'
import { type Finding, finding } from '../finding.ts'
import { readShell } from '../shell/read-shell.ts'
import { ruleOnCommands } from '../shell/rule-on-commands.ts'
import { type CheckContext, linksOf, withNamed } from './check-context.ts'
import { reachableFrom, reverse } from './graph.ts'
import type { Guard, Route, Stage, StageRule, Trigger } from './machine.ts'
import { quotedList } from './name-suggestions.ts'
import { shortestTrace } from './prove-claim.ts'
import { powerOf, powers } from './tool-power.ts'
import { traceText } from './trace-text.ts'

type EvidenceGuard = Extract<Guard, { kind: 'evidence' }>
type EvidenceUse = {
  readonly guard: EvidenceGuard
  readonly stage: Stage
  readonly trigger: Trigger
  readonly route: Route
}

/** GUARD_UNSATISFIABLE: evidence that nothing can produce, or that excludes other evidence. */
export function checkEvidenceCommands(survey: CheckContext): readonly Finding[] {
  const uses = evidenceUses(survey)
  return [...impossibleFindings(survey, uses), ...contradictions(survey, uses)]
}

function evidenceUses({ machine }: CheckContext): readonly EvidenceUse[] {
  return Object.values(machine.stages).flatMap((stage) =>
    Object.values(stage.signals).flatMap((trigger) =>
      trigger.routes.flatMap((route) =>
        route.guards.flatMap((guard) =>
          guard.kind === 'evidence' ? [{ guard, stage, trigger, route }] : [],
        ),
      ),
    ),
  )
}

/** One finding per guard and stage in which nothing before it can run the command. */
function impossibleFindings(survey: CheckContext, uses: readonly EvidenceUse[]): Finding[] {
  if (uses.length === 0) return []
  const isAhead = stagesAhead(survey)
  return uses.flatMap((use) => {
    const { guard, stage, trigger, route } = use
    const { requirement } = guard
    // What is claimed needs no command, and what is not one command has its own finding.
    if (requirement.grade === 'claimed' || requirement.subject === null) return []
    const before = isAhead(stage.name)
    if (before.some((name) => canRun(survey, name, requirement))) return []
    const message =
      `guard \`${guard.name}\` can never hold on \`${trigger.name}\`: \`${requirement.command}\` ` +
      `may not run in ${quotedList(before)}${traceTo(survey, stage.name)}`
    const hint =
      `allow \`${requirement.command}\` in \`${stage.name}\` or in a ${survey.words.stage} ` +
      'before it, with a tool that runs commands'
    return [finding('GUARD_UNSATISFIABLE', route.origin, { message, hint })]
  })
}

function traceTo({ machine }: CheckContext, stage: string): string {
  const path = shortestTrace(machine, stage)
  return path === null || path.length === 0 ? '' : ` (${traceText(machine.initial, path)})`
}

/** For a stage, those that a run can have been in when it stands there. */
function stagesAhead(survey: CheckContext): (stage: string) => readonly string[] {
  const back = reverse(
    withNamed(
      survey,
      linksOf(survey, () => true),
    ),
  )
  // An interrupt begins anywhere and returns: whatever can run there can have run before.
  const detours = survey.machine.detours.flatMap(({ target, handler }) => [target, ...handler])
  const known = new Map<string, readonly string[]>()
  return (stage) => {
    const found = known.get(stage)
    if (found !== undefined) return found
    const isReached = reachableFrom(back, [survey.index.get(stage) ?? -1])
    const names = survey.names.filter((name, node) => isReached[node] || detours.includes(name))
    known.set(stage, names)
    return names
  }
}

/**
 * Programs of which some commands may run wherever files may be read, whatever the list says.
 * Evidence about them is never called impossible.
 */
const readers: ReadonlySet<string> = new Set(
  'git ls cat head tail wc grep rg find sed sort uniq diff cmp stat file du tree'.split(' '),
)

/** Whether a stage may let the command run; true where that is not certain. */
export function canRun(
  survey: CheckContext,
  name: string,
  requirement: EvidenceRequirement,
): boolean {
  const rule = survey.machine.stages[name]?.rule
  if (rule === undefined || survey.machine.stages[name]?.final !== null) return false
  if (!hasShell(rule)) return false
  if (rule.commands === null || readers.has(requirement.subject?.words[0] ?? '')) return true
  return ruleOnCommands(readShell(requirement.command), rule.commands) === null
}

/** A tool that runs commands, or one whose powers nobody knows. */
function hasShell({ tools }: StageRule): boolean {
  if (tools.allow === 'all' || tools.among !== null) return true
  return tools.allow.some((tool) => {
    const isPawl = tool.startsWith('mcp__pawl__') || tool.startsWith('process_')
    return !tools.deny.includes(tool) && (isPawl || powerOf(tool) >= powers.execute)
  })
}

/** Two requirements on one route about the same command that no single end of it meets. */
function contradictions(survey: CheckContext, uses: readonly EvidenceUse[]): Finding[] {
  const found: Finding[] = []
  for (const [at, { guard, stage, trigger, route }] of uses.entries()) {
    const other = uses.slice(at + 1).find((one) => {
      return one.route === route && excludes(guard.requirement, one.guard.requirement)
    })
    if (other === undefined) continue
    const message =
      `guards \`${guard.name}\` and \`${other.guard.name}\` exclude each other on ` +
      `\`${trigger.name}\`: the last \`${guard.requirement.command}\` cannot have ended in both ` +
      `ways${traceTo(survey, stage.name)}`
    const hint = `ask for one of them on an earlier ${survey.words.signal}`
    found.push(finding('GUARD_UNSATISFIABLE', route.origin, { message, hint }))
  }
  return found
}

/** WHY: of each command and grade only the last end counts. */
function excludes(a: EvidenceRequirement, b: EvidenceRequirement): boolean {
  if (a.subject === null || b.subject === null || a.grade !== b.grade) return false
  if (!isSameSubject(a.subject, b.subject) || a.exit === b.exit) return false
  const isEither = (one: EvidenceRequirement, other: EvidenceRequirement): boolean =>
    one.exit === 'nonzero' && other.exit !== 0
  return !isEither(a, b) && !isEither(b, a)
}
