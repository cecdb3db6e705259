/**
 * Prints a machine as a form of steps, and lists what a form cannot express.
 * Knows machines and the fields of a form. Must not know which dialect a machine came from.
 */
import type { Json, JsonObject } from '../../json.ts'
import { asObject } from '../../json.ts'
import type { Field, Machine, Stage, Trigger } from '../../machine/machine.ts'
import { type LossTarget, lossesOf } from '../conversion-losses.ts'
import { printConditionList, printEvidenceGuards } from '../evidence-conditions.ts'
import { fieldPointerOf, valuePointerOf } from '../field-pointers.ts'
import type { Loss, PrinterOutput } from '../printer-output.ts'
import {
  briefText,
  canRevisitInitial,
  compact,
  initialFirst,
  listOrNone,
  objectOrNone,
  printCommon,
} from '../printer-output.ts'
import { isInherited } from '../reserved-names.ts'
import { openChoices, printChoiceStep } from './print-choices.ts'
import { printCondition, printPath, printSlot } from './print-ops.ts'

const target: LossTarget = {
  noun: 'form',
  can: [
    'values',
    'op',
    'toolsAllow',
    'mustCall',
    'briefIf',
    'template',
    'fields',
    'canName',
    'requires',
  ],
}

const submitDefault = 'submit'

/** The machine as a form. */
export function printSteps(machine: Machine): PrinterOutput {
  const losses: Loss[] = lossesOf(machine, target)
  const submitTool = isForm(machine) ? (machine.ownTools[0] ?? submitDefault) : submitDefault
  const choices = openChoices(machine, losses)
  const steps: JsonObject[] = []
  for (const [index, stage] of initialFirst(machine).entries()) {
    const start = index === 0 ? machine.start : []
    const head = { id: stage.name, ...printBrief(stage, openingOf(machine, stage, losses)) }
    const tools = printTools(stage, submitTool)
    const submit = submitOf(stage)
    if (submit !== null) {
      steps.push(
        printStep({ stage, submit, head, tools: { ...tools, ...formTools(stage) }, start }),
      )
    } else if (stage.final === null || index === 0) {
      steps.push(printChoiceStep(choices, stage, { head, tools: objectOrNone(tools) }))
    }
  }
  const definition = compact({
    id: machine.name,
    tool: printTool(machine, submitTool),
    start: machine.starts === 'auto' ? undefined : machine.starts,
    ...printNotes(machine),
    variables: printVariables(machine, losses),
    steps,
    ...printCommon(machine),
  })
  return { definition, losses }
}

/** The one trigger of a step: it carries fields. */
function submitOf(stage: Stage): Trigger | null {
  return Object.values(stage.signals).find((trigger) => trigger.fields !== null) ?? null
}

function isForm(machine: Machine): boolean {
  return Object.values(machine.stages).some((stage) => submitOf(stage) !== null)
}

/** What is told once, for the step in which a run begins. */
function openingOf(machine: Machine, stage: Stage, losses: Loss[]): string {
  if (machine.prompt.trim() === '' || stage.name !== machine.initial) return ''
  if (canRevisitInitial(machine)) {
    losses.push({
      pointer: fieldPointerOf(machine, 'prompt'),
      what: 'a form has no text that is shown only once',
      effect: `it is shown again whenever the run returns to \`${stage.name}\``,
    })
  }
  return machine.prompt
}

/** The goal is told as it is written; the instructions have placeholders and conditions. */
function printBrief(stage: Stage, opening: string): { readonly [key: string]: Json | undefined } {
  const [first, ...rest] = stage.brief
  const isGoal = first !== undefined && first.if === null && !first.isTemplate
  const isPlain = stage.brief.every((part) => part.if === null && !part.isTemplate)
  if (isPlain && (opening !== '' || rest.length > 0 || first === undefined)) {
    const text = [opening, briefText(stage.brief)].filter((part) => part !== '').join('\n\n')
    return { goal: text === '' ? stage.name : text }
  }
  const lines = (isGoal ? rest : stage.brief).map((part): Json => {
    const condition = printCondition(part.if)
    return condition === undefined ? part.text : { if: condition, text: part.text }
  })
  return { goal: isGoal ? first.text : stage.name, instructions: listOrNone(lines) }
}

