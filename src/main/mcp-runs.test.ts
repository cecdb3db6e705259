/** Which run the MCP server means, how it hears of changes, and what it makes of a bad wire. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type House, isOurNode, openHouse, program, release, until } from './daemon.contract.ts'
import { markOf, openAgent } from './mcp.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  await house.json('definitions', 'add', 'release.json')
})
afterAll(() => house?.close(), 60_000)
beforeEach(async () => {
  if (!isOurNode) return
  const { items } = await house.json('runs')
  for (const { id } of items) await house.json('cancel', id)
})

describe.runIf(isOurNode)('which run', () => {
  test('two clients of one workspace see the run there, and one moves it', async () => {
    const first = await openAgent(house)
    const second = await openAgent(house, { era: '2026-07-28' })
    await first.call('pawl_load_workflow', { name: 'release' })
    // It sees the run of the first, and moves it only once the first has gone.
    expect((await second.call('pawl_get_state')).values.run).toMatchObject({ state: 'plan' })
    const foreign = await second.call('pawl_transition', { event: 'READY' })
    expect(foreign.values.error).toMatchObject({ code: 'NOT_PERMITTED' })
    expect((await first.call('pawl_transition', { event: 'READY' })).isError).toBe(false)
    expect((await first.call('pawl_get_state')).values.run).toMatchObject({ state: 'build' })
    // With a second run open, only who began one knows which is meant.
    await house.json('start', 'release')
    expect((await first.call('pawl_get_state')).values.run).toMatchObject({ state: 'build' })
    const torn = await second.call('pawl_get_state')
    expect(torn.values.error).toMatchObject({ code: 'RUN_UNKNOWN' })
    expect(torn.text).toContain('resume: true')
    const resumed = await second.call('pawl_load_workflow', { name: 'release', resume: true })
    expect(resumed.values).toMatchObject({ resumed: true, run: { state: 'plan' } })
    expect((await second.call('pawl_get_status')).values).toMatchObject({ active: true })
  })

  test('PAWL_RUN names the run, a hook goes before it, a session keeps to its own', async () => {
    const one = (await house.json('start', 'release')).runId
    const other = (await house.json('start', 'release')).runId
    // With two that are free the hook cannot tell which one is meant, and names none.
    const fresh = await markOf(house, 's2')
    const { call } = await openAgent(house, { env: { PAWL_RUN: one } })
    expect((await call('pawl_get_state')).values.run.run).toBe(one)
    const mark = await markOf(house, 's1', { PAWL_RUN: other })
    const forged = { ...mark, proof: 'x' }
    expect((await call('pawl_get_state', { _pawl: forged })).values.run.run).toBe(one)
    expect((await call('pawl_get_state', { _pawl: mark })).values.run.run).toBe(other)
    await house.json('cancel', one)
    const plain = await openAgent(house)
    expect((await plain.call('pawl_get_state')).values.run.run).toBe(other)
    const alone = await plain.call('pawl_get_state', { _pawl: fresh })
    expect(alone.values.error).toMatchObject({ code: 'RUN_UNKNOWN' })
    const passedOver = await plain.call('pawl_load_workflow', { name: 'release', _pawl: fresh })
    expect(passedOver.values.error).toMatchObject({ code: 'NOT_PERMITTED' })
    await house.json('cancel', other)
    const begun = await plain.call('pawl_load_workflow', { name: 'release', _pawl: fresh })
    expect(begun.isError).toBe(false)
    const own = begun.values.run.run
    const mine = await markOf(house, 's2')
    expect(mine.run).toBe(own)
    expect((await plain.call('pawl_get_state', { _pawl: mine })).values.run.run).toBe(own)
  })

  test('other names of tools, for instructions that were written for them', async () => {
    const { call, tools } = await openAgent(house, { args: ['--tool-prefix', 'statewright_'] })
    const names = (await tools()).map((one) => one.name)
    expect(names.filter((name) => name.startsWith('pawl_'))).toEqual([])
    const loaded = await call('statewright_load_workflow', { name: 'release' })
    expect(loaded.text).toContain('`statewright_transition`')
    expect(await house.cli('mcp', '--tool-prefix', 'no-good')).toMatchObject({ code: 2 })
    expect(await house.cli('mcp', '--tool-prefix', 'process_')).toMatchObject({ code: 2 })
  })
})

describe.runIf(isOurNode)('the wire', () => {
  test('a client hears that its tools have changed when somebody else moved the run', async () => {
    const { call, tools, changes } = await openAgent(house)
    const { run } = (await call('pawl_load_workflow', { name: 'release' })).values.run
    await tools()
    await house.json('signal', 'READY', '--run', run)
    await expect.poll(() => changes.length).toBe(1)
    const now = (await tools()).find((one) => one.name === 'pawl_transition')
    expect(now?.description).toContain('In `build`: `SHIP`, `BACK`.')
    await house.json('cancel', run)
    await expect.poll(() => changes.at(-1)).toContain('process_step')
  })

  test('a daemon that has ended is started by the next call, and the run goes on', async () => {
    const { call, complaints } = await openAgent(house)
    await call('pawl_load_workflow', { name: 'release' })
    const before = house.note()?.pid
    expect(await house.cli('stop')).toMatchObject({ code: 0 })
    const moved = await call('pawl_transition', { event: 'READY' })
    expect(moved.values.run).toMatchObject({ state: 'build' })
    expect(house.note()?.pid).not.toBe(before)
    expect(complaints()).toBe('')
  })

  test('without a daemon there are tools, and calls are refused with the reason', async () => {
    await house.cli('stop')
    const { call, tools } = await openAgent(house, { env: { PAWL_NO_AUTOSTART: '1' } })
    expect((await tools()).length).toBeGreaterThan(5)
    expect((await call('pawl_get_state')).values.error).toMatchObject({
      code: 'DAEMON_UNREACHABLE',
    })
  })

  test("bad lines are answered in the protocol's form, and the next one is heard", async () => {
    const args = [program, 'mcp', '--workspace', house.workspace]
    const server = spawn(process.execPath, args, {
      env: house.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let out = ''
    server.stdout.on('data', (text) => {
      out += text
    })
    const say = (text: string): void => void server.stdin.write(`${text}\n`)
    say('this is no JSON')
    say('{"jsonrpc": "1.0", "id": 5, "method": "ping"}')
    say(
      `{"jsonrpc": "2.0", "id": 6, "method": "ping", "params": {"x": "${'y'.repeat(3_000_000)}"}}`,
    )
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    say(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params }))
    say('{"jsonrpc": "2.0", "id": 8, "method": "nothing/known"}')
    await until(() => out.split('\n').length > 5, 'five answers')
    server.stdin.end()
    const [code] = await once(server, 'close')
    expect(code).toBe(0)
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const codes = lines.map(({ id, error }) => [id, error?.code])
    expect(codes.slice(0, 3)).toEqual([
      [null, -32700],
      [5, -32600],
      [null, -32600],
    ])
    // Answers may come in any order.
    expect(codes.slice(3).sort()).toEqual([
      [7, undefined],
      [8, -32601],
    ])
    const greeting = lines.find(({ id }) => id === 7)
    expect(greeting?.result).toMatchObject({ serverInfo: { name: 'pawl' } })
  })
})
