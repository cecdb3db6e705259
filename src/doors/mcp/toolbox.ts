/**
 * Which tools there are for a run as it stands, and what becomes of a call.
 */
import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.ts'
import { isOpen } from '../../runtime/open-statuses.ts'
import { PawlProblem, type Problem, problem, problemOfThrown } from '../api/problem.ts'
import { type Call, type Desk, readPlace, type Tool } from './desk.ts'
import { formDescription, formSchema, submitToolOf } from './form-tool.ts'
import { jobTools, offeredJobTools } from './job-tools.ts'
import { createTool, listTool, loadTool } from './load-tools.ts'
import { forceTool, logTool, pauseTool, stateTool, statusTool, waitTool } from './look-tools.ts'
import { processTool, spokenSchema, submit, transitionTool } from './move-tools.ts'
import type { Reading } from './places.ts'
import { outputSchema, refusalOf, resultOf, type Told } from './told.ts'
import { readWho, type Who } from './who.ts'

const always = [
  ...[listTool, loadTool, stateTool, statusTool, waitTool, pauseTool, logTool, createTool],
] as const
const all: readonly Tool[] = [...always, transitionTool, processTool, forceTool, ...jobTools]

/** The tools for a run; null: none is loaded, and any dialect may come. */
export function listTools(reading: Reading | null, prefix: string): Listed[] {
  const view = reading !== null && isOpen(reading.head.status) ? reading.view : null
  const form = view === null ? null : formTool(view, prefix)
  return [
    ...always.map((one) => listed(one, prefix)),
    ...[transitionTool, processTool].flatMap((one) => spoken(one, view, prefix)),
    ...(form === null ? [] : [form]),
    ...(view?.hasDebug === true ? [listed(forceTool, prefix)] : []),
  ]
}

/** The tool by which a dialect is spoken to, with what it takes now. */
function spoken(one: Tool, view: Reading['view'] | null, prefix: string): Listed[] {
  const plain = listed(one, prefix)
  if (view === null) return [plain]
  if (view.dialect !== (one === transitionTool ? 'workflow' : 'process')) return []
  const names = view.signals.map((name) => `\`${name}\``).join(', ')
  const now = names === '' ? 'nothing' : names
  return [{ ...plain, description: `${one.description} In \`${view.stage}\`: ${now}.` }]
}

function nameOf({ name }: Tool, prefix: string): string {
  return name.startsWith('process_') ? name : `${prefix}${name}`
}

function listed(one: Tool, prefix: string): Listed {
  return {
    name: nameOf(one, prefix),
    title: one.title,
    description: one.description,
    inputSchema: inputSchemaOf(one),
    outputSchema: outputSchema(one.more),
    annotations: {
      readOnlyHint: one.effect === 'looks',
      destructiveHint: one.effect === 'forces' || one.effect === 'runs',
      idempotentHint: one.effect === 'looks',
      openWorldHint: false,
    },
  }
}

function inputSchemaOf({ input }: Tool): Listed['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  // WHY more is let in: Pawl's hook adds who is calling.
  return { ...(schema as JsonObject), type: 'object', additionalProperties: true }
}

function formTool(view: Reading['view'], prefix: string): Listed | null {
  const name = submitToolOf(view, prefix)
  if (name === null) return null
  return {
    name,
    title: view.stage,
    description: formDescription(view),
    inputSchema: { ...formSchema(view), type: 'object' },
    outputSchema: outputSchema(spokenSchema),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  }
}

export type Asked = Pick<Call<unknown>, 'signal' | 'progress'> & {
  readonly name: string
  readonly args: JsonObject
}

export type Toolbox = {
  /** The tools for a run; null: none is loaded. */
  readonly list: (reading: Reading | null) => Promise<Listed[]>
  /** Null: there is no tool of that name, and none of this name was offered before. */
  readonly call: (asked: Asked) => Promise<CallToolResult | null>
}

export type ToolboxOptions = {
  readonly desk: Desk
  /** Hears of every run that a call was about, as it stands after it. */
  readonly onReading: (reading: Reading) => Promise<void>
  /** Hears of what we did not foresee. */
  readonly onFault: (fault: unknown) => void
}

