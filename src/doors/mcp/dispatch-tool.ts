/**
 * Dispatches a tool call: identifies the caller, limits concurrent calls, runs the tool, and adds
 * the state of the run to a refusal.
 */
import type { CallToolResult, Tool as Listed } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.ts'
import { isOpen } from '../../runtime/runs/open-statuses.ts'
import { PawlProblem, type ProblemDocument, problem, problemOfThrown } from '../api/problem.ts'
import { identifyCaller, readSignature, type ToolCaller, unknownCaller } from './caller-mark.ts'
import type { ElicitQuestion } from './elicit.ts'
import type { RunReadings } from './resolve-run.ts'
import { type McpTool, readPlace, type ToolContext, type ToolInvocation } from './tool-context.ts'
import { refusalOf, type ToolResult, toolResultOf } from './tool-result.ts'

/** The tools of one endpoint. */
export type ToolSet = {
  /** The tools for a run; null: none is loaded. */
  readonly list: (reading: RunReadings | null) => Listed[]
  /** Those beside them that only the daemon can tell. */
  readonly more: (reading: RunReadings | null) => Promise<Listed[]>
  /** Hears of every run that is listed or called for. */
  readonly see: (reading: RunReadings) => void
  /** A call of this name changes nothing, so a refusal of it needs no standing. */
  readonly isLook: (name: string) => boolean
  /** Null: there is no tool of that name, and none of this name was offered before. */
  readonly perform: (name: string, call: ToolInvocation<JsonObject>) => Promise<ToolResult | null>
}

export type ToolRequest = Omit<ToolInvocation<unknown>, 'who' | 'input'> & {
  readonly name: string
  readonly args: JsonObject
}

export type ToolDispatcher = {
  /** The tools for a run; null: none is loaded. */
  readonly list: (reading: RunReadings | null) => Promise<Listed[]>
  /** Null: there is no tool of that name. */
  readonly call: (asked: ToolRequest) => Promise<CallToolResult | ElicitQuestion | null>
}

type ToolboxOptions = {
  readonly context: ToolContext
  readonly box: ToolSet
  /** Hears of every run that a call was about, as it stands after it. */
  readonly onReading: (reading: RunReadings) => Promise<void>
  /** Hears of what we did not foresee. */
  readonly onFault: (fault: unknown) => void
}

/** Calls at a time; a client that sends more is told to wait. */
const callsMax = 64

export function openToolDispatcher({
  context,
  box,
  onReading,
  onFault,
}: ToolboxOptions): ToolDispatcher {
  let callsCount = 0
  const see = async (reading: RunReadings | null): Promise<void> => {
    if (reading === null) return
    box.see(reading)
    if (!isOpen(reading.head.status)) context.places.leave(reading.head.id)
    await onReading(reading)
  }
  const refuse = async (
    thrown: unknown,
    name: string,
    who: ToolCaller,
  ): Promise<CallToolResult> => {
    const why = problemOfThrown(thrown)
    if (why.code === 'INTERNAL') onFault(thrown)
    const reading = box.isLook(name) ? null : await standingFor(context, who, why)
    await see(reading)
    return refusalOf(why, reading, context)
  }
  return {
    list: async (reading) => {
      if (reading !== null) box.see(reading)
      return [...box.list(reading), ...(await box.more(reading))]
    },
    call: async ({ name, args, ...asked }) => {
      const { mark, input } = readSignature(args)
      let who = unknownCaller
      if (callsCount >= callsMax) return refusalOf(tooMany, null, context)
      callsCount += 1
      try {
        who = await identifyCaller(context.link.ask, mark)
        const told = await box.perform(name, { who, input, ...asked })
        if (told === null) return null
        if (told.question !== undefined) return told.question
        await see(told.reading)
        return toolResultOf(told, context)
      } catch (thrown) {
        return refuse(thrown, name, who)
      } finally {
        callsCount -= 1
      }
    },
  }
}

const tooMany = problem('OVERLOADED', {
  detail: `more than ${callsMax} calls at the same time`,
  hint: 'try again in a moment',
})

/** The schema of what a tool takes. */
export function inputSchemaOf(input: z.ZodObject): Listed['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  // WHY more is let in: Pawl's hook adds who is calling.
  return { ...(schema as JsonObject), type: 'object', additionalProperties: true }
}

/** What a client may tell its person about a tool. */
export function annotationsOf(effect: McpTool['effect'] | 'removes'): Listed['annotations'] {
  return {
    readOnlyHint: effect === 'looks',
    destructiveHint: effect === 'forces' || effect === 'removes' || effect === 'runs',
    idempotentHint: effect === 'looks',
    openWorldHint: false,
  }
}

/**
 * The arguments as their schema reads them; `null` says the same as leaving one out, except where
 * the tool documents the error of a wrong type.
 */
export function checkedInput(
  input: z.ZodObject,
  args: JsonObject,
  errorOf?: McpTool['errorOf'],
): Record<string, Json> {
  const isSaid = ([key, value]: readonly [string, unknown]): boolean =>
    value !== null || input.shape[key]?.safeParse(undefined).success !== true
  const isStrict = errorOf !== undefined
  const said = isStrict ? args : Object.fromEntries(Object.entries(args).filter(isSaid))
  const parsed = input.safeParse(said)
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
  const told = problem('REQUEST_INVALID', { detail, hint })
  const error = errorOf?.(parsed.error.issues, detail)
  throw new PawlProblem(error === undefined ? told : { ...told, error })
}

/** Where the run stands that was refused something; null: that cannot be said. */
async function standingFor(
  context: ToolContext,
  who: ToolCaller,
  why: ProblemDocument,
): Promise<RunReadings | null> {
  if (why.code === 'RUN_UNKNOWN' || why.code === 'DAEMON_UNREACHABLE') return null
  try {
    return await readPlace(context, await context.places.find(who))
  } catch {
    // The refusal is what was asked for; this would only have helped.
    return null
  }
}
