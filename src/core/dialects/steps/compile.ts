/**
 * A form that collects inputs step by step becomes a machine: a step is a stage with one
 * signal, its submit, which carries the step's inputs.
 */
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { Json, JsonObject } from '../../json.ts'
import { emptyRecord } from '../../json.ts'
import { guardsOfEnd } from '../../machine/choose-order.ts'
import type {
  BriefPart,
  Guard,
  Op,
  Route,
  RuleOrigins,
  Stage,
  StageOrigins,
  Trigger,
} from '../../machine/machine.ts'
import { compilePolicy } from '../../policy/compile-policy.ts'
import type { CompilerOutput } from '../compiler-output.ts'
import {
  budgetOf,
  isolationOf,
  openRule,
  originsOf,
  plainMachine,
  plainStage,
  plainTrigger,
  proofOf,
  runFields,
} from '../compiler-output.ts'
import { compileEvidenceGuard } from '../evidence-conditions.ts'
import { isInherited } from '../reserved-names.ts'
import { compileCondition } from './expression.ts'
import { compileInputs } from './inputs.ts'
import { compileSlot, readOpValue, scopePath } from './ops.ts'
import type { RouteConditionDefinition, StepsTask } from './schema.ts'

type Step = StepsTask['steps'][number]

type StepsOptions = {
  /** Where the task stands in its file. */
  readonly at: string
  /** Tools the host is known to have; null: not known. */
  readonly hostTools: readonly string[] | null
}

/** Compiles one task and remarks on what only this dialect can know. */
export function compileSteps(task: StepsTask, options: StepsOptions): CompilerOutput {
  const { at } = options
  const findings: Finding[] = []
  const submitTool = task.tool?.name ?? 'submit'
  const stages = emptyRecord<Stage>()
  for (const [index, step] of task.steps.entries()) {
    const origin = joinPointer(at, 'steps', index)
    findings.push(...checkId(step.id, origin, stages))
    if (stages[step.id] !== undefined) continue
    stages[step.id] = compileStep({ step, origin, submitTool, isFirst: index === 0 }, findings)
    findings.push(...checkTools(step, origin, { ...options, submitTool }))
  }
  const first = task.steps[0] as Step
  const variables = compileVariables(task, at, findings)
  const start = compileSlot(first.on?.start ?? [], joinPointer(at, 'steps', 0, 'on', 'start'), {
    slot: 'start',
    inputs: (first.inputs ?? []).map((input) => input.name),
    findings,
  })
  const { policy, paths } = task
  const machine = {
    ...plainMachine(task.id ?? submitTool, 'steps', first.id),
    starts: task.start ?? 'auto',
    vars: variables.vars,
    start: [...variables.ops, ...start],
    stages,
    ownTools: [submitTool],
    policy: policy === undefined ? null : compilePolicy(policy, joinPointer(at, 'policy')),
    paths: { read: paths?.read ?? [], write: paths?.write ?? [] },
    ...isolationOf(task.min_isolation),
    ...proofOf(task.approvals),
    limits: { microUsdMax: budgetOf(task.session_budget_usd), callsMax: null },
    meta: metaOf(task),
    origins: compileOrigins(task, at),
  } as const
  return { machine, findings }
}

function compileOrigins(task: StepsTask, at: string): RuleOrigins {
  const stages = emptyRecord<StageOrigins>()
  for (const [index, step] of task.steps.entries()) {
    const place = joinPointer(at, 'steps', index)
    stages[step.id] ??= originsOf(place, step, { allow: ['tools', 'allow'] })
  }
  return { run: originsOf(at, task, runFields), stages }
}

function metaOf(task: StepsTask): JsonObject {
  const meta: Record<string, Json> = {}
  if (task.config !== undefined) meta.config = task.config as JsonObject
  if (task.metadata !== undefined) meta.metadata = task.metadata as JsonObject
  if (task.tool?.description !== undefined) meta.description = task.tool.description
  return meta
}

