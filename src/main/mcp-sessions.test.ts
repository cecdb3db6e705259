/** Sessions that a hook names, at the MCP server: none works on a run that it is not held to. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import { refusalIn } from '../doors/hook/answer-hook.contract.ts'
import { type House, isOurNode, openHouse, release } from './daemon.contract.ts'
import {
  type Agent,
  fork,
  type HookedCall,
  hear,
  type McpToolResult,
  markOf,
  openAgent,
} from './mcp.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  for (const one of [release, { ...release, id: 'other' }, fork.definition]) {
    writeFileSync(join(house.workspace, `${one.id}.json`), JSON.stringify(one))
    await house.json('definitions', 'add', `${one.id}.json`)
  }
})
afterAll(() => house?.close(), 60_000)
beforeEach(async () => {
  if (!isOurNode) return
  const { items } = await house.json('runs')
  for (const { id } of items) await house.json('cancel', id)
})

const hook = (...call: HookedCall): ReturnType<typeof hear> => hear(house, call)

/** A call of an agent under hooks: the hook writes who calls, and the server hears it. */
async function call(
  agent: Agent,
  session: string,
  [tool, input = {}]: readonly [tool: string, input?: JsonObject],
): Promise<McpToolResult> {
  const { stdout } = await hook(session, `mcp__pawl__${tool}`, input)
  return agent.call(tool, JSON.parse(stdout).hookSpecificOutput.updatedInput)
}

const resume = ['pawl_load_workflow', { name: 'release', resume: true }] as const
const state = ['pawl_get_state'] as const
const edit = { file_path: 'a', old_string: 'a', new_string: 'b' }
describe.runIf(isOurNode)('resuming under hooks', () => {
  test('the run of another session is refused, until a person releases it', async () => {
    const agent = await openAgent(house)
    const begun = await call(agent, 'one', ['pawl_load_workflow', { name: 'release' }])
    const { run } = begun.values.run
    const taken = await call(agent, 'two', resume)
    expect(taken).toMatchObject({ isError: true, values: { error: { code: 'NOT_PERMITTED' } } })
    expect(taken.text).toContain(`pawl release ${run}`)
    const lost = await call(agent, 'two', ['pawl_transition', { event: 'READY' }])
    expect(lost.values.error).toMatchObject({ code: 'RUN_UNKNOWN' })
    expect((await call(agent, 'one', state)).values.run).toMatchObject({ run, state: 'plan' })
    await house.json('release', run)
    expect((await call(agent, 'two', resume)).values).toMatchObject({ resumed: true, run: { run } })
    expect((await call(agent, 'one', resume)).values.error.code).toBe('NOT_PERMITTED')
  })

  test('a session is held to the run that it resumes, one that nobody has', async () => {
    const agent = await openAgent(house)
    // Two that are free: the hook cannot tell which is meant, until the agent has resumed one.
    const { runId } = await house.json('start', 'release')
    await house.json('start', 'other')
    // The latest one has a session already.
    await call(agent, 'four', ['pawl_load_workflow', { name: 'release' }])
    expect(refusalIn(await hook('five', 'Edit', edit))).not.toBe('')
    const resumed = await call(agent, 'five', resume)
    expect(resumed.values).toMatchObject({ resumed: true, run: { run: runId, state: 'plan' } })
    expect(refusalIn(await hook('five', 'Read', { file_path: 'a' }))).toBe('')
    expect(refusalIn(await hook('five', 'Edit', edit))).not.toBe('')
    expect((await call(agent, 'five', state)).values.run.run).toBe(runId)
    const next = ['pawl_load_workflow', { name: 'other', resume: true }] as const
    const second = await call(agent, 'five', next)
    expect(second).toMatchObject({ isError: true, values: { error: { code: 'RUN_EXISTS' } } })
  })

  test('a paused run is resumed by the session that has it', async () => {
    const agent = await openAgent(house)
    const begun = await call(agent, 'six', ['pawl_load_workflow', { name: 'release' }])
    await call(agent, 'six', ['pawl_pause'])
    expect((await call(agent, 'seven', resume)).values.error.code).toBe('NOT_PERMITTED')
    const { run } = begun.values.run
    const resumed = await call(agent, 'six', resume)
    expect(resumed.values.run).toMatchObject({ run, status: 'running' })
  })

  test('what was kept of a session counts for nothing once the hook names no run', async () => {
    const agent = await openAgent(house, { env: { PAWL_RUN: 'unknown' } })
    const who = await markOf(house, 'eight')
    await agent.call('pawl_load_workflow', { name: 'release', _pawl: who })
    const lost = await agent.call('pawl_get_state', { _pawl: who })
    expect(lost.values.error).toMatchObject({ code: 'RUN_UNKNOWN' })
    expect(lost.text).toContain('`pawl_load_workflow`')
  })

  test('a branch is taken of the run that the session has, and of no other', async () => {
    const agent = await openAgent(house)
    await call(agent, 'nine', ['pawl_load_workflow', { name: 'checks' }])
    await call(agent, 'nine', ['pawl_transition', { event: 'GO' }])
    const branch = ['pawl_load_workflow', { name: 'checks', branch: 'types' }] as const
    const taken = await call(agent, 'ten', branch)
    expect(taken.values.error).toMatchObject({ code: 'BRANCH_UNKNOWN' })
    expect(taken.text).toContain('you have no run of it')
    expect((await call(agent, 'ten', state)).values.error.code).toBe('RUN_UNKNOWN')
    expect((await call(agent, 'nine', branch)).values.run).toMatchObject({ state: 'typing' })
    expect((await call(agent, 'nine', state)).values.run).toMatchObject({ state: 'typing' })
  })
})
