/** What tests of process definitions share: storing one, starting a run, answering, and calls. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { Doors, LooseJson, RestAnswer } from './doors.ts'

/** The smallest process: one question that ends it. */
export const smallest = {
  initial: 'ask',
  states: { ask: { question: 'Ready?', answers: { yes: { next: null, action: 'complete' } } } },
}

export type ProcessClient = {
  /** Stores a definition as a value. */
  readonly store: (definition: object) => Promise<RestAnswer>
  /** Stores one under a new name, starts a run of it in a folder of its own, and gives it. */
  readonly start: (definition?: object) => Promise<ProcessRun>
  /** The findings of a definition that is not stored. */
  readonly check: (definition: object) => Promise<LooseJson>
}

export type ProcessRun = {
  readonly id: string
  readonly name: string
  readonly workspace: string
  /** The run as it began. */
  readonly view: LooseJson
  readonly answer: (name: string, more?: JsonObject) => Promise<RestAnswer>
  readonly read: () => Promise<LooseJson>
  readonly events: () => Promise<readonly LooseJson[]>
  /** A tool call before it happens; its verdict. */
  readonly call: (tool: string, input?: JsonObject, more?: JsonObject) => Promise<LooseJson>
  /** A call that happens, and costs that many dollars. */
  readonly pay: (tool: string, usd: number) => Promise<LooseJson>
  readonly decide: (granted: boolean) => Promise<RestAnswer>
}

let count = 0

/** A name that no other process of this file has. */
export function freshName(): string {
  count += 1
  return `process-${count}`
}

export function processClient(doors: Doors): ProcessClient {
  const store: ProcessClient['store'] = (definition) =>
    doors.rest('POST /v1/definitions', { body: { definition } })
  return {
    store,
    check: async (definition) =>
      (await doors.rest('POST /v1/check', { as: 'agent', body: { definition } })).body,
    start: async (definition = {}) => {
      const name = freshName()
      const stored = await store({ ...smallest, ...definition, name })
      expect(stored.body.findings ?? []).not.toContainEqual(
        expect.objectContaining({ severity: 'error' }),
      )
      return startRun(doors, name)
    },
  }
}

/** Starts a run of a stored process, in a folder of its own. */
export async function startRun(doors: Doors, name: string): Promise<ProcessRun> {
  const workspace = doors.workspace(`of-${freshName()}`)
  const as = 'agent'
  const started = await doors.rest('POST /v1/runs', { as, body: { definition: name, workspace } })
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  const id: string = started.body.runId
  const at = `/v1/runs/${id}`
  const call: ProcessRun['call'] = async (tool, input = {}, more = {}) =>
    (await doors.rest(`POST ${at}/calls`, { as, body: { tool, input, ...more } })).body.reply
  const read: ProcessRun['read'] = async () => (await doors.rest(`GET ${at}`)).body
  return {
    ...{ id, name, workspace, call, read },
    view: started.body.view,
    answer: (signal, more = {}) =>
      doors.rest(`POST ${at}/signals`, { as, body: { name: signal, ...more } }),
    events: async () => (await doors.rest(`GET ${at}/events?limit=500`)).body.items,
    pay: async (tool, usd) => {
      const verdict = await call(tool)
      if (verdict.state !== 'allowed') return verdict
      const body = { callId: verdict.callId, ok: true, costMicroUsd: Math.round(usd * 1_000_000) }
      expect((await doors.rest(`POST ${at}/reports`, { as, body })).status).toBe(200)
      return verdict
    },
    decide: async (granted) => {
      const { view } = await read()
      return doors.rest(`POST /v1/approvals/${view.approval.id}`, { body: { granted } })
    },
  }
}