/** Names of submit tools that are remembered. */
const formsMax = 100
/** Calls at a time; a client that sends more is told to wait. */
const callsMax = 64

export function openToolbox({ desk, onReading, onFault }: ToolboxOptions): Toolbox {
  const { prefix } = desk
  let callsCount = 0
  /** Submit tools that were offered: whoever comes too late with one is told why. */
  const forms = new Set<string>()
  const remember = ({ view }: Reading): void => {
    const name = submitToolOf(view, prefix)
    if (forms.size >= formsMax) forms.clear()
    if (name !== null) forms.add(name)
  }
  const see = async (reading: Reading | null): Promise<void> => {
    if (reading === null) return
    remember(reading)
    if (!isOpen(reading.head.status)) desk.places.leave(reading.head.id)
    await onReading(reading)
  }
  const refuse = async (thrown: unknown, name: string, who: Who): Promise<CallToolResult> => {
    const why = problemOfThrown(thrown)
    if (why.code === 'INTERNAL') onFault(thrown)
    const isLook = always.some((one) => one.effect === 'looks' && nameOf(one, prefix) === name)
    const reading = isLook ? null : await standingFor(desk, who, why)
    await see(reading)
    return refusalOf(why, reading, prefix)
  }
  return {
    list: async (reading) => {
      if (reading !== null) remember(reading)
      const jobs = await offeredJobTools(desk, reading)
      return [...listTools(reading, prefix), ...jobs.map((one) => listed(one, prefix))]
    },
    call: async ({ name, args, signal, progress }) => {
      const { who, input } = readWho(args)
      if (callsCount >= callsMax) return refusalOf(tooMany, null, prefix)
      callsCount += 1
      try {
        const call = { who, input, signal, progress }
        const one = all.find((entry) => nameOf(entry, prefix) === name)
        const told =
          one === undefined
            ? await performForm(desk, { name, isKnown: forms.has(name) }, call)
            : await one.run(desk, { ...call, input: checked(one, input) })
        if (told === null) return null
        await see(told.reading)
        return resultOf(told, prefix)
      } catch (thrown) {
        return refuse(thrown, name, who)
      } finally {
        callsCount -= 1
      }
    },
  }
}

const tooMany = problem('OVERLOADED', {
  detail: `more than ${callsMax} calls at a time`,
  hint: 'try again in a moment',
})

/** Fields are checked by the form itself: what is right of them is kept. */
async function performForm(
  desk: Desk,
  { name, isKnown }: { readonly name: string; readonly isKnown: boolean },
  call: Call<JsonObject>,
): Promise<Told | null> {
  const place = await desk.places.find(call.who).catch(unlessNone)
  if (place === null) return null
  const reading = await readPlace(desk, place)
  if (reading.view.dialect !== 'steps') return null
  const offered = submitToolOf(reading.view, desk.prefix)
  // While nothing is offered, the run says itself why it takes nothing now.
  const isMeant = offered === name || (offered === null && isKnown)
  return isMeant ? submit(desk, { place, reading }, call.input) : null
}

function unlessNone(fault: unknown): null {
  if (fault instanceof PawlProblem && fault.code === 'RUN_UNKNOWN') return null
  throw fault
}

function checked({ input }: Tool, args: JsonObject): Record<string, Json> {
  const parsed = input.safeParse(args)
  // WHY the cast: it was JSON, and a schema adds nothing but defaults.
  if (parsed.success) return parsed.data as Record<string, Json>
  const detail = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) =>
      path.length === 0 ? message : `\`${path.map(String).join('.')}\`: ${message}`,
    )
    .join('; ')
  const names = Object.keys(input.shape).map((name) => `\`${name}\``)
  const hint = names.length === 0 ? 'it takes no arguments' : `it takes ${names.join(', ')}`
  throw new PawlProblem(problem('REQUEST_INVALID', { detail, hint }))
}

/** Where the run stands that was refused something; null: that cannot be said. */
async function standingFor(desk: Desk, who: Who, why: Problem): Promise<Reading | null> {
  if (why.code === 'RUN_UNKNOWN' || why.code === 'DAEMON_UNREACHABLE') return null
  try {
    return await readPlace(desk, await desk.places.find(who))
  } catch {
    // The refusal is what was asked for; this would only have helped.
    return null
  }
}
