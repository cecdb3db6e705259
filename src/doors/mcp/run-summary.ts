/**
 * The current state of a run for the agent: as values with the field names of its dialect, and as
 * text.
 */
import { briefWithoutRules, rulesText } from '../../core/dialects/rules-text.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { answerTool } from '../../core/tools/pawl-tool-names.ts'
import { spellOwnTool } from '../../core/tools/spell-tools.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import { formToolOf, submitToolOf } from './form-tool.ts'
import type { RunReadings } from './resolve-run.ts'
import { ruleFieldsOf, ruleFieldsSchema } from './rule-fields.ts'
import { fullName, type ToolSpeech } from './tool-names.ts'

/** Characters of values that are shown with a run; more are left out, and that is said. */
const valuesCharsMax = 50_000

type View = RunReadings['view']

/** What was said while a command was carried out. */
export type RunOutcome = { readonly say: readonly string[]; readonly warnings: readonly string[] }

/** The run as values. */
export function runSummary(reading: RunReadings, speech: ToolSpeech): JsonObject {
  const { head, view } = reading
  return {
    run: head.id,
    workflow: view.name,
    dialect: view.dialect,
    status: view.status,
    ...(view.reason === '' ? {} : { reason: view.reason }),
    ...placeOf(view, speech),
    brief: briefWithoutRules(view),
    ...ruleFieldsOf(view.rules, speech.host),
    ...(view.approval === null ? {} : { approval: { ...view.approval } }),
    ...(Object.keys(view.branches).length === 0 ? {} : { branches: { ...view.branches } }),
    ...(view.pendingCall === null ? {} : { pending_tool_call: { ...view.pendingCall } }),
    ...(view.pendingCalls.length < 2
      ? {}
      : { pending_tool_calls: view.pendingCalls.map((one) => ({ ...one })) }),
    ...(view.mustCall ? { must_call: true, tool_choice: toolChoiceOf(view, speech) } : {}),
    // WHY here as well: some hosts show a model these values and not the text (Claude Code does).
    next: nextLine(reading, speech),
  }
}

/** WHY: a form whose own tool cannot be offered is submitted by another one. */
function toolChoiceOf(view: View, { prefix }: ToolSpeech): string | null {
  const [submission] = view.signals
  return view.toolChoice === submission ? submitToolOf(view, prefix) : view.toolChoice
}

function placeOf(view: View, { prefix }: ToolSpeech): JsonObject {
  switch (view.dialect) {
    case 'workflow':
      return { state: view.stage, events: [...view.signals] }
    case 'process':
      return { state: view.stage, question: view.goal, answers: [...view.signals] }
    case 'steps':
      return {
        step: view.stage,
        goal: view.goal,
        submit_tool: submitToolOf(view, prefix),
        inputs: { collected: limited(view.inputs), missing: [...view.missing] },
        ...(view.goTo.length === 0 ? {} : { go_to_step: [...view.goTo] }),
      }
  }
}

/** The values of a run, as far as they are not too many. */
export function summaryValues({ view }: RunReadings): JsonObject {
  const local = Object.keys(view.local).length === 0 ? {} : { local: limited(view.local) }
  return { context: limited(view.vars), ...local }
}

function limited(values: JsonObject): JsonObject {
  return JSON.stringify(values).length <= valuesCharsMax ? values : { left_out: 'too much to show' }
}

