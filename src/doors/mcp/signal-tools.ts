/**
 * Tools that send a signal to a run: an event of a workflow, an answer of a checklist, the fields
 * of a form.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { asObject, type JsonObject } from '../../core/json.ts'
import type { OperationAnswer, OperationInput } from '../api/contract.ts'
import { PawlProblem, problem } from '../api/problem.ts'
import { splitForm } from './form-tool.ts'
import type { RunPlace, RunReadings } from './resolve-run.ts'
import { nextLine, type RunOutcome, runSummaryText } from './run-summary.ts'
import { readPlace, type ToolContext, tool } from './tool-context.ts'
import type { ToolResult } from './tool-result.ts'

const eventText = z.string().min(1).max(500)
/** JSON of any depth: the wire has read it already. */
export const jsonObjectShape = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

/** What `carryOut` tells beside the run. */
export const signalOutcomeSchema: JsonObject = {
  say: { type: 'array', items: { type: 'string' }, description: 'texts to say to the user' },
  messages: {
    type: 'array',
    items: {
      type: 'object',
      properties: { role: { enum: ['assistant', 'user'] }, text: { type: 'string' } },
    },
    description: 'the same texts, each with its role',
  },
  warnings: { type: 'array', items: { type: 'string' } },
}

export const transitionTool = tool({
  name: 'transition',
  title: 'Move to the next stage',
  // WHY these words: hosts find deferred tools by them, eight at a time, and this one is needed.
  description:
    'Pawl transition: moves the Pawl run to the next stage of its Pawl workflow by an event. ' +
    '`BRANCH_DONE:<branch>` ends a branch.',
  input: z.strictObject({
    event: eventText,
    data: jsonObjectShape.optional().describe("the event's data"),
  }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (context, { who, input }) => {
    const place = await context.places.find(who)
    const { event, data = null } = input
    return send(context, place, { name: event, data })
  },
})

export const processTool = tool({
  name: 'process_step',
  title: 'Answer the question',
  description:
    'Answer the question of a Pawl checklist to move the Pawl run to its next stage. Without an ' +
    'answer: shows the question.',
  input: z.strictObject({
    answer: eventText.optional().describe('one of the listed answers'),
    state: eventText
      .optional()
      .describe('the state this answers; rejected if the run is in another'),
    note: z.string().max(10_000).optional().describe('the reason, for the log and for people'),
  }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (context, { who, input }) => {
    const place = await context.places.find(who)
    const { answer, state, note } = input
    if (answer === undefined) return readRunSummary(context, place)
    const stage = state === undefined ? {} : { stage: state }
    return send(context, place, {
      name: answer,
      data: note === undefined ? null : { note },
      ...stage,
    })
  },
})

export const submitTool = tool({
  name: 'submit',
  title: 'Submit a step',
  description: 'Submit the fields of the current step of a Pawl form, to move the Pawl run on.',
  input: z.strictObject({ fields: jsonObjectShape.describe('the fields of the step, by name') }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (context, { who, input }) => {
    const place = await context.places.find(who)
    const reading = await readPlace(context, place)
    if (reading.view.dialect === 'steps') return submit(context, { place, reading }, input.fields)
    const detail = `\`${reading.view.name}\` is not a form`
    throw new PawlProblem(problem('REQUEST_INVALID', { detail, hint: nextLine(reading, context) }))
  },
})

/** Submits the fields of a form. */
export function submit(
  context: ToolContext,
  at: { readonly place: RunPlace; readonly reading: RunReadings },
  input: JsonObject,
): Promise<ToolResult> {
  const { data, goTo } = splitForm(at.reading.view, input)
  return send(context, at.place, { data, ...(goTo === null ? {} : { goTo }) })
}

/** Where the run stands, and nothing else. */
export async function readRunSummary(context: ToolContext, place: RunPlace): Promise<ToolResult> {
  const reading = await readPlace(context, place)
  return { reading, text: runSummaryText(reading, context) }
}

type Signal = Omit<OperationInput<'runs.signal'>, 'runId' | 'branch'>

function send(
  context: ToolContext,
  { runId, branch }: RunPlace,
  signal: Signal,
): Promise<ToolResult> {
  const where = branch === null ? { runId } : { runId, branch }
  return sendCommand(context, { runId, branch }, (commandId) =>
    context.link.ask('runs.signal', { ...where, ...signal }, { commandId }),
  )
}

type Outcome = OperationAnswer<'runs.signal'>

/** Carries out a command and tells where the run stands after it, with all that was said. */
export async function sendCommand(
  context: ToolContext,
  place: RunPlace | null,
  command: (commandId: string) => Promise<Outcome>,
): Promise<ToolResult> {
  const commandId = randomUUID()
  const outcome = await command(commandId)
  const { runId, notes } = outcome
  const reading = await readPlace(context, place ?? { runId, branch: null })
  const said = await spokenDuring(context, outcome, commandId)
  const spoken = { ...said, warnings: [...said.warnings, ...notes] }
  return {
    reading,
    text: runSummaryText(reading, context, spoken),
    more: {
      ...(said.messages.length === 0 ? {} : { say: [...spoken.say], messages: said.messages }),
      ...(spoken.warnings.length === 0 ? {} : { warnings: [...spoken.warnings] }),
    },
  }
}

/** Records of one command that are looked through. */
const recordsMax = 100

async function spokenDuring(
  context: ToolContext,
  outcome: Outcome,
  commandId: string,
): Promise<RunOutcome & { readonly messages: JsonObject[] }> {
  const { runId, seq } = outcome
  const after = Math.max(0, seq - recordsMax)
  const { items } = await context.link.ask('runs.events', { runId, after, limit: recordsMax })
  // The daemon writes the role of whoever asks in front of the id.
  const own = items.filter((one) => one.commandId.endsWith(commandId))
  const messages = own.flatMap(({ type, data }) => {
    const said = type === 'text.said' ? asObject(data) : null
    const { text, role } = said ?? {}
    return typeof text === 'string' && typeof role === 'string' && text !== ''
      ? [{ role, text }]
      : []
  })
  return {
    say: messages.map(({ text }) => text),
    messages,
    warnings: partsOf(own, 'warning.raised', 'message'),
  }
}

type Records = OperationAnswer<'runs.events'>['items']

function partsOf(records: Records, type: string, key: string): readonly string[] {
  return records
    .filter((record) => record.type === type)
    .map(({ data }) => {
      const part = asObject(data)?.[key]
      return typeof part === 'string' ? part : ''
    })
    .filter((part) => part !== '')
}
