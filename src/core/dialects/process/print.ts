/**
 * Prints a machine as a process, and lists what a process cannot express.
 * Knows machines and the fields of a process. Must not know which dialect a machine came from.
 */
import type { Json, JsonObject } from '../../json.ts'
import { emptyRecord } from '../../json.ts'
import type { Machine, Stage } from '../../machine/machine.ts'
import { type LossTarget, lossesOf } from '../conversion-losses.ts'
import { fieldPointerOf } from '../field-pointers.ts'
import type { Loss, PrinterOutput } from '../printer-output.ts'
import { briefText, compact, printCommon } from '../printer-output.ts'
import { printAnswers } from './print-answers.ts'

const target: LossTarget = {
  noun: 'process',
  can: ['mail', 'endpointTools', 'folding', 'warning', 'gate'],
}

/** The machine as a process. */
export function printProcess(machine: Machine): PrinterOutput {
  const losses: Loss[] = [...nameLoss(machine), ...lossesOf(machine, target)]
  const states = emptyRecord<Json>()
  const reached = new Set([machine.initial])
  for (const stage of Object.values(machine.stages)) {
    states[stage.name] = printState({ machine, losses, reached }, stage)
  }
  for (const stage of Object.values(machine.stages)) {
    const isReached = reached.has(stage.name)
    if (isReached) losses.push(...deadEndLoss(stage, states[stage.name] as JsonObject))
    // Answers that led to a failure block the run themselves; nothing else leads to a dead end.
    else if (isFailure(stage) || isDeadEnd(stage, states[stage.name] as JsonObject)) {
      delete states[stage.name]
    }
  }
  const definition = compact({
    name: processName(machine.name),
    initial: machine.initial,
    initial_prompt: machine.prompt === '' ? undefined : machine.prompt,
    states,
    email_config: printMail(machine.mail),
    allowed_tools: endpointTools(machine),
    ...printCommon(machine),
  })
  return { definition, losses }
}

function isFailure(stage: Stage): boolean {
  return stage.final === 'failed' || stage.final === 'blocked'
}

/** Small letters, digits and hyphens are all that a process may be called by. */
function processName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(name)) return name
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['process']
  return words.join('-')
}

function nameLoss(machine: Machine): readonly Loss[] {
  const name = processName(machine.name)
  if (name === machine.name) return []
  const effect = `it is renamed \`${name}\`, so an invoke of \`${machine.name}\` does not find it`
  const what = `a process has no names like \`${machine.name}\``
  return [{ pointer: fieldPointerOf(machine, 'name'), what, effect }]
}

type PrintState = {
  readonly machine: Machine
  readonly losses: Loss[]
  /** Stages that some answer leads to. */
  readonly reached: Set<string>
}

function printState(book: PrintState, stage: Stage): JsonObject {
  const { losses } = book
  const text = stage.brief.length === 1 ? (stage.brief[0]?.text ?? '') : briefText(stage.brief)
  const question = text === '' ? stage.name : text
  if (isFailure(stage)) {
    losses.push({
      pointer: stage.origin,
      what: 'a process has no failed outcome',
      effect: `answers that lead to \`${stage.name}\` block the run, which denies every tool`,
    })
  }
  if (stage.final !== null) return { question }
  const answers = printAnswers(book, stage)
  return Object.keys(answers).length === 0 ? { question } : { question, answers }
}

/** A stage that nothing leads out of, and that is no end either. */
function isDeadEnd(stage: Stage, state: JsonObject): boolean {
  return stage.final === null && state.answers === undefined
}

function deadEndLoss(stage: Stage, state: JsonObject): readonly Loss[] {
  if (!isDeadEnd(stage, state)) return []
  const what = 'a process has no states without answers, except final ones'
  const effect = `the run completes when it enters \`${stage.name}\``
  return [{ pointer: stage.origin, what, effect }]
}

function printMail(mail: Machine['mail']): JsonObject | undefined {
  if (mail === null) return undefined
  return compact({
    max_emails_per_session: mail.mailsMax ?? undefined,
    allowed_from: mail.from ?? undefined,
    allowed_to: mail.to ?? undefined,
  })
}

/** One list for the whole process; every stage of it carries the same. */
function endpointTools(machine: Machine): readonly string[] | undefined {
  for (const { rule } of Object.values(machine.stages)) {
    if (rule.tools.among !== null && rule.tools.allow !== 'all') return rule.tools.allow
  }
  return undefined
}
