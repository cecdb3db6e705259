/** The gateway against a real daemon, with real servers behind it and a real client before it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type House, isOurNode, openHouse } from './daemon.contract.ts'
import {
  nodeServer,
  openGatewayAgent,
  serverProgram,
  webServer,
  writeGateway,
} from './gateway.contract.ts'
import { webToken } from './web-server.contract.ts'

/** Reading is free, writing is asked about, moving is forbidden; then there is a stage without. */
const files = {
  id: 'files',
  initial: 'work',
  policy: { ask: [{ capability: 'mcp:filesystem:write_file' }], allow: [{ capability: '*' }] },
  states: {
    work: {
      allowed_tools: [
        ...['read_text_file', 'write_file', 'list_directory'].map(
          (one) => `mcp__filesystem__${one}`,
        ),
        ...['mcp__everything__echo', 'mcp__web__echo'],
      ],
      on: { NEXT: 'look' },
    },
    look: { allowed_tools: ['mcp__filesystem__read_text_file'], on: { DONE: 'end' } },
    end: { type: 'final' },
  },
}

let house: House
let runId = ''
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  writeFileSync(join(house.workspace, 'files.json'), JSON.stringify(files))
  mkdirSync(join(house.workspace, 'src'))
  await house.json('definitions', 'add', 'files.json')
  writeGateway(house, {
    filesystem: nodeServer(serverProgram('server-filesystem'), realpathSync(house.workspace)),
    everything: nodeServer(serverProgram('server-everything')),
  })
})
afterAll(() => house?.close(), 60_000)

async function begin(): Promise<void> {
  const { items } = await house.json('runs')
  for (const { id } of items) await house.json('cancel', id)
  runId = (await house.json('start', 'files')).runId
}

async function eventsOf(type: string): Promise<number> {
  const { items } = await house.json('log', runId)
  return items.filter((one) => (one as unknown as { type: string }).type === type).length
}

describe.runIf(isOurNode)('real servers behind the gateway', () => {
  test('only what the stage allows is listed and callable, and changes are told', async () => {
    await begin()
    const agent = await openGatewayAgent(house)
    expect([...(await agent.names())].sort()).toEqual([
      'everything__echo',
      'filesystem__list_directory',
      'filesystem__read_text_file',
      'filesystem__write_file',
    ])
    const echoed = await agent.call('everything__echo', { message: 'hello' })
    expect(echoed).toMatchObject({ isError: false, text: 'Echo: hello' })
    const denied = await agent.call('filesystem__move_file', { source: 'a', destination: 'b' })
    expect(denied).toMatchObject({ isError: true, code: 'TOOL_NOT_ALLOWED' })
    expect(denied.text).toContain('filesystem__read_text_file')
    await expect(agent.client.callTool({ name: 'nobody__nothing' })).rejects.toThrow('Unknown tool')
    await house.json('signal', 'NEXT', '--run', runId)
    await expect.poll(agent.changes).toBeGreaterThan(0)
    expect(await agent.names()).toEqual(['filesystem__read_text_file'])
    expect(await agent.call('everything__echo', { message: 'x' })).toMatchObject({
      code: 'TOOL_NOT_ALLOWED',
    })
    expect(await eventsOf('call.reported')).toBe(1)
  })

  test('calls that nobody has a rule for are free until the moment a run is there', async () => {
    const { items } = await house.json('runs')
    for (const { id } of items) await house.json('cancel', id)
    const agent = await openGatewayAgent(house)
    const list = () => agent.call('filesystem__list_allowed_directories')
    expect(await list()).toMatchObject({ isError: false })
    let isStarted = false
    void house.json('start', 'files').finally(() => {
      isStarted = true
    })
    while (!isStarted) await list()
    // Whoever started it has been told so just now.
    expect(await list()).toMatchObject({ isError: true, code: 'TOOL_NOT_ALLOWED' })
  })

  test('a call that a person has to agree to is told, approved and made once', async () => {
    await begin()
    const path = join(realpathSync(house.workspace), 'src', 'one.txt')
    const agent = await openGatewayAgent(house)
    const write = () => agent.call('filesystem__write_file', { path, content: 'one' })
    const asked = await write()
    expect(asked).toMatchObject({ isError: true, code: 'APPROVAL_PENDING' })
    expect(asked.text).toContain(`pawl approve ${asked.approvalId}`)
    expect(existsSync(path)).toBe(false)
    await house.json('approve', asked.approvalId)
    expect(await write()).toMatchObject({ isError: false })
    expect(readFileSync(path, 'utf8')).toBe('one')
    expect(await write()).toMatchObject({ code: 'APPROVAL_PENDING' })
  })

  test('a call waits for a person, and goes on by itself', async () => {
    await begin()
    writeGatewayWait(20)
    const path = join(realpathSync(house.workspace), 'src', 'waited.txt')
    const agent = await openGatewayAgent(house)
    const heard: string[] = []
    const waiting = agent.client.callTool(
      { name: 'filesystem__write_file', arguments: { path, content: 'x' } },
      { onprogress: ({ message = '' }) => void heard.push(message) },
    )
    await expect.poll(() => heard.join()).toContain('a person decides')
    const { items } = await house.json('approvals', runId)
    await house.json('approve', items[0]?.id ?? '')
    expect((await waiting).isError).not.toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('x')
    writeGatewayWait(0)
  })

  test('a gateway killed between approval and execution leaves it to the next one', async () => {
    await begin()
    const path = join(realpathSync(house.workspace), 'src', 'killed.txt')
    const args = { path, content: 'once' }
    const first = await openGatewayAgent(house)
    const asked = await first.call('filesystem__write_file', args)
    await house.json('approve', asked.approvalId)
    await first.kill()
    expect(existsSync(path)).toBe(false)
    const second = await openGatewayAgent(house)
    expect(await second.call('filesystem__write_file', args)).toMatchObject({ isError: false })
    expect(readFileSync(path, 'utf8')).toBe('once')
    expect(await eventsOf('call.allowed')).toBe(1)
    expect(await second.call('filesystem__write_file', args)).toMatchObject({
      code: 'APPROVAL_PENDING',
    })
  })
})

describe.runIf(isOurNode)('a server behind an address', () => {
  test('its tools are judged, its headers kept, and its end is told', async () => {
    await begin()
    const port = await freePort()
    const web = await startWeb(port)
    const headers = { Authorization: `Bearer ${webToken}` }
    const path = join(house.folder, 'gateway.json')
    const before = readFileSync(path, 'utf8')
    const url = `http://127.0.0.1:${port}/mcp`
    writeGateway(house, { web: { type: 'http', url, headers } })
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual(['web__echo'])
    const said = await agent.call('web__echo', { message: `over ${webToken}` })
    expect(said).toMatchObject({ isError: false, text: 'Echo: over [secret]' })
    web.kill('SIGKILL')
    await once(web, 'exit')
    const gone = await agent.call('web__echo', { message: 'x' })
    expect(gone).toMatchObject({ isError: true, code: 'UPSTREAM_LOST' })
    const again = await startWeb(port)
    const back = () => agent.call('web__echo', { message: 'back' })
    await expect.poll(async () => (await back()).text).toBe('Echo: back')
    again.kill('SIGKILL')
    writeFileSync(path, before)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A server over HTTP, once it listens. */
async function startWeb(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [webServer, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

function writeGatewayWait(askWaitSeconds: number): void {
  const path = join(house.folder, 'gateway.json')
  const file = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...file, askWaitSeconds }))
}
