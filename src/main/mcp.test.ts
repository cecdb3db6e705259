/** The MCP server against a real daemon, with the real client of the protocol over stdio. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type House, isOurNode, openHouse, release } from './daemon.contract.ts'
import { checklist, fork, form, openAgent } from './mcp.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  const folder = join(house.workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  for (const one of [checklist, form, fork]) {
    writeFileSync(join(folder, `${one.file}.json`), JSON.stringify(one.definition))
  }
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  await house.json('definitions', 'add', 'release.json')
})
afterAll(() => house?.close(), 60_000)

/** Ends every run: each test begins with none. */
async function endAll(): Promise<void> {
  const { items } = await house.json('runs')
  for (const { id } of items) await house.json('cancel', id)
}

async function askedBy(runId: string): Promise<string> {
  const { items } = await house.json('approvals', runId)
  return items[0]?.id ?? ''
}

const final = { type: 'final' }
const eras = ['2025-11-25', '2026-07-28'] as const

describe.runIf(isOurNode)('walking', () => {
  test.each(eras)(
    'a workflow is walked to its end, a person agreeing meanwhile (%s)',
    async (era) => {
      await endAll()
      const { client, call, tools, changes } = await openAgent(house, { era })
      expect(client.getNegotiatedProtocolVersion()).toBe(era)
      const names = (await tools()).map((one) => one.name)
      expect(names).toEqual(expect.arrayContaining(['pawl_load_workflow', 'process_step']))
      expect(names).not.toContain('pawl_force_state')
      const listed = await call('pawl_list_workflows')
      expect(listed.values.workflows).toEqual(
        expect.arrayContaining([
          { name: 'release', dialect: 'workflow' },
          { name: 'backup', dialect: 'process' },
        ]),
      )
      const loaded = await call('pawl_load_workflow', { name: 'release' })
      expect(loaded.values.run).toMatchObject({
        workflow: 'release',
        status: 'running',
        state: 'plan',
        events: ['READY'],
        allowed_tools: ['Read'],
      })
      expect(loaded.text).toContain('Plan it.')
      expect(loaded.text).toContain('`pawl_transition`')
      await expect.poll(() => changes.at(-1)).toContain('pawl_force_state')
      expect((await tools()).find((one) => one.name === 'pawl_transition')?.description).toContain(
        'In `plan`: `READY`.',
      )
      await call('pawl_transition', { event: 'READY' })
      const asked = await call('pawl_transition', { event: 'SHIP', data: { version: '1.0' } })
      expect(asked.isError).toBe(false)
      expect(asked.values.run).toMatchObject({
        status: 'waiting',
        approval: { message: 'ship it?' },
      })
      const { run } = asked.values.run
      const heard: string[] = []
      const waiting = client.callTool(
        { name: 'pawl_wait', arguments: {} },
        { onprogress: ({ message = '' }) => void heard.push(message) },
      )
      await expect.poll(() => heard).toContain('ship it?')
      await house.json('approve', await askedBy(run))
      expect((await waiting).structuredContent).toMatchObject({
        ok: true,
        timed_out: false,
        run: { status: 'completed', state: 'done' },
      })
    },
  )

  test('a checklist is answered, and a note reaches the person who is asked', async () => {
    await endAll()
    const { call, tools } = await openAgent(house)
    const loaded = await call('pawl_load_workflow', { name: 'backup' })
    expect(loaded.values.run).toMatchObject({ state: 'made', answers: ['yes', 'unsure'] })
    const names = (await tools()).map((one) => one.name)
    expect(names).toEqual(expect.arrayContaining(['process_step', 'pawl_transition']))
    const where = await call('process_step')
    expect(where.values.run).toEqual(loaded.values.run)
    const stale = await call('process_step', { answer: 'yes', state: 'tried' })
    expect(stale.values.error).toMatchObject({ code: 'STAGE_STALE' })
    const asked = await call('process_step', { answer: 'unsure', note: 'the disk was full' })
    expect(asked.values.run).toMatchObject({ status: 'waiting' })
    const id = await askedBy(asked.values.run.run)
    expect(await house.json('approvals', asked.values.run.run)).toMatchObject({
      items: [{ id, pending: { data: { note: 'the disk was full' } } }],
    })
    await house.json('approve', id)
    expect((await call('pawl_wait')).values.run).toMatchObject({ state: 'tried' })
    const warned = await call('process_step', { answer: 'barely' })
    expect(warned.values).toMatchObject({ run: { status: 'completed' } })
    expect(warned.values.warnings).toHaveLength(1)
  })

  test.each(eras)('a form has its own tool, made anew for each step (%s)', async (era) => {
    await endAll()
    const { call, tools, changes } = await openAgent(house, { era })
    await tools()
    const loaded = await call('pawl_load_workflow', { name: 'trip' })
    expect(loaded.values).toMatchObject({ say: ['Where to?'], run: { step: 'WHERE' } })
    await expect.poll(() => changes.at(-1)).toContain('book_trip')
    const first = (await tools()).find((one) => one.name === 'book_trip')
    expect(first?.description).toBe('Learn where to go')
    expect(first?.inputSchema.description).toBe('still needed: city, mail')
    expect(first?.inputSchema.properties).toEqual({
      city: { type: 'string', title: 'City', examples: ['Oslo'] },
      mail: { type: 'string', description: 'for the ticket', format: 'email' },
    })
    const held = await call('book_trip', { city: 'Oslo' })
    expect(held.values.error).toMatchObject({ code: 'FIELDS_MISSING', missing: ['mail'] })
    expect(held.values.run.inputs).toEqual({ collected: { city: 'Oslo' }, missing: ['mail'] })
    const moved = await call('book_trip', { mail: 'a@b.cd' })
    expect(moved.values.run).toMatchObject({ step: 'SURE', go_to_step: ['WHERE', 'SURE'] })
    const second = (await tools()).find((one) => one.name === 'book_trip')
    expect(Object.keys(second?.inputSchema.properties ?? {})).toEqual(['go_to_step', 'sure'])
    await call('book_trip', { go_to_step: 'WHERE', sure: true })
    await call('book_trip', { city: 'Rome', mail: 'a@b.cd' })
    // A host that does not read the list again within a turn has this way.
    const done = await call('pawl_transition', { event: 'book_trip', data: { sure: true } })
    expect(done.values.run).toMatchObject({ status: 'completed', submit_tool: null })
    await expect.poll(() => changes.at(-1)).not.toContain('book_trip')
    expect((await call('book_trip', { sure: true })).values.error.code).toBe('RUN_NOT_RUNNING')
  })

  test('a form is submitted by the tool that is always there, too', async () => {
    await endAll()
    const { call, tools } = await openAgent(house, { args: ['--host', 'gemini'] })
    const listed = async () => (await tools()).find((one) => one.name === 'pawl_submit')
    expect((await listed())?.inputSchema.properties).toHaveProperty('fields')
    const loaded = await call('pawl_load_workflow', { name: 'trip' })
    const next =
      'Submit with `mcp_pawl_book_trip` (city, mail), or with `mcp_pawl_pawl_submit` in `fields`.'
    expect(loaded.values.run).toMatchObject({ next })
    expect((await listed())?.description).toContain('Learn where to go')
    const held = await call('pawl_submit', { fields: { city: 'Oslo' } })
    expect(held.values.error).toMatchObject({ code: 'FIELDS_MISSING', missing: ['mail'] })
    const moved = await call('pawl_submit', { fields: { mail: 'a@b.cd' } })
    expect(moved.values.run).toMatchObject({ step: 'SURE' })
    const back = await call('pawl_submit', { fields: { go_to_step: 'WHERE', sure: true } })
    expect(back.values.run).toMatchObject({ step: 'WHERE' })
    await call('pawl_submit', { fields: { city: 'Rome', mail: 'a@b.cd' } })
    const done = await call('pawl_submit', { fields: { sure: true } })
    expect(done.values.run).toMatchObject({ status: 'completed' })
    await call('pawl_load_workflow', { name: 'release' })
    const wrong = await call('pawl_submit', { fields: {} })
    expect(wrong.values.error).toMatchObject({
      code: 'REQUEST_INVALID',
      hint: 'Send an event with `mcp_pawl_pawl_transition` to move on.',
    })
  })

  test('branches of a fork are worked one by one, or taken by name', async () => {
    await endAll()
    const { call } = await openAgent(house)
    await call('pawl_load_workflow', { name: 'checks' })
    const forked = await call('pawl_transition', { event: 'GO' })
    expect(forked.values.run.branches).toEqual({ lint: 'running', types: 'pending' })
    const wrong = await call('pawl_load_workflow', { name: 'checks', branch: 'nope' })
    expect(wrong.values.error).toMatchObject({ code: 'BRANCH_UNKNOWN' })
    expect(wrong.text).toContain('`lint`')
    const taken = await call('pawl_load_workflow', { name: 'checks', branch: 'types' })
    expect(taken.values.run).toMatchObject({ state: 'typing' })
    const ended = await call('pawl_transition', { event: 'OK' })
    expect(ended.values.run).toMatchObject({ events: ['BRANCH_DONE:types'] })
    const early = await call('pawl_transition', { event: 'BRANCH_DONE:lint' })
    expect(early.values.error.code).toBe('BRANCH_UNFINISHED')
    await call('pawl_transition', { event: 'BRANCH_DONE:types' })
    const other = await openAgent(house)
    // The run is held by the first program; a branch is there for whoever names it.
    const foreign = await other.call('pawl_transition', { event: 'OK' })
    expect(foreign.values.error.code).toBe('NOT_PERMITTED')
    await other.call('pawl_load_workflow', { name: 'checks', branch: 'lint' })
    await other.call('pawl_transition', { event: 'OK' })
    const joined = await other.call('pawl_transition', { event: 'BRANCH_DONE:lint' })
    expect(joined.values.run).toMatchObject({ status: 'completed' })
  })
})