function checkId(id: string, origin: string, stages: Readonly<Record<string, Stage>>): Finding[] {
  if (isInherited(id) || id.trim() === '') {
    const message = `\`${id}\` cannot be used as the id of a step`
    return [
      finding('RESERVED_NAME', joinPointer(origin, 'id'), { message, hint: 'choose another id' }),
    ]
  }
  if (stages[id] === undefined) return []
  const message = `two steps have the id \`${id}\``
  return [
    finding('DUPLICATE_STEP', joinPointer(origin, 'id'), {
      message,
      hint: 'give each step its own id',
    }),
  ]
}

function compileVariables(
  task: StepsTask,
  at: string,
  findings: Finding[],
): { readonly vars: JsonObject; readonly ops: readonly Op[] } {
  const vars = emptyRecord<Json>()
  const ops: Op[] = []
  for (const [index, variable] of (task.variables ?? []).entries()) {
    const origin = joinPointer(at, 'variables', index)
    const path = scopePath(variable.name, joinPointer(origin, 'name'), findings)
    const value = readOpValue(variable, origin, { findings })
    if (path === null || value === null) continue
    // A computed value, or one in another scope, is written when the run starts.
    if (value.kind === 'expr' || path[0] !== 'vars' || path.length > 2) {
      ops.push({ kind: 'set', path, value, if: null, origin })
    } else vars[path[1] as string] = value.value
  }
  return { vars, ops }
}

type StepToCompile = {
  readonly step: Step
  readonly origin: string
  readonly submitTool: string
  readonly isFirst: boolean
}

function compileStep(
  { step, origin, submitTool, isFirst }: StepToCompile,
  findings: Finding[],
): Stage {
  const fields = compileInputs(step.inputs ?? [], joinPointer(origin, 'inputs'), findings)
  const inputs = fields.map((field) => field.name)
  const slot = (name: 'enter' | 'presubmit' | 'submit'): Op[] =>
    compileSlot(step.on?.[name] ?? [], joinPointer(origin, 'on', name), {
      slot: name,
      inputs,
      findings,
    })
  const submit: Trigger = {
    ...plainTrigger(submitTool, origin),
    fields,
    prepare: slot('presubmit'),
    commit: slot('submit'),
    routes: compileNext(step, joinPointer(origin, 'next'), findings),
    otherwise: 'complete',
    canName: step.tools?.allowGoToStep ?? false,
  }
  const signals = emptyRecord<Trigger>()
  signals[submitTool] = submit
  findings.push(...checkStep(step, origin, submit), ...(isFirst ? [] : checkStart(step, origin)))
  const allow = step.tools?.allow ?? []
  return {
    ...plainStage(step.id, origin),
    brief: compileBrief(step, origin, findings),
    rule: {
      ...openRule,
      tools: { allow: allow.length === 0 ? 'all' : allow, deny: [], among: null },
    },
    signals,
    enter: slot('enter'),
    mustCall: step.tools?.call ?? false,
  }
}

function compileBrief(step: Step, origin: string, findings: Finding[]): BriefPart[] {
  const goal = { text: step.goal, if: null, isTemplate: false, origin: joinPointer(origin, 'goal') }
  const { instructions } = step
  const lines = typeof instructions === 'string' ? [instructions] : (instructions ?? [])
  const parts = lines.map((line, index): BriefPart => {
    const at = joinPointer(origin, 'instructions', index)
    if (typeof line === 'string') return { text: line, if: null, isTemplate: true, origin: at }
    const condition = compileCondition(line.if, joinPointer(at, 'if'), findings)
    return { text: line.text, if: condition, isTemplate: true, origin: at }
  })
  return [goal, ...parts]
}

