/**
 * The rules that apply to a run in its current stage, as data: what the stage allows, and what is
 * left of every limit. Only reads: the guard judges calls by the same fields.
 */

import { hasEnded, isFreed } from '../engine/is-running.ts'
import type { FamilyContext, RunState } from '../engine/types.ts'
import { own } from '../json.ts'
import { layersOf } from '../judge/policy-layers.ts'
import { touchedFiles } from '../judge/rule-on-counts.ts'
import type { IsolationLevel } from '../machine/isolation-levels.ts'
import { isolationLevels } from '../machine/isolation-levels.ts'
import type { Machine, MailRule, PathRule, PolicyRule, Stage } from '../machine/machine.ts'
import { meterOf } from '../policy/limits.ts'
import { callsWithin, type LimitMeter, spentIn } from '../policy/meters.ts'
import { openRule } from './compiler-output.ts'

export type RuleSummary = {
  /** Tools that may be used. */
  readonly tools: 'all' | readonly string[]
  readonly toolsDenied: readonly string[]
  /** The list speaks only of tools whose name begins so; null: of every tool. */
  readonly toolsAmong: readonly string[] | null
  /** Commands that may be run; null: any. */
  readonly commands: readonly string[] | null
  /** The tool whose commands are meant. */
  readonly commandTool: string
  /** Programs that may not be started. */
  readonly programsDenied: readonly string[]
  readonly envBlocked: readonly string[]
  /** Names of the variables that are set for commands. WHY no values: they may be secrets. */
  readonly envSet: readonly string[]
  readonly editLinesMax: number | null
  /** Patterns of the files that may be changed; null: any. */
  readonly filesWritable: readonly string[] | null
  /** Files that may be changed in this stage, and those that were; null: any number. */
  readonly files: { readonly max: number; readonly changed: readonly string[] } | null
  /** Calls of this stage, and of the whole run or a run above it; null: any number. */
  readonly calls: Remaining | null
  readonly runCalls: Remaining | null
  /** Bytes of results that this stage takes; null: any number. */
  readonly bytes: Remaining | null
  /** What file tools may reach beside the workspace; null: they are not held to it. */
  readonly paths: PathRule | null
  readonly mail: MailRule | null
  /** Jobs have to be held at least so strongly; null: no rule says so. */
  readonly minIsolation: IsolationLevel | null
  readonly budgets: readonly BudgetLeft[]
  readonly rates: readonly RateLeft[]
}

export type Remaining = { readonly left: number; readonly max: number }

export type BudgetLeft = {
  /** The name of a definition, or the capability that a policy limits (`model:*`). */
  readonly of: string
  readonly period: 'run' | 'hourly' | 'daily' | 'monthly'
  readonly spentMicroUsd: number
  readonly maxMicroUsd: number
}

/** Calls that a policy allows within a window of time. */
type RateLeft = Remaining & { readonly capability: string; readonly windowMs: number }

type RulesContext = {
  readonly machine: Machine
  readonly around: FamilyContext
  readonly at: number
}

/** The rules of the stage in which a run is, and of the runs and policies above it. */
export function summarizeRules(context: RulesContext, state: RunState): RuleSummary {
  const { machine } = context
  const stage = own(machine.stages, state.stage) as Stage
  const isOver = hasEnded(state) || state.pause?.release === true
  const rule = isOver ? openRule : stage.rule
  const { allow, deny, among } = rule.tools
  return {
    tools: toolsOf(context, state, rule.tools),
    toolsDenied: deny,
    toolsAmong: among,
    commands: rule.commands,
    commandTool: rule.commandTool,
    programsDenied: rule.programsDenied ?? [],
    envBlocked: rule.envBlocked,
    envSet: Object.keys(rule.envSet),
    editLinesMax: rule.editLinesMax,
    filesWritable: rule.filesWritable ?? null,
    files: rule.filesMax === null ? null : { max: rule.filesMax, changed: touchedFiles(state) },
    calls: remaining(rule.callsMax, state.counts.calls),
    runCalls: isOver ? null : runCallsOf(context, state),
    bytes: remaining(rule.bytesMax, state.counts.bytes),
    paths: allow === 'all' ? null : machine.paths,
    mail: machine.mail,
    minIsolation: minIsolationOf(context),
    budgets: [...runBudgets(context, state), ...policyBudgets(context)],
    rates: policyRates(context),
  }
}