/** WHY the submit tool: in a form an empty list would allow every tool. */
function printTools(stage: Stage, submitTool: string): JsonObject {
  const { allow, deny, among } = stage.rule.tools
  if (allow === 'all' || among !== null) return {}
  const tools = allow.filter((tool) => !deny.includes(tool))
  return { allow: tools.length === 0 ? [submitTool] : tools }
}

function formTools(stage: Stage): JsonObject {
  return compact({
    call: stage.mustCall ? true : undefined,
    allowGoToStep: submitOf(stage)?.canName ? true : undefined,
  })
}

type StageToPrint = {
  readonly stage: Stage
  readonly submit: Trigger
  readonly head: { readonly [key: string]: Json | undefined }
  readonly tools: JsonObject
  readonly start: Machine['start']
}

function printStep({ stage, submit, head, tools, start }: StageToPrint): JsonObject {
  const slots = compact({
    start: printSlot(start),
    enter: printSlot(stage.enter),
    presubmit: printSlot(submit.prepare),
    submit: printSlot(submit.commit),
  })
  return compact({
    ...head,
    inputs: listOrNone((submit.fields ?? []).map(printField)),
    on: objectOrNone(slots),
    next: listOrNone(submit.routes.map(printRoute)),
    tools: objectOrNone(tools),
  })
}

function printField(field: Field): JsonObject {
  return compact({
    name: field.name,
    type: field.type === 'string' ? undefined : field.type,
    title: field.title === '' ? undefined : field.title,
    description: field.description === '' ? undefined : field.description,
    required: field.isRequired ? undefined : false,
    enum: field.enum ?? undefined,
    pattern: field.pattern ?? undefined,
    format: field.format ?? undefined,
    examples: listOrNone(field.examples),
  })
}

function printRoute(route: Trigger['routes'][number]): Json {
  const id = route.move.kind === 'goto' ? route.move.stage : ''
  const exprs = route.guards.flatMap((guard): Json[] => {
    const written = guard.kind === 'expr' ? printCondition(guard.expr) : undefined
    return written === undefined ? [] : [written]
  })
  const condition = printConditionList([...exprs, ...printEvidenceGuards(route.guards)])
  if (condition === undefined && route.requires.length === 0) return id
  return compact({ id, if: condition, requires: listOrNone(route.requires) })
}

function printTool(machine: Machine, name: string): JsonObject | undefined {
  const { description } = machine.meta
  const words = typeof description === 'string' && isForm(machine) ? description : undefined
  if (name === submitDefault && words === undefined) return undefined
  return compact({ name, description: words })
}

/** Notes that nothing enforces; those of another dialect are kept among the metadata. */
function printNotes(machine: Machine): { readonly [key: string]: JsonObject | undefined } {
  if (!isForm(machine)) return { metadata: objectOrNone(withoutPriority(machine.meta)) }
  const { config, metadata } = machine.meta
  return { config: asObject(config) ?? undefined, metadata: asObject(metadata) ?? undefined }
}

/** In a form the priority is a number. */
function withoutPriority(meta: JsonObject): JsonObject {
  const { priority, ...rest } = meta
  return typeof priority === 'number' ? meta : rest
}

function printVariables(machine: Machine, losses: Loss[]): readonly Json[] | undefined {
  const variables: Json[] = []
  for (const [name, value] of Object.entries(machine.vars)) {
    const isPath = name.includes('.') || name.trim() === '' || isInherited(name)
    if (!isPath) {
      variables.push({ name: printPath(['vars', name]), value })
      continue
    }
    losses.push({
      pointer: valuePointerOf(machine, name),
      what: `a form has no variable names like \`${name}\``,
      effect: 'the value is missing when the run starts',
    })
  }
  return listOrNone(variables)
}