function compileNext(step: Step, at: string, findings: Finding[]): Route[] {
  const names = new Set((step.inputs ?? []).map((input) => input.name))
  return (step.next ?? []).map((entry, index): Route => {
    const origin = joinPointer(at, index)
    if (typeof entry === 'string') {
      return {
        origin,
        guards: [],
        requires: [],
        gate: null,
        move: { kind: 'goto', stage: entry, origin },
      }
    }
    const requires = entry.requires ?? []
    for (const [i, name] of requires.entries()) {
      if (names.has(name)) continue
      const message = `this route requires \`${name}\`, which is not an input of the step`
      const hint = 'add the input, or remove it from `requires`'
      findings.push(
        finding('GUARD_UNSATISFIABLE', joinPointer(origin, 'requires', i), { message, hint }),
      )
    }
    return {
      origin,
      guards: compileRouteGuards(entry.if, joinPointer(origin, 'if'), findings),
      requires,
      gate: null,
      move: { kind: 'goto', stage: entry.id, origin: joinPointer(origin, 'id') },
    }
  })
}

type RouteConditions = RouteConditionDefinition | readonly RouteConditionDefinition[] | undefined

/** One guard for each condition: all of them have to hold. */
function compileRouteGuards(written: RouteConditions, at: string, findings: Finding[]): Guard[] {
  const isSeveral = Array.isArray(written)
  const conditions = (isSeveral ? written : [written]) as readonly RouteConditionDefinition[]
  return conditions.flatMap((one, index): Guard[] => {
    const origin = isSeveral ? joinPointer(at, index) : at
    if (typeof one === 'object' && 'evidence' in one) {
      return [compileEvidenceGuard(one, origin, findings)]
    }
    const expr = compileCondition(one, origin, findings)
    return expr === null ? [] : [{ kind: 'expr', expr, origin }]
  })
}

function checkStep(step: Step, origin: string, submit: Trigger): Finding[] {
  const findings: Finding[] = []
  const next = step.next ?? []
  if ((step.inputs ?? []).length === 0 && next.length > 0 && step.tools?.call !== true) {
    const message = `\`${step.id}\` collects nothing, so the agent has no reason to submit it`
    findings.push(
      finding('STEP_STALLS', origin, { message, hint: 'add `"tools": {"call": true}`' }),
    )
  }
  if (next.length > 0 && guardsOfEnd(submit) !== null) {
    const message = `when no condition holds, \`${step.id}\` completes the whole form`
    const hint = 'end `next` with an entry without `if`'
    const at = joinPointer(origin, 'next', next.length - 1)
    findings.push(finding('LAST_ROUTE_CONDITIONAL', at, { message, hint }))
  }
  return findings
}

/** Entering a later step is no start: its ops never run, but what is wrong in them is told. */
function checkStart(step: Step, origin: string): Finding[] {
  const actions = step.on?.start ?? []
  if (actions.length === 0) return []
  const findings: Finding[] = []
  const at = joinPointer(origin, 'on', 'start')
  const inputs = (step.inputs ?? []).map((input) => input.name)
  compileSlot(actions, at, { slot: 'start', inputs, findings })
  const message = '`on.start` runs for the first step only'
  const place = { pointer: at, atKey: true } as const
  return [...findings, finding('SLOT_IGNORED', place, { message, hint: 'use `on.enter`' })]
}

function checkTools(
  step: Step,
  origin: string,
  { hostTools, submitTool }: StepsOptions & { readonly submitTool: string },
): Finding[] {
  if (hostTools === null) return []
  const findings: Finding[] = []
  const note = (name: string, at: string): void => {
    if (name === submitTool || hostTools.includes(name)) return
    const known = hostTools.map((one) => `\`${one}\``).join(', ')
    const words = { message: `the host has no tool \`${name}\``, hint: `it has ${known}` }
    findings.push(finding('TOOL_UNKNOWN', at, words))
  }
  for (const [index, name] of (step.tools?.allow ?? []).entries()) {
    note(name, joinPointer(origin, 'tools', 'allow', index))
  }
  for (const slot of ['start', 'enter', 'submit'] as const) {
    for (const [index, action] of (step.on?.[slot] ?? []).entries()) {
      if (action.action === 'call')
        note(action.name, joinPointer(origin, 'on', slot, index, 'name'))
    }
  }
  return findings
}