type Tools = Stage['rule']['tools']

function toolsOf({ machine }: RulesContext, state: RunState, tools: Tools): RuleSummary['tools'] {
  if (state.branch?.terminal === state.stage) return []
  if (hasEnded(state)) return isFreed(machine, state) ? 'all' : []
  const { allow, deny } = tools
  return allow === 'all' ? allow : allow.filter((name) => !deny.includes(name))
}

function remaining(max: number | null, used: number): Remaining | null {
  return max === null ? null : { left: Math.max(0, max - used), max }
}

/**
 * The run with all below it, then the runs above it. Of runs of one machine (a branch and its
 * parent) only the highest: it has used the most of the same limits.
 */
function usedOf({ machine, around }: RulesContext, state: RunState): FamilyContext['above'] {
  const { above, below } = around
  const callsCount = state.callsCount + below.callsCount
  const costMicroUsd = state.costMicroUsd + below.costMicroUsd
  const runs = [{ machine, callsCount, costMicroUsd }, ...above]
  return runs.filter(
    (run, index) => !runs.slice(index + 1).some((one) => one.machine.hash === run.machine.hash),
  )
}

/** The limit that is reached first: a child uses up what its parents may use. */
function runCallsOf(context: RulesContext, state: RunState): Remaining | null {
  const limits = usedOf(context, state).flatMap(
    (run) => remaining(run.machine.limits.callsMax, run.callsCount) ?? [],
  )
  return limits.toSorted((a, b) => a.left - b.left)[0] ?? null
}

function runBudgets(context: RulesContext, state: RunState): readonly BudgetLeft[] {
  return usedOf(context, state).flatMap(({ machine, costMicroUsd }) => {
    const max = machine.limits.microUsdMax
    if (max === null) return []
    return [{ of: machine.name, period: 'run', spentMicroUsd: costMicroUsd, maxMicroUsd: max }]
  })
}

function policyBudgets(context: RulesContext): readonly BudgetLeft[] {
  return meteredRules(context).flatMap(({ rule, meter }) => {
    const { capability, budget } = rule
    if (budget === null) return []
    const { period, microUsdMax: maxMicroUsd } = budget
    const spentMicroUsd = spentIn(meter, period, context.at)
    return [{ of: capability, period, spentMicroUsd, maxMicroUsd }]
  })
}

function policyRates(context: RulesContext): readonly RateLeft[] {
  return meteredRules(context).flatMap(({ rule, meter }) => {
    const { capability, rate } = rule
    if (rate === null) return []
    const { callsMax: max, windowMs } = rate
    const left = Math.max(0, max - callsWithin(meter, windowMs, context.at))
    return [{ capability, windowMs, left, max }]
  })
}

type Metered = { readonly rule: PolicyRule; readonly meter: LimitMeter | undefined }

function meteredRules(context: RulesContext): readonly Metered[] {
  const { meters } = context.around
  return layersOf(context).flatMap(({ owner, policy }) =>
    (['ask', 'allow'] as const).flatMap((tier) =>
      policy[tier]
        .filter(({ rate, budget }) => rate !== null || budget !== null)
        .map((rule) => {
          const name = meterOf(owner, tier, rule.capability)
          return { rule, meter: meters === null ? undefined : own(meters, name) }
        }),
    ),
  )
}

function minIsolationOf(context: RulesContext): IsolationLevel | null {
  const { machine, around } = context
  const machines = [machine, ...around.above.map((run) => run.machine)]
  const policies = layersOf(context).map(({ policy }) => policy)
  const levels = [...machines, ...policies].flatMap(({ minIsolation }) => minIsolation ?? [])
  return isolationLevels.find((level) => levels.includes(level)) ?? null
}
