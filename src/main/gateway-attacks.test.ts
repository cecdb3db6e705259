/**
 * The public attack cases on the names of tools and on the gateway, against a live one: what was
 * refused must not have reached the server.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type House, isOurNode, openHouse } from './daemon.contract.ts'
import {
  greeting,
  type Odd,
  openGatewayAgent,
  openOdd,
  openRawGateway,
  type RawAnswer,
  toolOf,
  writeGateway,
} from './gateway.contract.ts'

type Case = {
  readonly id: string
  readonly area: string
  readonly setting: { readonly allowed_tools?: readonly string[] }
  readonly attempt: {
    readonly tool?: unknown
    readonly input?: object
    readonly hook_event?: string
  }
  readonly expected: 'allow' | 'deny' | 'ask' | 'error'
}

const all: readonly Case[] = readFileSync('attacks/public.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** Cases that are about something else than a gateway, and where they are held. */
const elsewhere: Readonly<Record<string, string>> = {
  'tools-name-028': "the host's own `Read`, which no server may claim to be: hooks",
  'tools-name-029': "the host's own `Grep`: hooks",
  'tools-name-038': 'what a hook is sent',
  'tools-name-040': 'what a hook does without a daemon',
  'tools-name-041': 'what a hook does with a broken definition',
  'mcp-gateway-023': 'the gateway speaks over pipes, which have no sessions',
  'mcp-gateway-025': 'the endpoint for routines',
}

const named = all.filter(({ area, id }) => area === 'tools.name' && !(id in elsewhere))
const server = 'filesystem'
const plainTool = (name: string): string => name.replace(`mcp__${server}__`, '')

let house: House
let odd: Odd
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  const texts = named.map(({ attempt }) => attempt.tool).filter((one) => typeof one === 'string')
  odd = openOdd(house, ...new Set(['read_file', 'big', ...texts.map(plainTool)]))
  writeGateway(house, { [server]: odd.entry })
})
afterAll(() => house?.close(), 60_000)

/** Begins a run in whose only stage these tools are allowed. */
async function begin(stage: object): Promise<void> {
  for (const { id } of (await house.json('runs')).items) await house.json('cancel', id)
  const states = { work: { ...stage, on: { DONE: 'end' } }, end: { type: 'final' } }
  const file = join(house.workspace, 'case.json')
  writeFileSync(file, JSON.stringify({ id: 'case', initial: 'work', states }))
  await house.json('definitions', 'add', 'case.json')
  await house.json('start', 'case')
}

function isRefused({ result, error }: RawAnswer): boolean {
  return error !== undefined || result?.isError === true
}

const calls = (): number =>
  odd
    .log()
    .split('\n')
    .filter((line) => line.startsWith('call ')).length

describe.runIf(isOurNode)('names of tools', () => {
  test('every case is played, or said to be about something else', () => {
    expect(named.length).toBeGreaterThan(12)
    const areas = new Set(['tools.name', 'mcp.gateway'])
    const known = all.filter(({ area }) => areas.has(area)).map(({ id }) => id)
    expect(Object.keys(elsewhere).filter((id) => !known.includes(id))).toEqual([])
  })

  test.each(named)('$id is $expected', async ({ setting, attempt, expected }) => {
    await begin(setting)
    const { ask } = openRawGateway(house)
    await ask(greeting)
    const { tool } = attempt
    const name = typeof tool === 'string' ? `${server}__${plainTool(tool)}` : tool
    const before = calls()
    const params = { name, arguments: attempt.input ?? {} }
    const answer = await ask({ method: 'tools/call', params })
    expect(isRefused(answer)).toBe(expected !== 'allow')
    expect(calls() - before).toBe(expected === 'allow' ? 1 : 0)
    if (typeof tool !== 'string' || expected === 'allow') return
    const { result } = await ask({ method: 'tools/list', params: {} })
    expect(JSON.stringify(result)).not.toContain(JSON.stringify(name))
  })
})

