/**
 * Prints a machine as a workflow, and lists what a workflow cannot express.
 * Knows machines and the fields of a workflow. Must not know which dialect a machine came from.
 */
import type { Json, JsonObject } from '../../json.ts'
import { emptyRecord } from '../../json.ts'
import type { EndOutcome, Machine, Stage, StageRule } from '../../machine/machine.ts'
import { fieldPointerOf } from '../field-pointers.ts'
import type { PrinterOutput } from '../printer-output.ts'
import {
  briefText,
  canRevisitInitial,
  compact,
  listOrNone,
  objectOrNone,
  printCommon,
} from '../printer-output.ts'
import { openPrintContext, type WorkflowPrintContext } from './print-context.ts'
import { printEvents } from './print-events.ts'

/** The machine as a workflow. */
export function printWorkflow(machine: Machine): PrinterOutput {
  const book = openPrintContext(machine)
  const states = emptyRecord<Json>()
  for (const stage of Object.values(machine.stages)) {
    states[book.nameOf(stage.name)] = printState(book, stage)
  }
  if (!hasFinal(machine) && book.ends.size === 0) book.endState('completed')
  for (const [outcome, name] of book.ends) states[name] = printEnd(name, outcome)
  const definition = compact({
    id: machine.name,
    initial: book.nameOf(machine.initial),
    context: objectOrNone(machine.vars),
    states,
    guards: objectOrNone(book.guards),
    interrupts: printInterrupts(book),
    meta: printMeta(machine),
    ...printCommon(machine),
  })
  return { definition, losses: book.losses }
}

/** WHY: a workflow without a final state is refused, even where its author wanted no end. */
function hasFinal(machine: Machine): boolean {
  return Object.values(machine.stages).some((stage) => stage.final !== null)
}

function printEnd(name: string, outcome: EndOutcome): JsonObject {
  return compact({ type: 'final', outcome: outcomeOf(name, outcome) })
}

/** The outcome where the name of the state does not say it already. */
function outcomeOf(name: string, outcome: EndOutcome): string | undefined {
  const isFailure = outcome !== 'completed'
  if (isFailure === (name === 'failed')) return undefined
  return isFailure ? 'failed' : 'completed'
}

function printState(book: WorkflowPrintContext, stage: Stage): JsonObject {
  const { final, fallback, model, thinking } = stage
  if (final === 'blocked') {
    book.losses.push({
      pointer: stage.origin,
      what: 'a workflow has no blocked outcome',
      effect: `a run that reaches \`${stage.name}\` fails, and the agent can use its tools`,
    })
  }
  const instructions = stateText(book, stage)
  const ownModel = model === book.machine.meta.default_model ? null : model
  return compact({
    ...(final === null ? {} : { type: 'final', outcome: outcomeOf(stage.name, final) }),
    instructions: instructions === '' ? undefined : instructions,
    ...printRule(stage.rule, book.machine.ownTools),
    model: ownModel ?? undefined,
    thinking_level: thinking ?? undefined,
    on: objectOrNone(printEvents(book, stage)),
    safe_next: fallback === null ? undefined : book.nameOf(fallback.stage),
  })
}

/** The instructions, with what is told once at the beginning in front of the first ones. */
function stateText(book: WorkflowPrintContext, stage: Stage): string {
  const { machine } = book
  const text = briefText(stage.brief)
  if (machine.prompt.trim() === '' || stage.name !== machine.initial) {
    // WHY: a brief of one part is kept letter by letter.
    return stage.brief.length === 1 ? (stage.brief[0]?.text ?? '') : text
  }
  if (canRevisitInitial(machine)) {
    book.losses.push({
      pointer: fieldPointerOf(machine, 'prompt'),
      what: 'a workflow has no text that is shown only once',
      effect: `it is shown again whenever the run returns to \`${stage.name}\``,
    })
  }
  return text === '' ? machine.prompt : `${machine.prompt}\n\n${text}`
}

function printRule(rule: StageRule, ownTools: readonly string[]): Record<string, Json | undefined> {
  const { allow, deny, among } = rule.tools
  // The tool that submits is Pawl's own and always there; in a workflow it would be another one.
  const tools =
    allow === 'all' || among !== null ? undefined : allow.filter((tool) => !ownTools.includes(tool))
  return {
    allowed_tools: tools,
    disallowed_tools: listOrNone(deny),
    allowed_commands: rule.commands ?? undefined,
    allowed_commands_tool: rule.commandTool === 'Bash' ? undefined : rule.commandTool,
    blocked_env: listOrNone(rule.envBlocked),
    env_overrides: objectOrNone(rule.envSet),
    max_iterations: rule.callsMax ?? undefined,
    max_edit_lines: rule.editLinesMax ?? undefined,
    max_files_per_state: rule.filesMax ?? undefined,
    context_budget_bytes: rule.bytesMax ?? undefined,
    writable_files: rule.filesWritable,
    files: rule.files,
    paths: rule.writeFolders === undefined ? undefined : { write: [...rule.writeFolders] },
    programs: rule.programsDenied === undefined ? undefined : { deny: [...rule.programsDenied] },
  }
}

function printInterrupts({ machine, nameOf }: WorkflowPrintContext): JsonObject | undefined {
  const entries = machine.detours.map((detour): [string, JsonObject] => [
    detour.name,
    { trigger: { file_pattern: detour.pattern }, target: nameOf(detour.target) },
  ])
  return objectOrNone(Object.fromEntries(entries))
}

function printMeta(machine: Machine): JsonObject | undefined {
  const settings = compact({
    danger_level: machine.danger === 'safe' ? undefined : machine.danger,
    debug: machine.hasDebug ? true : undefined,
    after_end: machine.holdsAtEnd ? 'hold' : undefined,
    calls_max: machine.limits.callsMax ?? undefined,
  })
  return objectOrNone({ ...machine.meta, ...settings })
}