describe.runIf(isOurNode)('refusing', () => {
  test('a refusal says its code, what is possible now and how to go on', async () => {
    await endAll()
    const { client, call } = await openAgent(house)
    const early = await call('pawl_get_state')
    expect(early).toMatchObject({ isError: true, values: { ok: false, run: null } })
    expect(early.text).toContain('`pawl_load_workflow`')
    expect((await call('pawl_load_workflow', { name: 'nothing' })).values.error.code).toBe(
      'DEFINITION_UNKNOWN',
    )
    const { run } = (await call('pawl_load_workflow', { name: 'release' })).values.run
    const unknown = await call('pawl_transition', { event: 'SHIP' })
    expect(unknown).toMatchObject({
      isError: true,
      values: { error: { code: 'SIGNAL_UNKNOWN' }, run: { state: 'plan', events: ['READY'] } },
    })
    expect(unknown.text).toContain(
      'You can send `READY`. Send an event with `pawl_transition` to move on.',
    )
    const second = await call('pawl_load_workflow', { name: 'backup' })
    expect(second.values.error).toMatchObject({ code: 'RUN_EXISTS' })
    const forced = await call('pawl_force_state', { state: 'done' })
    expect(forced.values.error).toMatchObject({
      code: 'NOT_PERMITTED',
      hint: expect.stringContaining(`pawl force ${run} done`),
    })
    const misspelt = await call('pawl_transition', { evnt: 'READY' })
    expect(misspelt.values.error).toMatchObject({ code: 'REQUEST_INVALID' })
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 })
    expect((await call('pawl_get_state')).values.run).toMatchObject({ state: 'plan' })
  })

  test('a definition is kept as a draft, and a person activates it', async () => {
    await endAll()
    const { call } = await openAgent(house)
    const definition = { id: 'mine', initial: 'a', states: { a: { on: { GO: 'b' } }, b: final } }
    const { draft, ...good } = (await call('pawl_create_workflow', { definition })).values
    expect(good).toMatchObject({ ok: true, run: null })
    const bad = await call('pawl_create_workflow', { source: '{"id": "mine", "initial": "b"}' })
    expect(bad.values.error).toMatchObject({ code: 'DEFINITION_INVALID' })
    expect(bad.values.error.findings.length).toBeGreaterThan(0)
    const mine = { name: 'mine', dialect: 'workflow' }
    expect((await call('pawl_list_workflows')).values.workflows).not.toContainEqual(mine)
    const early = await call('pawl_load_workflow', { name: 'mine' })
    expect(early.values.error).toMatchObject({ code: 'DEFINITION_UNKNOWN' })
    const { items } = await house.json('definitions', 'drafts')
    expect(items).toMatchObject([{ id: draft, by: 'agent:agent' }])
    await house.json('definitions', 'activate', draft)
    expect((await call('pawl_list_workflows')).values.workflows).toContainEqual(mine)
    const loaded = await call('pawl_load_workflow', { name: 'mine' })
    expect(loaded.values.run).toMatchObject({ state: 'a', events: ['GO'] })
  })

  test('a pause holds the run until it is resumed, and a wait for it ends in time', async () => {
    await endAll()
    const { call } = await openAgent(house)
    await call('pawl_load_workflow', { name: 'release' })
    const reason = 'the staging server is down'
    const paused = await call('pawl_pause', { reason })
    expect(paused.values.run).toMatchObject({ status: 'paused', events: [], reason })
    expect(await house.cli('log', paused.values.run.run)).toMatchObject({
      out: expect.stringContaining(`by agent: ${reason}`),
    })
    expect((await call('pawl_transition', { event: 'READY' })).values.error.code).toBe(
      'RUN_NOT_RUNNING',
    )
    const over = await call('pawl_wait', { timeout_seconds: 0.1 })
    expect(over.values).toMatchObject({ timed_out: true, run: { status: 'paused' } })
    const resumed = await call('pawl_load_workflow', { name: 'release', resume: true })
    expect(resumed.values).toMatchObject({ resumed: true, run: { status: 'running' } })
    await house.json('pause', resumed.values.run.run)
    const held = await call('pawl_load_workflow', { name: 'release', resume: true })
    expect(held.values.error).toMatchObject({ code: 'NOT_PERMITTED' })
    const { records } = (await call('pawl_log', { limit: 4 })).values
    expect(records.map((one) => one.type)).toContain('run.paused')
  })
})
