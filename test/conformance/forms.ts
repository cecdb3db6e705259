/**
 * A form of steps as a client of each door sees it: the same few facts, read from the answers of
 * MCP over stdio, MCP over HTTP, and REST.
 */
import { afterEach, beforeAll } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { Doors, LooseJson, McpWire, RestAnswer, ToolAnswer } from './doors.ts'

export const formDoors = ['stdio', 'http', 'rest'] as const
export type FormDoor = (typeof formDoors)[number]

/** What is told of a form after each call, whatever the door. */
export type FormState = {
  readonly status: string
  readonly step: string
  readonly goal: string
  readonly brief: string
  readonly collected: LooseJson
  readonly missing: readonly string[]
  readonly vars: LooseJson
  readonly local: LooseJson
  /** Texts of this call, with their roles. */
  readonly said: readonly { readonly role: string; readonly text: string }[]
  readonly pending: { readonly name: string; readonly arguments: LooseJson } | null
  readonly toolChoice: string | null
  /** `ok`, or the code of the error. */
  readonly code: string
  readonly issues: LooseJson
}

export type OpenForm = {
  readonly runId: string
  readonly first: FormState
  readonly submit: (fields?: JsonObject) => Promise<FormState>
  readonly state: () => Promise<FormState>
  /** What the guard says to a tool call. */
  readonly judge: (tool: string, input?: JsonObject) => Promise<string>
}

export type Forms = {
  /** Stores a form of these steps and starts it; the run is cancelled after the test. */
  readonly open: (door: FormDoor, steps: LooseJson, more?: JsonObject) => Promise<OpenForm>
  /** The findings about a form of these steps, as `CODE pointer`. */
  readonly check: (steps: LooseJson, more?: JsonObject) => Promise<readonly string[]>
  /** The submit tool as an MCP client lists it; undefined: it is not offered. */
  readonly submitTool: (wire: 'stdio' | 'http') => Promise<LooseJson>
}

const pause = {
  id: 'pause',
  initial: 'a',
  states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
}

const nothing: RestAnswer = { status: 200, type: '', body: {} }

/** The name of every form's submit tool here. */
export const submitName = 'submit_form'

/** Forms on the doors of a daemon. */
export function useForms(doors: Doors): Forms {
  let count = 0
  const open: string[] = []
  connectFirst(doors)
  afterEach(async () => {
    for (const runId of open.splice(0)) await doors.rest(`POST /v1/runs/${runId}/cancel`)
  })
  const definitionOf = (steps: LooseJson, more: JsonObject = {}): JsonObject => {
    count += 1
    const tool = { name: submitName }
    return { type: 'steps', version: 'v1alpha', id: `form-${count}`, tool, steps, ...more }
  }
  // WHY: the variables of a form go on to the next form of a conversation, not past a workflow.
  const used = new Set<McpWire>()
  const forget = async (wire: McpWire): Promise<void> => {
    const isFirst = used.size === 0
    if (isFirst) await doors.rest('POST /v1/definitions', { body: { definition: pause } })
    if (!used.has(wire)) {
      used.add(wire)
      return
    }
    const { values } = await doors.tool(wire, 'pawl_load_workflow', { name: pause.id })
    await doors.rest(`POST /v1/runs/${values.run.run}/cancel`)
  }
  const start = async (door: FormDoor, id: string): Promise<LooseJson> => {
    if (door !== 'rest') {
      await forget(door)
      return doors.tool(door, 'pawl_load_workflow', { name: id })
    }
    const body = { definition: id, workspace: doors.house().workspace }
    return doors.rest('POST /v1/runs', { as: 'agent', body })
  }
  return {
    open: async (door, steps, more) => {
      const definition = definitionOf(steps, more)
      const stored = await doors.rest('POST /v1/definitions', { body: { definition } })
      if (stored.status !== 200) throw new Error(JSON.stringify(stored.body))
      const begun = await start(door, String(definition.id))
      const runId: string = begun.body?.runId ?? begun.values?.run?.run
      if (runId === undefined) throw new Error(JSON.stringify(begun))
      open.push(runId)
      let seen = 0
      const read = async (answer: RestAnswer | ToolAnswer): Promise<FormState> => {
        const { state, seq } = await readState(doors, runId, { answer, after: seen })
        seen = seq
        return state
      }
      const first = await read(begun)
      const submit = async (fields: JsonObject = {}): Promise<FormState> =>
        read(await send(doors, { door, runId }, fields))
      const judge = async (tool: string, input: JsonObject = {}): Promise<string> => {
        const body = { tool, input }
        const { body: told } = await doors.rest(`POST /v1/runs/${runId}/calls`, {
          as: 'agent',
          body,
        })
        return told.reply?.state ?? told.code
      }
      return { runId, first, submit, judge, state: () => read(nothing) }
    },
    check: async (steps, more) => {
      const definition = definitionOf(steps, more)
      const { body } = await doors.rest('POST /v1/check', { body: { definition } })
      return body.findings.map((one: LooseJson) => `${one.code} ${one.pointer}`)
    },
    submitTool: async (wire) => {
      const tools = await (await doors.client(wire)).tools()
      return tools.find((one) => one.name === submitName)
    },
  }
}

