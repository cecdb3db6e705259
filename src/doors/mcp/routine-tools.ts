/**
 * The tools for unattended routines: notes, tasks, and the answers of a checklist. The daemon
 * judges each call, executes it, and records its source.
 */
import type { Tool as Listed } from '@modelcontextprotocol/server'
import { own } from '../../core/json.ts'
import { answerTool } from '../../core/tools/pawl-tool-names.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import { PawlProblem, problem } from '../api/problem.ts'
import { processTools } from '../api/process-tools.ts'
import { annotationsOf, checkedInput, inputSchemaOf, type ToolSet } from './dispatch-tool.ts'
import { filterAllowed } from './filter-allowed.ts'
import type { RunReadings } from './resolve-run.ts'
import { nextLine } from './run-summary.ts'
import { processTool, readRunSummary, sendCommand, signalOutcomeSchema } from './signal-tools.ts'
import { readPlace, type ToolContext, type ToolInvocation } from './tool-context.ts'
import { outputSchema, type ToolResult } from './tool-result.ts'

const answers = processTool.input

export function openRoutineTools(context: ToolContext): ToolSet {
  return {
    list: () => [answerListed],
    more: (reading) => listFor(context, reading),
    see: () => undefined,
    isLook: (name) => own(processTools, name)?.effect === 'looks',
    perform: async (name, call) => {
      if (name === answerTool) return step(context, call)
      return own(processTools, name) === undefined ? null : use(context, name, call)
    },
  }
}

/** WHY always: a process that is bound can be answered, whatever it lists. */
const answerListed: Listed = {
  name: answerTool,
  title: processTool.title,
  description: processTool.description,
  inputSchema: inputSchemaOf(answers),
  outputSchema: outputSchema(signalOutcomeSchema),
  annotations: annotationsOf('moves'),
}

/** What the process lists, less what a policy would deny. */
async function listFor({ link }: ToolContext, reading: RunReadings | null): Promise<Listed[]> {
  if (reading === null || !isOpen(reading.head.status)) return []
  const { dialect, tools } = reading.view
  if (dialect !== 'process') return []
  const named = Object.entries(processTools)
    .filter(([name]) => tools === 'all' || tools.includes(name))
    .map(([name, one]) => ({ name, input: {}, one }))
  const offered = await filterAllowed(link, { runId: reading.head.id, host: 'mcp' }, named)
  return offered.map(({ name, one }) => ({
    name,
    title: one.title,
    description: one.description,
    inputSchema: inputSchemaOf(one.input),
    outputSchema: outputSchema(valueSchema),
    annotations: annotationsOf(one.effect === 'changes' ? 'moves' : one.effect),
  }))
}

const valueSchema = {
  memory: { type: ['object', 'null'] },
  memories: { type: 'array', items: { type: 'object' } },
  task: { type: ['object', 'null'] },
  tasks: { type: 'array', items: { type: 'object' } },
  deleted: { type: 'boolean' },
  left_out: { type: 'integer', description: 'number of results left out' },
  pending: { const: true, description: 'a person must approve first; then call it again' },
} as const

async function step(
  context: ToolContext,
  call: ToolInvocation<Parameters<typeof checkedInput>[1]>,
): Promise<ToolResult> {
  // WHY the cast: the schema of this very tool reads it.
  const input = checkedInput(answers, call.input) as unknown as Answers
  const { answer, state, note } = input
  const place = await context.places.find(call.who)
  if (answer === undefined) return readRunSummary(context, place)
  const { runId, branch } = place
  const wish = {
    ...(branch === null ? { runId } : { runId, branch }),
    ...(state === undefined ? {} : { state }),
    ...(note === undefined ? {} : { note }),
  }
  return sendCommand(context, place, (commandId) =>
    context.link.ask('process.step', { ...wish, answer }, { commandId }),
  )
}

type Answers = { readonly answer?: string; readonly state?: string; readonly note?: string }

async function use(
  context: ToolContext,
  tool: string,
  { who, input }: ToolInvocation<UseInput>,
): Promise<ToolResult> {
  const place = await context.places.find(who)
  const { runId, branch } = place
  const where = branch === null ? { runId } : { runId, branch }
  const { reply, value } = await context.link.ask('process.call', { ...where, tool, input })
  const reading = await readPlace(context, place)
  if (value !== null) return { reading, text: JSON.stringify(value), more: value }
  const { verdict, code, reason, hint } = reply
  if (verdict === 'ask') {
    const text = `${reason}. ${nextLine(reading, context)} Then call it again.`
    return { reading, text, more: { pending: true } }
  }
  const why = problem('NOT_PERMITTED', { detail: reason, hint })
  // WHY the cast: a denial is no problem of a door, but it is told as one here.
  throw new PawlProblem(code === null ? why : { ...why, code: code as typeof why.code })
}

type UseInput = Parameters<typeof checkedInput>[1]
