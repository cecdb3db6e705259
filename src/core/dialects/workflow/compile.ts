/**
 * Phases with their own tools become a machine: a state is a stage, an event a signal.
 */
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { emptyRecord, own } from '../../json.ts'
import { detourRegionFinder } from '../../machine/detour-region.ts'
import type {
  Detour,
  RuleOrigins,
  Stage,
  StageOrigins,
  StageRule,
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
import { checkNames } from '../reserved-names.ts'
import { checkTexts, checkTools } from './check-texts.ts'
import { compileGuards, type WorkflowGuards } from './guards.ts'
import type { WorkflowDefinition } from './schema.ts'
import { compileTransition } from './transition.ts'

type State = WorkflowDefinition['states'][string]

/** Events that belong to Pawl: reports of branches, and detours that no agent may begin. */
export const reservedEvents = ['BRANCH_DONE:', 'INTERRUPT:'] as const

/** Interrupts of one workflow: each of them knows every state that handles it. */
const interruptsMax = 200

/** Compiles a workflow and remarks on what only this dialect can know. */
export function compileWorkflow(
  definition: WorkflowDefinition,
  hostTools: readonly string[] | null,
): CompilerOutput {
  const findings: Finding[] = checkNames(Object.keys(definition.states), '/states', ['$return'])
  const guards = compileGuards(definition.guards ?? {}, findings)
  const stages = emptyRecord<Stage>()
  for (const [name, state] of Object.entries(definition.states)) {
    stages[name] = compileState({ name, state, definition }, guards, findings)
  }
  findings.push(
    ...guards.unused(),
    ...checkWhole(definition, stages),
    ...checkTexts(definition),
    ...checkTools(definition, hostTools),
  )
  const { meta, policy, paths } = definition
  const machine = {
    ...plainMachine(definition.id, 'workflow', definition.initial),
    vars: (definition.context ?? {}) as JsonObject,
    stages,
    detours: compileDetours(definition, stages),
    policy: policy === undefined ? null : compilePolicy(policy, '/policy'),
    paths: { read: paths?.read ?? [], write: paths?.write ?? [] },
    ...isolationOf(definition.min_isolation),
    ...proofOf(definition.approvals),
    limits: {
      microUsdMax: budgetOf(definition.session_budget_usd),
      callsMax: meta?.calls_max ?? null,
    },
    hasDebug: meta?.debug === true,
    holdsAtEnd: meta?.after_end === 'hold',
    danger: meta?.danger_level ?? 'safe',
    meta: (meta ?? {}) as JsonObject,
    origins: compileOrigins(definition),
  }
  return { machine, findings }
}

const stageFields = {
  allow: ['allowed_tools'],
  deny: ['disallowed_tools'],
  commands: ['allowed_commands'],
  callsMax: ['max_iterations'],
  editLinesMax: ['max_edit_lines'],
  filesMax: ['max_files_per_state'],
  bytesMax: ['context_budget_bytes'],
  filesWritable: ['writable_files'],
  programs: ['programs'],
} as const

/** Rules on variables have two spellings; of an empty list nothing can come. */
function variableFields({ blocked_env: blocked, env_overrides: overrides }: State) {
  const isBlocked = (blocked ?? []).length > 0
  const isOverridden = Object.keys(overrides ?? {}).length > 0
  return {
    envBlocked: [isBlocked ? 'blocked_env' : 'deny_env'],
    envSet: [isOverridden ? 'env_overrides' : 'env'],
  }
}

function compileOrigins(definition: WorkflowDefinition): RuleOrigins {
  const stages = emptyRecord<StageOrigins>()
  for (const [name, state] of Object.entries(definition.states)) {
    const at = joinPointer('/states', name)
    stages[name] = originsOf(at, state, { ...stageFields, ...variableFields(state) })
  }
  const fields = { ...runFields, callsMax: ['meta', 'calls_max'] }
  return { run: originsOf('', definition, fields), stages }
}

type NamedState = {
  readonly name: string
  readonly state: State
  readonly definition: WorkflowDefinition
}

function compileState(named: NamedState, guards: WorkflowGuards, findings: Finding[]): Stage {
  const { name, state, definition } = named
  const origin = joinPointer('/states', name)
  const signals = emptyRecord<Trigger>()
  const events = Object.entries(state.on ?? {})
  findings.push(
    ...checkNames(Object.keys(state.on ?? {}), joinPointer(origin, 'on'), reservedEvents),
  )
  const isAdvisory = definition.meta?.approval_mode === 'none'
  for (const [event, transition] of events) {
    const at = joinPointer(origin, 'on', event)
    const routes = compileTransition({ transition, at, guards, isAdvisory, findings })
    signals[event] = { ...plainTrigger(event, at), routes }
  }
  const isFinal = state.type === 'final'
  if (isFinal && events.length > 0) findings.push(ignoredEvents(name, origin))
  const instructions = state.instructions ?? ''
  const { safe_next: safeNext } = state
  const fallbackAt = joinPointer(origin, 'safe_next')
  return {
    ...plainStage(name, origin),
    brief:
      instructions === ''
        ? []
        : [
            {
              text: instructions,
              if: null,
              isTemplate: false,
              origin: joinPointer(origin, 'instructions'),
            },
          ],
    final: isFinal ? (state.outcome ?? outcomeByName(name, definition)) : null,
    rule: compileRule(state),
    signals: isFinal ? emptyRecord<Trigger>() : signals,
    fallback:
      safeNext === undefined
        ? null
        : { stage: safeNext, except: reservedEvents, origin: fallbackAt },
    model: state.model ?? (definition.meta?.default_model as string | undefined) ?? null,
    thinking: state.thinking_level ?? null,
  }
}

/** WHY the name: this is how authors of the dialect say it. */
function outcomeByName(name: string, { meta }: WorkflowDefinition): 'completed' | 'failed' {
  const isFailure = name === 'failed' || (meta?.failure_states ?? []).includes(name)
  return isFailure ? 'failed' : 'completed'
}

function ignoredEvents(name: string, origin: string): Finding {
  return finding(
    'NEXT_IGNORED',
    { pointer: joinPointer(origin, 'on'), atKey: true },
    {
      message: `\`${name}\` is final, so its transitions are never taken`,
      hint: 'remove `on`, or remove `"type": "final"`',
    },
  )
}

function compileRule(state: State): StageRule {
  return {
    ...openRule,
    tools: { allow: state.allowed_tools ?? 'all', deny: state.disallowed_tools ?? [], among: null },
    commands: state.allowed_commands ?? null,
    commandTool: state.allowed_commands_tool ?? 'Bash',
    envBlocked: [...(state.blocked_env ?? []), ...(state.deny_env ?? [])],
    envSet: Object.assign(emptyRecord<string>(), state.env, state.env_overrides),
    callsMax: state.max_iterations ?? null,
    editLinesMax: state.max_edit_lines ?? null,
    filesMax: state.max_files_per_state ?? null,
    bytesMax: state.context_budget_bytes ?? null,
    ...(state.writable_files === undefined ? {} : { filesWritable: state.writable_files }),
    ...(state.files === undefined ? {} : { files: state.files }),
    ...(state.paths === undefined ? {} : { writeFolders: state.paths.write }),
    ...(state.programs === undefined ? {} : { programsDenied: state.programs.deny }),
  }
}

function compileDetours(
  definition: WorkflowDefinition,
  stages: Readonly<Record<string, Stage>>,
): Detour[] {
  const handlerOf = detourRegionFinder(stages)
  const interrupts = Object.entries(definition.interrupts ?? {}).slice(0, interruptsMax)
  return interrupts.map(([name, interrupt]) => ({
    name,
    pattern: interrupt.trigger.file_pattern,
    target: interrupt.target,
    handler: handlerOf(interrupt.target),
    origin: joinPointer('/interrupts', name),
  }))
}

/** Remarks about the document as a whole. */
function checkWhole(
  definition: WorkflowDefinition,
  stages: Readonly<Record<string, Stage>>,
): Finding[] {
  const findings: Finding[] = checkNames(
    Object.keys(definition.interrupts ?? {}),
    '/interrupts',
    [],
  )
  const count = Object.keys(definition.interrupts ?? {}).length
  if (count > interruptsMax) {
    const message = `there are ${count} interrupts; the limit is ${interruptsMax}`
    const hint = 'use one pattern for several files, e.g. `docs/**`'
    findings.push(finding('SIZE_EXCEEDED', '/interrupts', { message, hint }))
  }
  if (!Object.values(stages).some((stage) => stage.final !== null)) {
    const message = 'no state is final, so a run could never end'
    findings.push(
      finding(
        'NO_FINAL',
        { pointer: '/states', atKey: true },
        { message, hint: 'give one state `"type": "final"`' },
      ),
    )
  }
  if (definition.meta?.debug === true) {
    const message = 'debug lets a person force the run into any state, past guards and gates'
    findings.push(
      finding('DEBUG_ENABLED', '/meta/debug', { message, hint: 'remove it before real work' }),
    )
  }
  findings.push(...checkFailureStates(definition, stages))
  if (definition.meta?.requires_human_approval === true && !hasGate(stages)) {
    const message = '`requires_human_approval` is set, but no transition requires approval'
    const hint = 'add `"requires_approval": true` to the transition that a person must approve'
    findings.push(finding('ESCALATION_UNGATED', '/meta/requires_human_approval', { message, hint }))
  }
  return findings
}

/** WHY errors: a failure that is misspelt would count as a success. */
function checkFailureStates(
  { meta, states }: WorkflowDefinition,
  stages: Readonly<Record<string, Stage>>,
): Finding[] {
  return (meta?.failure_states ?? []).flatMap((name, index) => {
    const at = joinPointer('/meta/failure_states', index)
    const stage = own(stages, name)
    if (stage === undefined) {
      const finals = Object.values(stages).filter((one) => one.final !== null)
      const names = finals.map((one) => `\`${one.name}\``).join(', ')
      const message = `\`failure_states\` names \`${name}\`, but no state has that name`
      return [finding('TARGET_UNKNOWN', at, { message, hint: `the final states are ${names}` })]
    }
    if (stage.final === null) {
      const message = `\`${name}\` is not final, so no run ends there`
      const hint = 'give it `"type": "final"`, or remove it from the list'
      return [finding('NEXT_IGNORED', at, { message, hint })]
    }
    if (own(states, name)?.outcome !== 'completed') return []
    const message = `\`${name}\` is listed as a failure, but its \`outcome\` is \`completed\``
    return [finding('VALUE_CONFLICT', at, { message, hint: 'remove one of them' })]
  })
}

function hasGate(stages: Readonly<Record<string, Stage>>): boolean {
  return Object.values(stages).some((stage) =>
    Object.values(stage.signals).some((trigger) =>
      trigger.routes.some((route) => route.gate !== null),
    ),
  )
}
