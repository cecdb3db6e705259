/** Tools that read a run, wait for it, pause it, or ask to force a state. */
import { z } from 'zod'
import type { Json } from '../../core/json.ts'
import { PawlProblem, problem } from '../api/problem.ts'
import { definitionsFor } from './definitions.ts'
import { elicitDecision } from './elicit.ts'
import type { RunPlace, RunReadings } from './resolve-run.ts'
import { runSummaryText, summaryValues } from './run-summary.ts'
import { jsonObjectShape, sendCommand, signalOutcomeSchema } from './signal-tools.ts'
import { readPlace, type ToolContext, type ToolInvocation, tool } from './tool-context.ts'
import { fullName } from './tool-names.ts'
import type { ToolResult } from './tool-result.ts'

const nothing = z.strictObject({})

export const stateTool = tool({
  name: 'get_state',
  title: 'Current stage of the run',
  description:
    'Get the current stage of the Pawl run from Pawl: instructions, allowed tools, how to move ' +
    'on, and values.',
  input: nothing,
  more: { context: { type: 'object' }, local: { type: 'object' } },
  effect: 'looks',
  run: async (context, { who }) => {
    const reading = await readPlace(context, await context.places.find(who))
    return { reading, text: runSummaryText(reading, context), more: summaryValues(reading) }
  },
})

export const statusTool = tool({
  name: 'get_status',
  title: 'Overview',
  description: 'Get the status of the loaded Pawl run, and the workflows that can be loaded.',
  input: nothing,
  more: { active: { type: 'boolean' }, available: { type: 'array', items: { type: 'string' } } },
  effect: 'looks',
  run: async (context, { who }) => {
    const available = (await definitionsFor(context)).map((one) => one.name)
    const reading = await readIfAny(context, who)
    const run =
      reading === null
        ? 'No workflow is loaded.'
        : `${reading.view.name} is ${reading.view.status} in \`${reading.view.stage}\`.`
    const names = available.length === 0 ? 'none' : available.join(', ')
    const text = `${run} Available: ${names}.`
    return { reading, text, more: { active: reading !== null, available } }
  },
})

async function readIfAny(
  context: ToolContext,
  who: ToolInvocation<unknown>['who'],
): Promise<RunReadings | null> {
  try {
    return await readPlace(context, await context.places.find(who))
  } catch (fault) {
    if (fault instanceof PawlProblem && fault.code === 'RUN_UNKNOWN') return null
    throw fault
  }
}

export const pauseTool = tool({
  name: 'pause',
  title: 'Pause',
  description:
    'Pause the Pawl run, and say why. Its rules stay in force; load it with `resume: true` to ' +
    'continue.',
  input: z.strictObject({
    reason: z.string().max(2_000).default('').describe('why, for the log and for people'),
  }),
  more: signalOutcomeSchema,
  effect: 'moves',
  run: async (context, { who, input }) => {
    const place = await context.places.find(who)
    const { runId } = place
    const { reason } = input
    return sendCommand(context, place, (commandId) =>
      context.link.ask('runs.pause', { runId, reason }, { commandId }),
    )
  },
})

export const deactivateTool = tool({
  name: 'deactivate',
  title: 'End the rules',
  description:
    'Not available to agents: a person ends a Pawl run. The answer says what you can do instead.',
  input: nothing,
  effect: 'looks',
  run: async (context, { who }): Promise<ToolResult> => {
    const { view, head } = await readPlace(context, await context.places.find(who))
    const events = view.signals.map((one) => `\`${one}\``).join(', ')
    const send = events === '' ? '' : `send one of ${events} to move on, `
    const pause = `\`${fullName('pause', context)}\``
    throw new PawlProblem(
      problem('NOT_PERMITTED', {
        detail: 'an agent cannot end the rules of its own run',
        hint: `${send}pause with ${pause}, or ask a person to run \`pawl cancel ${head.id}\``,
      }),
    )
  },
})

/** WHY 45: several hosts give up on a tool after a minute. */
const waitSecondsDefault = 45
const waitSecondsMax = 600
/** How often a client that waits hears that it still does. */
const beatMs = 5_000

