/**
 * ORDER_NEVER_HOLDS: prerequisites of policy rules that no run can ever meet.
 * Knows the rules of one policy and the stages of its machine. Must not know calls.
 */
import type { EvidenceRequirement } from '../evidence/requirement.ts'
import { type Finding, finding } from '../finding.ts'
import { mayRunCommand } from '../shell/may-run-command.ts'
import { readShell } from '../shell/read-shell.ts'
import type { CheckContext } from './check-context.ts'
import { canRun } from './check-evidence-commands.ts'
import type { Policy, PolicyRule } from './machine.ts'
import type { AfterRule } from './order-rule.ts'

type OrderedRule = PolicyRule & { readonly after: readonly AfterRule[] }

/** Rules that are compared with each other for cycles. */
const rulesMax = 500

export function checkOrderRules(survey: CheckContext): readonly Finding[] {
  const { policy } = survey.machine
  if (policy === null) return []
  const rules = [...policy.ask, ...policy.allow].filter(hasPrerequisite).map((rule) => {
    return { ...rule, after: rule.after.filter((one) => isOfThisRun(survey, one)) }
  })
  const impossible = rules.flatMap(({ after }) =>
    after.flatMap((one) =>
      'evidence' in one ? evidenceFindings(survey, one) : deniedFindings(policy, one),
    ),
  )
  return [...impossible, ...cycleFindings(rules.slice(0, rulesMax))]
}

/** What a session needs, it may have done in a run of another definition. */
function isOfThisRun({ names }: CheckContext, { scope }: AfterRule): boolean {
  return scope !== 'session' || names.length === 0
}

function hasPrerequisite(rule: PolicyRule): rule is OrderedRule {
  return rule.after !== undefined
}

// ── one prerequisite by itself ──────────────────────────────────────────────

type AfterEvidence = Extract<AfterRule, { evidence: unknown }>
type AfterCall = Exclude<AfterRule, AfterEvidence>

function evidenceFindings(survey: CheckContext, { evidence, origin }: AfterEvidence): Finding[] {
  const { command, subject, grade } = evidence
  if (subject === null) {
    const reading = readShell(command)
    const isCommand = reading.ok && reading.single !== null
    const what = isCommand ? 'its folder is not in the workspace' : 'it is not one simple command'
    const message = `nothing can prove \`${command}\`: ${what}`
    const hint = isCommand
      ? 'write the folder relative to the workspace, such as `packages/api`'
      : 'name one command without `&&`, `||`, `;`, pipes, redirections or variables'
    return [finding('ORDER_NEVER_HOLDS', origin, { message, hint })]
  }
  // A policy that stands by itself has no stages, and may apply to any definition.
  if (grade === 'claimed' || survey.names.length === 0) return []
  if (survey.names.some((name) => canRun(survey, name, evidence))) return []
  const { stage } = survey.words
  const message = `no ${stage} allows \`${command}\`, so this rule can never be met`
  const hint = `allow \`${command}\` in a ${stage}, with a tool that runs commands`
  return [finding('ORDER_NEVER_HOLDS', origin, { message, hint })]
}

function deniedFindings({ deny }: Policy, { capability, origin }: AfterCall): Finding[] {
  const by = deny.find((rule) => covers(rule.capability, capability))
  if (by === undefined) return []
  const message = `\`${capability}\` can never be called first: \`deny\` has \`${by.capability}\``
  const hint = 'require another call, or narrow the rule in `deny`'
  return [finding('ORDER_NEVER_HOLDS', origin, { message, hint })]
}

/** Whether a pattern matches whatever the other one does. */
function covers(pattern: string, capability: string): boolean {
  if (!pattern.endsWith('*')) return pattern === capability
  return capability.startsWith(pattern.slice(0, -1))
}

// ── rules that need each other ──────────────────────────────────────────────

/** One finding per cycle, at the prerequisite of its first rule. */
function cycleFindings(rules: readonly OrderedRule[]): Finding[] {
  const done = new Set<OrderedRule>()
  return rules.flatMap((rule) => {
    const cycle = findCycle(rules, rule, { path: [], done })
    const [first] = cycle ?? []
    if (cycle === null || first === undefined) return []
    const steps = cycle.map(({ rule: one, after }) => {
      return `\`${one.capability}\` needs ${prerequisiteText(after)}`
    })
    const message =
      `these rules need each other, so none of their calls can ever be made: ` +
      `${steps.join(', which is under the same rules: ')}`
    const hint =
      'drop one prerequisite, or say with `when` which calls it is for, such as ' +
      '`when: { commands: [git push] }`'
    return [finding('ORDER_NEVER_HOLDS', first.after.origin, { message, hint })]
  })
}

type Step = { readonly rule: OrderedRule; readonly after: AfterRule }
type Search = { readonly path: readonly Step[]; readonly done: Set<OrderedRule> }

/** The first way from a rule back to itself or to one on the way; null: there is none. */
function findCycle(
  rules: readonly OrderedRule[],
  rule: OrderedRule,
  { path, done }: Search,
): readonly Step[] | null {
  const start = path.findIndex((step) => step.rule === rule)
  if (start >= 0) return path.slice(start)
  if (done.has(rule)) return null
  done.add(rule)
  for (const after of rule.after) {
    for (const next of rules) {
      if (!appliesTo(next, after)) continue
      const found = findCycle(rules, next, { path: [...path, { rule, after }], done })
      if (found !== null) return found
    }
  }
  return null
}

/** Whether every call that meets a prerequisite is itself under a rule. */
function appliesTo({ capability, when }: OrderedRule, after: AfterRule): boolean {
  // What is claimed needs no command.
  if ('evidence' in after && after.evidence.grade === 'claimed') return false
  const wanted = 'evidence' in after ? 'bash' : after.capability
  if (!covers(capability, wanted)) return false
  if (when === undefined) return true
  if (!('evidence' in after) || when.input !== undefined) return false
  return isNamed(after.evidence, when.commands ?? [])
}

function isNamed({ command }: EvidenceRequirement, commands: readonly string[]): boolean {
  return mayRunCommand(readShell(command), commands)
}

function prerequisiteText(after: AfterRule): string {
  return 'evidence' in after ? `\`${after.evidence.command}\`` : `\`${after.capability}\``
}
