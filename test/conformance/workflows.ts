/**
 * Runs of workflows at the public doors, for tests that quote the workflow schema: the tools under
 * the prefix `statewright_` over stdio and HTTP, and REST. Knows nothing of the program.
 */
import { afterEach } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { Doors, LooseJson, McpWire } from './doors.ts'
import { useDoors } from './doors.ts'

export type WorkflowDoor = McpWire | 'rest'
export const workflowDoors: readonly WorkflowDoor[] = ['stdio', 'http', 'rest']

/** What the tools are called in instructions for the reference product. */
export const toolPrefix = 'statewright_'

/** A run as a door shows it after a command. */
export type RunStanding = {
  /** Of a refused command; null: it was accepted. */
  readonly code: string | null
  readonly text: string
  readonly state: string
  readonly status: string
  readonly events: readonly string[]
  readonly context: LooseJson
  /** All the door has said. */
  readonly values: LooseJson
}

export type WorkflowRun = {
  readonly id: string
  readonly first: RunStanding
  readonly send: (event: string, data?: LooseJson) => Promise<RunStanding>
  readonly look: () => Promise<RunStanding>
  /** A call as a host has it judged; what may be made counts as made. */
  readonly call: (tool: string, input?: JsonObject) => Promise<LooseJson>
  /** A call that was made, with its result. */
  readonly made: (tool: string, input: JsonObject, output?: string) => Promise<RunStanding>
  readonly approve: (granted: boolean, note?: string) => Promise<RunStanding>
}

export type Workflows = {
  readonly doors: Doors
  /** Keeps definitions, as a person does. */
  readonly store: (...definitions: readonly LooseJson[]) => Promise<void>
  /** Starts a run of the first one, and keeps the others for it. */
  readonly open: (
    door: WorkflowDoor,
    definition: LooseJson,
    more?: OpenOptions,
  ) => Promise<WorkflowRun>
  readonly tool: (wire: McpWire, name: string, args?: JsonObject) => Promise<LooseJson>
}

type OpenOptions = { readonly others?: readonly LooseJson[]; readonly vars?: JsonObject }

/** One daemon for the tests of a file; no run of one test is open in the next. */
export function useWorkflows(wish: Parameters<typeof useDoors>[0] = {}): Workflows {
  const doors = useDoors({ ...wish, client: { prefix: toolPrefix } })
  const opened: string[] = []
  afterEach(async () => {
    for (const id of opened.splice(0)) await doors.rest(`POST /v1/runs/${id}/cancel`)
  })
  const store: Workflows['store'] = async (...definitions) => {
    for (const definition of definitions) {
      const name = definition.id ?? definition.name
      const created = await doors.rest('POST /v1/definitions', { body: { definition } })
      const kept =
        created.status === 409
          ? await doors.rest(`PUT /v1/definitions/${name}`, { body: { definition } })
          : created
      if (kept.status !== 200) throw new Error(JSON.stringify(kept.body))
    }
  }
  const tool: Workflows['tool'] = (wire, name, args) => doors.tool(wire, toolPrefix + name, args)
  const open: Workflows['open'] = async (door, definition, { others = [], vars } = {}) => {
    await store(...others, definition)
    const isRest = door === 'rest' || vars !== undefined
    const first = isRest
      ? await startByRest(doors, definition.id, vars)
      : standingOf(await tool(door, 'load_workflow', { name: definition.id }))
    const id = first.values.runId ?? first.values.run?.run
    if (id === undefined) throw new Error(first.text)
    opened.push(id)
    return runAt({ doors, tool }, { door: isRest ? 'rest' : door, id, first })
  }
  return { doors, store, open, tool }
}

async function startByRest(doors: Doors, name: string, vars?: JsonObject): Promise<RunStanding> {
  const { workspace } = doors.house()
  const body = { definition: name, workspace, ...(vars === undefined ? {} : { vars }) }
  const { body: values } = await doors.rest('POST /v1/runs', { as: 'agent', body })
  return viewed(values)
}

type At = { readonly door: WorkflowDoor; readonly id: string; readonly first: RunStanding }

function runAt(at: Pick<Workflows, 'doors' | 'tool'>, { door, id, first }: At): WorkflowRun {
  const { doors, tool } = at
  const post = (path: string, body: unknown = {}) =>
    doors.rest(`POST /v1/runs/${id}/${path}`, { as: 'agent', body })
  const look = async (): Promise<RunStanding> =>
    door === 'rest'
      ? viewed((await doors.rest(`GET /v1/runs/${id}`, { as: 'agent' })).body)
      : standingOf(await tool(door, 'get_state'))
  const call: WorkflowRun['call'] = async (name, input = {}) =>
    (await post('calls', { tool: name, input, host: 'claude' })).body.reply
  return {
    ...{ id, first, look, call },
    send: async (event, data) => {
      const more = data === undefined ? {} : { data }
      if (door !== 'rest') return standingOf(await tool(door, 'transition', { event, ...more }))
      return viewed((await post('signals', { name: event, ...more })).body)
    },
    made: async (name, input, output = '') => {
      const { verdict, callId, reason } = await call(name, input)
      if (verdict !== 'allow') throw new Error(`${verdict}: ${reason}`)
      await post('reports', { callId, ok: true, output })
      return look()
    },
    approve: async (granted, note = '') => {
      const { body } = await doors.rest(`GET /v1/approvals?runId=${id}&status=pending`)
      const [{ id: approval }] = body.items
      await doors.rest(`POST /v1/approvals/${approval}`, { body: { granted, note } })
      return look()
    },
  }
}

/** What a tool has said about a run. */
export function standingOf({ values, text }: LooseJson): RunStanding {
  const { run, error, context } = values
  const { state = '', status = '', events = [] } = run ?? {}
  return { code: error?.code ?? null, text, state, status, events, context, values }
}

/** What REST has said about it. */
function viewed(values: LooseJson): RunStanding {
  const { view, code = null, detail = '', hint = '' } = values
  const { stage: state = '', status = '', signals: events = [], vars: context } = view ?? {}
  const text = code === null ? (view?.brief ?? '') : `${detail} ${hint}`
  return { code, text, state, status, events, context, values }
}
