/**
 * Tools that send a signal to a run: an event of a workflow, an answer of a checklist, the fields
 * of a form.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import type { OperationAnswer, OperationInput } from '../api/contract.ts'
import { splitForm } from './form-tool.ts'
import type { RunPlace, RunReadings } from './resolve-run.ts'
import { type RunOutcome, runSummaryText } from './run-summary.ts'
import { readPlace, type ToolContext, tool } from './tool-context.ts'
import type { ToolResult } from './tool-result.ts'

const eventText = z.string().min(1).max(500)
/** JSON of any depth: the wire has read it already. */
export const jsonObjectShape = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

/** What `carryOut` tells beside the run. */
export const signalOutcomeSchema: JsonObject = {
  say: { type: 'array', items: { type: 'string' }, description: 'texts to say to the user' },
  warnings: { type: 'array', items: { type: 'string' } },
}

export const transitionTool = tool({
  name: 'transition',
  title: 'Move to the next state',
  description:
    'Send an event to move the Pawl workflow to its next state. `BRANCH_DONE:<branch>` marks a ' +
    'branch of a fork as done. A rejected event changes nothing.',
  input: z.strictObject({
    event: eventText.describe('one of the events that get_state lists'),
    data: jsonObjectShape.optional().describe('values to send with the event'),
  }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (desk, { who, input }) => {
    const place = await desk.places.find(who)
    const { event, data = null } = input
    return send(desk, place, { name: event, data })
  },
})

export const processTool = tool({
  name: 'process_step',
  title: 'Answer the question',
  description:
    'Answer the current question of the Pawl checklist to move to its next state. Without an ' +
    'answer, returns the current state.',
  input: z.strictObject({
    answer: eventText.optional().describe('one of the answers listed'),
    state: eventText
      .optional()
      .describe('the state you answer; rejected if the run is in another one'),
    note: z.string().max(10_000).optional().describe('the reason, for the log and for people'),
  }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (desk, { who, input }) => {
    const place = await desk.places.find(who)
    const { answer, state, note } = input
    if (answer === undefined) return readRunSummary(desk, place)
    const stage = state === undefined ? {} : { stage: state }
    return send(desk, place, { name: answer, data: note === undefined ? null : { note }, ...stage })
  },
})

/** Submits the fields of a form. */
export function submit(
  desk: ToolContext,
  at: { readonly place: RunPlace; readonly reading: RunReadings },
  input: JsonObject,
): Promise<ToolResult> {
  const { data, goTo } = splitForm(at.reading.view, input)
  return send(desk, at.place, { data, ...(goTo === null ? {} : { goTo }) })
}

/** Where the run stands, and nothing else. */
export async function readRunSummary(desk: ToolContext, place: RunPlace): Promise<ToolResult> {
  const reading = await readPlace(desk, place)
  return { reading, text: runSummaryText(reading, desk.prefix) }
}

type Signal = Omit<OperationInput<'runs.signal'>, 'runId' | 'branch'>

function send(desk: ToolContext, { runId, branch }: RunPlace, signal: Signal): Promise<ToolResult> {
  const where = branch === null ? { runId } : { runId, branch }
  return sendCommand(desk, { runId, branch }, (commandId) =>
    desk.link.ask('runs.signal', { ...where, ...signal }, { commandId }),
  )
}

type Outcome = OperationAnswer<'runs.signal'>

/** Carries out a command and tells where the run stands after it, with all that was said. */
export async function sendCommand(
  desk: ToolContext,
  place: RunPlace | null,
  command: (commandId: string) => Promise<Outcome>,
): Promise<ToolResult> {
  const commandId = randomUUID()
  const outcome = await command(commandId)
  const { runId, notes } = outcome
  const reading = await readPlace(desk, place ?? { runId, branch: null })
  const said = await spokenDuring(desk, outcome, commandId)
  const spoken = { ...said, warnings: [...said.warnings, ...notes] }
  return {
    reading,
    text: runSummaryText(reading, desk.prefix, spoken),
    more: {
      ...(spoken.say.length === 0 ? {} : { say: [...spoken.say] }),
      ...(spoken.warnings.length === 0 ? {} : { warnings: [...spoken.warnings] }),
    },
  }
}

/** Records of one command that are looked through. */
const recordsMax = 100

async function spokenDuring(
  desk: ToolContext,
  outcome: Outcome,
  commandId: string,
): Promise<RunOutcome> {
  const { runId, seq } = outcome
  const after = Math.max(0, seq - recordsMax)
  const { items } = await desk.link.ask('runs.events', { runId, after, limit: recordsMax })
  // The daemon writes the role of whoever asks in front of the id.
  const own = items.filter((one) => one.commandId.endsWith(commandId))
  return {
    say: partsOf(own, 'text.said', 'text'),
    warnings: partsOf(own, 'warning.raised', 'message'),
  }
}

type Records = OperationAnswer<'runs.events'>['items']

function partsOf(records: Records, type: string, key: string): readonly string[] {
  return records
    .filter((record) => record.type === type)
    .map(({ data }) => {
      const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
      const part = isObject ? (data as JsonObject)[key] : undefined
      return typeof part === 'string' ? part : ''
    })
    .filter((part) => part !== '')
}
