/**
 * The tools of a run in its current stage, for any dialect: Pawl's own tools, and those named by
 * the author.
 */
import type { Tool as Listed } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../core/json.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import { PawlProblem } from '../api/problem.ts'
import { annotationsOf, checkedInput, inputSchemaOf, type ToolSet } from './dispatch-tool.ts'
import { formDescription, formSchema, formToolOf } from './form-tool.ts'
import { jobTools, offeredJobTools } from './job-tools.ts'
import {
  deactivateTool,
  forceTool,
  logTool,
  pauseTool,
  stateTool,
  statusTool,
  waitTool,
} from './query-tools.ts'
import type { RunReadings } from './resolve-run.ts'
import {
  processTool,
  signalOutcomeSchema,
  submit,
  submitTool,
  transitionTool,
} from './signal-tools.ts'
import { createTool, listTool, loadTool } from './start-tools.ts'
import { dropInFields, ownPrefix, withoutForeign } from './statewright-fields.ts'
import { type McpTool, readPlace, type ToolContext, type ToolInvocation } from './tool-context.ts'
import { outputSchema, type ToolResult } from './tool-result.ts'

const always = [
  ...[listTool, loadTool, stateTool, statusTool, waitTool, pauseTool, logTool, createTool],
] as const
const all: readonly McpTool[] = [
  ...[...always, transitionTool, processTool, submitTool, forceTool, deactivateTool],
  ...jobTools,
]

/** The tools for a run; null: none is loaded, and any dialect may come. */
export function listTools(reading: RunReadings | null, prefix: string): Listed[] {
  const view = reading !== null && isOpen(reading.head.status) ? reading.view : null
  const form = view === null ? null : formTool(view)
  return [
    ...always.map((one) => listed(one, prefix)),
    ...[transitionTool, processTool].map((one) => spoken(one, view, prefix)),
    submitListed(view, prefix),
    ...(form === null ? [] : [form]),
    ...(view?.hasDebug === true ? [listed(forceTool, prefix)] : []),
    // WHY only there: who comes from another product has heard of it.
    ...(prefix === ownPrefix ? [] : [listed(deactivateTool, prefix)]),
  ]
}

/**
 * A tool by which a dialect is spoken to, with what it takes now.
 * WHY listed for every dialect: hosts read a changed list seconds later, or once in a turn, and
 * what the agent is told to call has to be there. Events take answers and fields as well.
 */
function spoken(one: McpTool, view: RunReadings['view'] | null, prefix: string): Listed {
  const plain = listed(one, prefix)
  const dialect = one === transitionTool ? 'workflow' : 'process'
  if (view?.dialect !== dialect) return plain
  const names = view.signals.map((name) => `\`${name}\``).join(', ')
  const now = names === '' ? 'nothing' : names
  return { ...plain, description: `${one.description} In \`${view.stage}\`: ${now}.` }
}

function submitSchema(view: RunReadings['view']): JsonObject {
  return { properties: { fields: formSchema(view) }, required: ['fields'] }
}

/** WHY beside the tool that the author names: that one comes and goes, and hosts see it late. */
function submitListed(view: RunReadings['view'] | null, prefix: string): Listed {
  const plain = listed(submitTool, prefix)
  if (view?.dialect !== 'steps' || view.signals.length === 0) return plain
  return {
    ...plain,
    description: `${submitTool.description} ${formDescription(view)}`,
    inputSchema: { ...submitSchema(view), type: 'object' },
  }
}

function nameOf({ name }: McpTool, prefix: string): string {
  return name.startsWith('process_') ? name : `${prefix}${name}`
}

function listed(one: McpTool, prefix: string): Listed {
  return {
    name: nameOf(one, prefix),
    title: one.title,
    description: one.description,
    inputSchema: inputSchemaOf(one.input),
    outputSchema: outputSchema(one.more),
    annotations: annotationsOf(one.effect),
    ...(one.meta === undefined ? {} : { _meta: one.meta }),
  }
}

function formTool(view: RunReadings['view']): Listed | null {
  const name = formToolOf(view)
  if (name === null) return null
  return {
    name,
    title: view.stage,
    description: formDescription(view),
    inputSchema: { ...formSchema(view), type: 'object' },
    outputSchema: outputSchema(signalOutcomeSchema),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  }
}

/** Names of submit tools that are remembered. */
const formsMax = 100

export function openRunTools(context: ToolContext): ToolSet {
  const { prefix } = context
  /** Submit tools that were offered: whoever comes too late with one is told why. */
  const forms = new Set<string>()
  return {
    list: (reading) => listTools(reading, prefix),
    more: async (reading) => {
      const offered = await offeredJobTools(context, reading)
      return offered.map((one) => listed(one, prefix))
    },
    see: ({ view }) => {
      const name = formToolOf(view)
      if (forms.size >= formsMax) forms.clear()
      if (name !== null) forms.add(name)
    },
    isLook: (name) => always.some((one) => one.effect === 'looks' && nameOf(one, prefix) === name),
    perform: async (name, call) => {
      const one = all.find((entry) => nameOf(entry, prefix) === name)
      if (one === undefined) return performForm(context, { name, isKnown: forms.has(name) }, call)
      const input = checkedInput(one.input, withoutForeign(one, call.input), one.errorOf)
      const perform = (): Promise<ToolResult> => one.run(context, { ...call, input })
      return prefix === ownPrefix ? perform() : dropIn(context, one, { who: call.who, perform })
    },
  }
}

type DropInCall = {
  readonly who: ToolInvocation<unknown>['who']
  readonly perform: () => Promise<ToolResult>
}

/** Carries out a tool and adds what instructions for another product expect. */
async function dropIn(
  context: ToolContext,
  { name }: McpTool,
  { who, perform }: DropInCall,
): Promise<ToolResult> {
  const place = name === 'transition' ? await context.places.find(who).catch(unlessNone) : null
  const from = place === null ? null : (await readPlace(context, place)).view.stage
  const told = await perform()
  return { ...told, more: { ...told.more, ...dropInFields(name, { from, reading: told.reading }) } }
}

/** Fields are checked by the form itself: what is right of them is kept. */
async function performForm(
  context: ToolContext,
  { name, isKnown }: { readonly name: string; readonly isKnown: boolean },
  call: ToolInvocation<JsonObject>,
): Promise<ToolResult | null> {
  const place = await context.places.find(call.who).catch(unlessNone)
  if (place === null) return null
  const reading = await readPlace(context, place)
  if (reading.view.dialect !== 'steps') return null
  const offered = formToolOf(reading.view)
  // While nothing is offered, the run says itself why it takes nothing now.
  const isMeant = offered === name || (offered === null && isKnown)
  return isMeant ? submit(context, { place, reading }, call.input) : null
}

function unlessNone(fault: unknown): null {
  if (fault instanceof PawlProblem && fault.code === 'RUN_UNKNOWN') return null
  throw fault
}