export const waitTool = tool({
  name: 'wait',
  title: 'Wait for a person',
  description:
    'Wait in Pawl for a person: returns when the Pawl run is no longer waiting or paused. If it ' +
    'times out, call it again.',
  input: z.strictObject({
    timeout_seconds: z.number().min(0).max(waitSecondsMax).default(waitSecondsDefault),
  }),
  more: { timed_out: { type: 'boolean' } },
  effect: 'looks',
  run: async (context, call) => {
    const place = await context.places.find(call.who)
    const before = await readPlace(context, place)
    const question = await elicitDecision(context, call.person, before)
    if (question !== null) return { reading: before, text: question.message, question }
    const { reading, isOver } = await waitFor(context, place, call)
    const lead = isOver ? 'Timed out; the run is still waiting. Wait again.\n\n' : ''
    const text = `${lead}${runSummaryText(reading, context)}`
    return { reading, text, more: { timed_out: isOver } }
  },
})

type Waited = { readonly reading: RunReadings; readonly isOver: boolean }

async function waitFor(
  context: ToolContext,
  place: RunPlace,
  { input, signal, progress }: ToolInvocation<{ timeout_seconds: number }>,
): Promise<Waited> {
  const end = performance.now() + input.timeout_seconds * 1_000
  for (;;) {
    const reading = await readPlace(context, place)
    if (!isHeld(reading)) return { reading, isOver: false }
    const left = end - performance.now()
    if (left <= 0 || signal.aborted) return { reading, isOver: true }
    progress(reading.view.approval?.message ?? `the run is ${reading.view.status}`)
    const { runId } = place
    const timeoutMs = Math.ceil(Math.min(left, beatMs))
    await context.link.ask('runs.wait', { runId, after: reading.head.seq, timeoutMs }, { signal })
  }
}

function isHeld({ view }: RunReadings): boolean {
  return view.status === 'waiting' || view.status === 'paused'
}

const logItemsDefault = 30
const logItemsMax = 200
const detailCharsMax = 400

export const logTool = tool({
  name: 'log',
  title: 'Log of the run',
  description: "Read the run's latest records: what was decided, and by whom.",
  input: z.strictObject({
    limit: z.int().min(1).max(logItemsMax).default(logItemsDefault),
    after: z
      .int()
      .min(0)
      .optional()
      .describe('return the records after this number instead of the latest ones'),
  }),
  more: {
    records: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          seq: { type: 'integer' },
          type: { type: 'string' },
          actor: { type: 'string' },
          at: { type: 'string' },
          detail: { type: 'string' },
        },
        required: ['seq', 'type', 'actor', 'at', 'detail'],
      },
    },
  },
  effect: 'looks',
  run: async (context, { who, input }) => {
    const place = await context.places.find(who)
    const reading = await readPlace(context, place)
    const after = input.after ?? Math.max(0, reading.head.seq - input.limit)
    const { limit } = input
    const { items } = await context.link.ask('runs.events', { runId: place.runId, after, limit })
    const records = items.map(({ seq, type, actor, at, data }) => ({
      ...{ seq, type, actor },
      at: new Date(at).toISOString(),
      detail: detailOf(data),
    }))
    const lines = records.map(({ seq, type, actor, detail }) => `${seq} ${type} ${actor} ${detail}`)
    return { reading, text: lines.join('\n'), more: { records } }
  },
})

/** An event without what is said beside it already. */
function detailOf(data: Json): string {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  const text = JSON.stringify(isObject ? { ...data, type: undefined } : data)
  return text.length <= detailCharsMax ? text : `${text.slice(0, detailCharsMax)}…`
}

export const forceTool = tool({
  name: 'force_state',
  title: 'Force a state',
  description:
    'Move the Pawl run to any state, past guards and approvals. Only a person may do this; your ' +
    'call is rejected.',
  input: z.strictObject({
    state: z.string().min(1).max(500),
    context: jsonObjectShape.optional().describe('values to set'),
  }),
  effect: 'forces',
  run: async (context, { who, input }): Promise<ToolResult> => {
    const place = await context.places.find(who)
    const { runId } = place
    const vars = input.context ?? {}
    try {
      return await sendCommand(context, place, (commandId) =>
        context.link.ask('runs.force', { runId, stage: input.state, vars }, { commandId }),
      )
    } catch (fault) {
      if (!(fault instanceof PawlProblem) || fault.code !== 'NOT_PERMITTED') throw fault
      const hint = `a person can run \`pawl force ${runId} ${input.state}\``
      throw new PawlProblem({ ...fault.problem, hint })
    }
  },
})