const connectMsMax = 60_000

/** Connects the clients before the tests: starting a process is not what they are about. */
export function connectFirst(doors: Doors): void {
  beforeAll(async () => {
    await Promise.all([doors.client('stdio'), doors.client('http')])
  }, connectMsMax)
}

type FormPlace = { readonly door: FormDoor; readonly runId: string }

function send(
  doors: Doors,
  { door, runId }: FormPlace,
  fields: JsonObject,
): Promise<RestAnswer | ToolAnswer> {
  if (door !== 'rest') return doors.tool(door, submitName, fields)
  const { go_to_step: goTo, ...data } = fields
  const body = { data, ...(goTo === undefined ? {} : { goTo }) }
  return doors.rest(`POST /v1/runs/${runId}/signals`, { as: 'agent', body })
}

async function readState(
  doors: Doors,
  runId: string,
  { answer, after }: { readonly answer: RestAnswer | ToolAnswer; readonly after: number },
): Promise<{ readonly state: FormState; readonly seq: number }> {
  const [{ body }, events] = await Promise.all([
    doors.rest(`GET /v1/runs/${runId}`, { as: 'agent' }),
    doors.rest(`GET /v1/runs/${runId}/events?after=${after}`, { as: 'agent' }),
  ])
  const { view, head } = body
  const facts = 'values' in answer ? fromTool(answer.values) : fromRest(answer.body)
  const state = {
    status: view.status,
    step: view.stage,
    goal: view.goal,
    brief: view.brief,
    collected: view.inputs,
    missing: view.missing,
    vars: view.vars,
    local: view.local,
    said: events.body.items.flatMap(({ type, data }: LooseJson) =>
      type === 'text.said' ? [{ role: data.role, text: data.text }] : [],
    ),
    pending: view.pendingCall,
    toolChoice: view.toolChoice,
    ...facts,
  }
  return { state, seq: head.seq }
}

/** What the answer itself says; it has to agree with what is read afterwards. */
function fromTool(values: LooseJson): Pick<FormState, 'code' | 'issues'> & Partial<FormState> {
  const { run, error, messages } = values
  return {
    code: error?.code ?? 'ok',
    issues: error?.issues ?? [],
    ...(run == null
      ? {}
      : {
          status: run.status,
          step: run.step,
          goal: run.goal,
          brief: run.brief,
          collected: run.inputs.collected,
          missing: run.inputs.missing,
          pending: run.pending_tool_call ?? null,
          toolChoice: run.tool_choice ?? null,
        }),
    ...(messages === undefined ? {} : { said: messages }),
  }
}

function fromRest(body: LooseJson): Pick<FormState, 'code' | 'issues'> {
  return { code: body.code ?? 'ok', issues: body.issues ?? [] }
}