/** The same in words: what was said, what the agent is told, what it may use, what to do next. */
export function runSummaryText(
  reading: RunReadings,
  speech: ToolSpeech,
  spoken?: RunOutcome,
): string {
  const { view } = reading
  const parts = [
    ...(spoken?.say ?? []).map((text) => `Say: ${text}`),
    ...(spoken?.warnings ?? []).map((text) => `Warning: ${text}`),
    briefWithoutRules(view),
    view.status === 'running' ? rulesText(view.rules, speech.host) : '',
    branchesLine(view),
    nextLine(reading, speech),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function branchesLine({ branches }: View): string {
  const texts = Object.entries(branches).map(([name, status]) => `${name} ${status}`)
  return texts.length === 0 ? '' : `Branches: ${texts.join(', ')}.`
}

/** How to go on, one line. */
export function nextLine({ head, view }: RunReadings, speech: ToolSpeech): string {
  // Where there is no prefix there are no control tools.
  const isBare = speech.prefix === ''
  const answerName = spellOwnTool(answerTool, speech.host)
  if (view.approval !== null) {
    const { id } = view.approval
    const ways = `\`pawl approve ${id}\` or \`pawl refuse ${id}\``
    const then = isBare ? `\`${answerName}\` shows it` : `\`${fullName('wait', speech)}\` returns`
    return `A person must decide: ${ways}. ${then} when they have.`
  }
  if (view.status === 'paused') {
    if (isBare) return `Paused: a person can resume it with \`pawl resume ${head.id}\`.`
    const load = fullName('load_workflow', speech)
    return `Paused: call \`${load}\` with \`resume: true\` to continue.`
  }
  if (!isOpen(head.status)) return 'The run has ended.'
  if (view.signals.length === 0) return ''
  switch (view.dialect) {
    case 'workflow':
      return `Send an event with \`${fullName('transition', speech)}\` to move on.`
    case 'process':
      return `Answer with \`${answerName}\`.`
    case 'steps':
      return formLine(view, speech)
  }
}

function formLine(view: View, speech: ToolSpeech): string {
  const stable = fullName('submit', speech)
  const own = formToolOf(view)
  const fields = view.fields.map((one) => one.name)
  const what = fields.length === 0 ? '' : ` (${fields.join(', ')})`
  const way = `with \`${stable}\` in \`fields\``
  if (own === null) return `Submit${what} ${way}.`
  // WHY both: hosts read a changed list late, and the other one is always there.
  return `Submit with \`${spellOwnTool(own, speech.host)}\`${what}, or ${way}.`
}

/** One JSON schema for all that is told of a run. */
export const runSummarySchema: JsonObject = {
  type: ['object', 'null'],
  description: 'the current state of the run; null if there is none',
  properties: {
    run: { type: 'string' },
    workflow: { type: 'string' },
    dialect: { enum: ['workflow', 'process', 'steps'] },
    status: {
      enum: ['running', 'waiting', 'paused', 'completed', 'blocked', 'failed', 'cancelled'],
    },
    reason: { type: 'string' },
    state: { type: 'string' },
    events: texts('events that a workflow accepts now'),
    question: { type: 'string', description: 'what a checklist asks now' },
    answers: texts('answers that a checklist accepts now'),
    step: { type: 'string' },
    goal: { type: 'string' },
    submit_tool: { type: ['string', 'null'], description: 'null if nothing can be submitted now' },
    inputs: {
      type: 'object',
      properties: { collected: { type: 'object' }, missing: texts('inputs still missing') },
    },
    go_to_step: texts('steps that you may choose'),
    brief: { type: 'string', description: 'instructions of its author' },
    ...ruleFieldsSchema,
    approval: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        kind: { enum: ['move', 'call'] },
        message: { type: 'string' },
      },
    },
    branches: { type: 'object', additionalProperties: { type: 'string' } },
    pending_tool_call: {
      type: 'object',
      description: 'the call to make next',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
    },
    pending_tool_calls: {
      type: 'array',
      items: { type: 'object' },
      description: 'all calls to make, if there are several',
    },
    must_call: { type: 'boolean', description: 'true if you must call a tool now' },
    tool_choice: {
      type: ['string', 'null'],
      description: 'the tool to call then: the pending call, else the submit tool',
    },
    next: { type: 'string', description: 'what to do next' },
  },
}

function texts(description: string): Json {
  return { type: 'array', items: { type: 'string' }, description }
}