describe.runIf(isOurNode)('the gateway', () => {
  const only = { allowed_tools: [`mcp__${server}__read_file`, `mcp__${server}__big`] }
  const read = (path: string) => ({
    method: 'tools/call',
    params: { name: `${server}__read_file`, arguments: { path } },
  })

  test('what completes a name is judged like what it completes', async () => {
    await begin(only)
    const { ask } = openRawGateway(house)
    await ask(greeting)
    const argument = { name: 'a', value: 'b' }
    for (const ref of [
      { type: 'ref/prompt', name: `${server}__greet` },
      { type: 'ref/resource', uri: 'odd://one' },
    ]) {
      const { error } = await ask({ method: 'completion/complete', params: { ref, argument } })
      expect(error?.message).toContain('TOOL_NOT_ALLOWED')
    }
  })

  test('010, 012, 016: nothing before the handshake, nothing outside, what is listed', async () => {
    await begin(only)
    const { ask } = openRawGateway(house)
    const before = calls()
    expect((await ask(read('src/a.ts'))).error?.message).toContain('initialize')
    await ask(greeting)
    expect(isRefused(await ask(read('../../etc/passwd')))).toBe(true)
    expect(calls()).toBe(before)
    expect(isRefused(await ask(read('src/a.ts')))).toBe(false)
    expect(calls()).toBe(before + 1)
  })

  test('020, 021: a result is cut at the budget, and marked; the next call is denied', async () => {
    await begin({ ...only, context_budget_bytes: 500 })
    const { ask } = openRawGateway(house)
    await ask(greeting)
    const big = { name: `${server}__big`, arguments: { text: 'x'.repeat(600) } }
    const cut = await ask({ method: 'tools/call', params: big })
    expect(isRefused(cut)).toBe(false)
    expect(JSON.stringify(cut)).toContain('cut by Pawl')
    expect(JSON.stringify(cut).length).toBeLessThan(700)
    const before = calls()
    const next = await ask(read('src/a.ts'))
    expect(JSON.stringify(next.result)).toContain('BYTES_EXHAUSTED')
    expect(calls()).toBe(before)
  })

  test('001, 002, 004, 007: twins, a rug pull, another order, letters nobody sees', async () => {
    for (const { id } of (await house.json('runs')).items) await house.json('cancel', id)
    const [fs, evil] = [openOdd(house, 'read_file', 'other'), openOdd(house, 'read_file')]
    writeGateway(house, { fs: fs.entry, evil: evil.entry })
    const agent = await openGatewayAgent(house)
    const both = ['fs__read_file', 'fs__other', 'evil__read_file']
    expect(await agent.names()).toEqual(both)
    await agent.call('fs__read_file')
    expect([fs.calls('read_file'), evil.calls('read_file')]).toEqual([1, 0])
    fs.write({ tools: [toolOf('other'), toolOf('read_file')] })
    evil.write({ tools: [toolOf({ name: 'read_file', description: 'pulled' })] })
    await expect.poll(agent.names).toEqual(['fs__other', 'fs__read_file'])
    expect((await agent.call('evil__read_file')).code).toBe('TOOL_UNPINNED')
    fs.write({ tools: [toolOf({ name: 'other', description: 'hi\u{E0041}' })] })
    await expect.poll(agent.names).toEqual([])
  })

  test('015, 024: a server that wants the model or the person to act, a package', async () => {
    const model = openOdd(house, 'model', 'elicit')
    const loose = { command: 'npx', args: ['-y', 'pkg@latest'] }
    writeGateway(house, { model: model.entry, loose })
    const agent = await openGatewayAgent(house, { capabilities: { sampling: {}, elicitation: {} } })
    expect(await agent.names()).toEqual(['model__model', 'model__elicit'])
    expect((await agent.call('model__model')).text).toContain('rejected')
    expect((await agent.call('model__elicit')).text).toContain('may not ask the person')
    expect(agent.complaints()).toContain('sampling')
    expect((await house.cli('gateway', 'pins')).out).toMatch(/loose +no: new/)
  })
})
