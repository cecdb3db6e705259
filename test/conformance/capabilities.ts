/**
 * A client of the process capabilities that knows their document only: capability, inputs, and an
 * outcome that is either values or an error. One for each door.
 */
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Doors, LooseJson } from './doors.ts'

export const capabilityDoors = ['MCP over stdio', 'MCP over HTTP', 'REST'] as const
export type CapabilityDoor = (typeof capabilityDoors)[number]

export type CapabilityName = 'run' | 'monitor' | 'kill' | 'list' | 'logs'

export type Outcome =
  | { readonly ok: true; readonly values: LooseJson }
  | { readonly ok: false; readonly error: LooseJson }

export type CapabilityClient = {
  readonly door: CapabilityDoor
  readonly invoke: (capability: CapabilityName, inputs: JsonObject) => Promise<Outcome>
  /** Invokes it, expects that it goes well, and gives its outputs. */
  readonly call: (capability: CapabilityName, inputs: JsonObject) => Promise<LooseJson>
  /** Invokes it, expects an error, and gives it. */
  readonly fail: (capability: CapabilityName, inputs: JsonObject) => Promise<LooseJson>
}

/** The clients of the daemon of a test file. */
export function capabilityClients(doors: Doors): readonly CapabilityClient[] {
  return capabilityDoors.map((door) => {
    const invoke: CapabilityClient['invoke'] = (capability, inputs) =>
      door === 'REST'
        ? invokeRest(doors, capability, inputs)
        : invokeTool(doors, door, { capability, inputs })
    return {
      door,
      invoke,
      call: async (capability, inputs) => {
        const outcome = await invoke(capability, inputs)
        if (!outcome.ok) throw new Error(`${door}: ${JSON.stringify(outcome.error)}`)
        return outcome.values
      },
      fail: async (capability, inputs) => {
        const outcome = await invoke(capability, inputs)
        if (outcome.ok) throw new Error(`${door}: no error: ${JSON.stringify(outcome.values)}`)
        return outcome.error
      },
    }
  })
}

type Invocation = { readonly capability: CapabilityName; readonly inputs: JsonObject }

async function invokeTool(
  doors: Doors,
  door: CapabilityDoor,
  { capability, inputs }: Invocation,
): Promise<Outcome> {
  const wire = door === 'MCP over stdio' ? 'stdio' : 'http'
  const { isError, values } = await doors.tool(wire, `process_${capability}`, inputs)
  return isError ? { ok: false, error: values.error } : { ok: true, values }
}

async function invokeRest(
  doors: Doors,
  capability: CapabilityName,
  inputs: JsonObject,
): Promise<Outcome> {
  const { process_id: id, ...others } = inputs
  const at = `/v1/jobs/${encodeURIComponent(String(id))}`
  const as = 'agent'
  const body = { workspace: doors.house().workspace, ...inputs }
  const asked = {
    run: () => doors.rest('POST /v1/jobs', { as, body }),
    monitor: () => doors.rest(`GET ${at}${queryOf(others)}`, { as }),
    kill: () => doors.rest(`POST ${at}/kill`, { as, body: others }),
    list: () => doors.rest(`GET /v1/jobs${queryOf(inputs)}`, { as }),
    logs: () => doors.rest(`GET ${at}/logs${queryOf(others)}`, { as }),
  }
  const answer = await asked[capability]()
  if (answer.status === 200) return { ok: true, values: answer.body }
  expect(answer.type).toBe('application/problem+json')
  return { ok: false, error: answer.body.error }
}

function queryOf(inputs: Readonly<Record<string, Json>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(inputs)) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** Waits for a job in the background, as the document says: by monitoring it. */
export async function monitorUntilEnd(client: CapabilityClient, id: string): Promise<LooseJson> {
  let seen: LooseJson = null
  const state = async (): Promise<string> => {
    seen = await client.call('monitor', { process_id: id })
    return seen.state
  }
  await expect.poll(state, { timeout: 25_000, interval: 50 }).not.toBe('running')
  return seen
}
