/**
 * A checklist of questions becomes a machine: a state is a stage, an answer a signal.
 */
import type { Finding } from '../../finding.ts'
import { finding, joinPointer } from '../../finding.ts'
import { emptyRecord } from '../../json.ts'
import type {
  Gate,
  Machine,
  Move,
  RuleOrigins,
  Stage,
  StageOrigins,
  ToolRule,
  Trigger,
} from '../../machine/machine.ts'
import { approvalRulesOf } from '../../machine/quorum.ts'
import { compilePolicy } from '../../policy/compile-policy.ts'
import { answerTool } from '../../tools/pawl-tool-names.ts'
import type { CompilerOutput } from '../compiler-output.ts'
import {
  budgetOf,
  everyTool,
  isolationOf,
  openRule,
  originsOf,
  plainMachine,
  plainStage,
  plainTrigger,
  proofOf,
  runFields,
} from '../compiler-output.ts'
import { compileConditions } from '../evidence-conditions.ts'
import { checkNames } from '../reserved-names.ts'
import type { ProcessDefinition } from './schema.ts'

type State = ProcessDefinition['states'][string]
type Answer = NonNullable<State['answers']>[string]

/** What the process endpoint offers; the tools of the host are the policy's business. */
const endpointFamilies = ['memory_', 'task_'] as const

/** Compiles a process and remarks on what only this dialect can know. */
export function compileProcess(definition: ProcessDefinition): CompilerOutput {
  const findings: Finding[] = [...checkName(definition.name), ...checkTools(definition)]
  findings.push(...checkNames(Object.keys(definition.states), '/states', []))
  const stages = emptyRecord<Stage>()
  const tools = compileTools(definition)
  for (const [name, state] of Object.entries(definition.states)) {
    stages[name] = compileState({ name, state, tools }, findings)
  }
  const { policy, email_config: mail, session_budget_usd: budget, paths } = definition
  const machine = {
    ...plainMachine(definition.name, 'process', definition.initial),
    stages,
    prompt: definition.initial_prompt ?? '',
    policy: policy === undefined ? null : compilePolicy(policy, '/policy'),
    paths: { read: paths?.read ?? [], write: paths?.write ?? [] },
    ...isolationOf(definition.min_isolation),
    ...proofOf(definition.approvals),
    mail: mail === undefined ? null : compileMail(mail),
    limits: { microUsdMax: budgetOf(budget), callsMax: null },
    ownTools: [answerTool],
    origins: compileOrigins(definition),
  }
  return { machine, findings }
}

/** One list of tools holds in every state. */
function compileOrigins(definition: ProcessDefinition): RuleOrigins {
  const tools = originsOf('', definition, { allow: ['allowed_tools'] })
  const stages = emptyRecord<StageOrigins>()
  for (const name of Object.keys(definition.states)) stages[name] = tools
  return { run: originsOf('', definition, runFields), stages }
}

function checkName(name: string): Finding[] {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return []
  const message = `the name \`${name}\` may only have lowercase letters, digits and hyphens`
  return [finding('NAME_INVALID', '/name', { message, hint: 'a name looks like `deploy-gate`' })]
}

function checkTools({ allowed_tools: tools }: ProcessDefinition): Finding[] {
  const findings: Finding[] = []
  for (const [index, tool] of (tools ?? []).entries()) {
    if (tool === answerTool || endpointFamilies.some((family) => tool.startsWith(family))) continue
    findings.push(
      finding('TOOL_IGNORED', joinPointer('/allowed_tools', index), {
        message: `\`${tool}\` is not a tool of the process endpoint, so listing it has no effect`,
        hint: 'list memory and task tools here; use `policy` for tools of the host',
      }),
    )
  }
  return findings
}

function compileTools({ allowed_tools: tools }: ProcessDefinition): ToolRule {
  return tools === undefined ? everyTool : { allow: tools, deny: [], among: endpointFamilies }
}

type NamedState = { readonly name: string; readonly state: State; readonly tools: ToolRule }

function compileState({ name, state, tools }: NamedState, findings: Finding[]): Stage {
  const origin = joinPointer('/states', name)
  const signals = emptyRecord<Trigger>()
  const answers = Object.entries(state.answers ?? {})
  findings.push(...checkNames(Object.keys(state.answers ?? {}), joinPointer(origin, 'answers'), []))
  for (const [key, answer] of answers) {
    signals[key] = compileAnswer(
      { key, answer, origin: joinPointer(origin, 'answers', key), stage: name },
      findings,
    )
  }
  const question = {
    text: state.question,
    if: null,
    isTemplate: false,
    origin: joinPointer(origin, 'question'),
  }
  return {
    ...plainStage(name, origin),
    brief: [question],
    final: answers.length === 0 ? 'completed' : null,
    rule: { ...openRule, tools },
    signals,
    foldsSignals: true,
  }
}

type NamedAnswer = {
  readonly key: string
  readonly answer: Answer
  readonly origin: string
  readonly stage: string
}

function compileAnswer(named: NamedAnswer, findings: Finding[]): Trigger {
  const { key, answer, origin, stage } = named
  const { action } = answer
  const next = answer.next ?? null
  findings.push(...checkAnswer(named))
  const isEnd = action === 'block' || action === 'complete' || next === null
  const outcome = action === 'block' ? 'blocked' : 'completed'
  const move: Move = isEnd
    ? { kind: 'end', outcome, origin }
    : { kind: 'goto', stage: next, origin: joinPointer(origin, 'next') }
  const gate: Gate | null =
    action === 'notify_human'
      ? {
          message: `\`${key}\` was answered in \`${stage}\`: may the run continue?`,
          refusal: 'block',
          ...approvalRulesOf(answer.approvals),
          origin: joinPointer(origin, 'action'),
        }
      : null
  const guards = compileConditions(answer.if, joinPointer(origin, 'if'), findings)
  const route = { origin, guards, requires: [], gate, move }
  const warning = action === 'warn' ? `\`${key}\` was answered in \`${stage}\`` : null
  return { ...plainTrigger(key, origin), routes: [route], warning }
}

function checkAnswer({ key, answer, origin }: NamedAnswer): Finding[] {
  const { action, approvals } = answer
  const next = answer.next ?? null
  if (approvals !== undefined && action !== 'notify_human') {
    return [
      finding('VALUE_CONFLICT', joinPointer(origin, 'approvals'), {
        message: `the answer \`${key}\` says who must approve, but asks nobody`,
        hint: 'add `"action": "notify_human"`, or remove `approvals`',
      }),
    ]
  }
  if ((action === 'block' || action === 'complete') && next !== null) {
    return [
      finding('NEXT_IGNORED', joinPointer(origin, 'next'), {
        message: `\`${action}\` ends the run, so \`next\` is ignored`,
        hint: 'set `next` to null, or remove the action',
      }),
    ]
  }
  if (next === null && (action === undefined || action === 'warn')) {
    return [
      finding('ENDS_WITHOUT_ACTION', origin, {
        message: `the answer \`${key}\` ends the run as completed without saying so`,
        hint: 'add `"action": "complete"` or `"action": "block"`, or name the next state',
      }),
    ]
  }
  return []
}

function compileMail(mail: NonNullable<ProcessDefinition['email_config']>): Machine['mail'] {
  return {
    mailsMax: mail.max_emails_per_session ?? null,
    from: listOf(mail.allowed_from),
    to: listOf(mail.allowed_to),
  }
}

function listOf(value: string | readonly string[] | undefined): readonly string[] | null {
  if (value === undefined) return null
  return typeof value === 'string' ? [value] : value
}
