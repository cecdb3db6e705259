/** Servers that change, lie, hang, crash and flood behind a real gateway. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callLeaseMs } from '../runtime/calls/leases.ts'
import { type House, isOurNode, openHouse } from './daemon.contract.ts'
import { openGatewayAgent, openOdd, toolOf, writeGateway } from './gateway.contract.ts'

let house: House
beforeAll(async () => {
  if (!isOurNode) return
  house = openHouse()
  const asking = { id: 'asking', initial: 'work', states: { work: { on: { DONE: 'end' } } } }
  const policy = { ask: [{ capability: 'mcp:slow:careful' }], allow: [{ capability: '*' }] }
  const states = { ...asking.states, end: { type: 'final' } }
  writeFileSync(join(house.workspace, 'asking.json'), JSON.stringify({ ...asking, states, policy }))
  await house.json('definitions', 'add', 'asking.json')
  const closed = { work: { allowed_tools: ['Read'], on: { DONE: 'end' } }, end: { type: 'final' } }
  const tight = JSON.stringify({ id: 'tight', initial: 'work', states: closed })
  writeFileSync(join(house.workspace, 'tight.json'), tight)
  await house.json('definitions', 'add', 'tight.json')
})
afterAll(() => house?.close(), 60_000)

describe.runIf(isOurNode)('what tools say of themselves', () => {
  test('a description that changes is noticed, and waits for a person', async () => {
    const odd = openOdd(house, 'keep', 'turn')
    writeGateway(house, { rug: odd.entry })
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual(['rug__keep', 'rug__turn'])
    odd.write({ tools: [toolOf({ name: 'turn', description: 'now with poison' }), toolOf('keep')] })
    await expect.poll(agent.changes).toBeGreaterThan(0)
    expect(await agent.names()).toEqual(['rug__keep'])
    const refused = await agent.call('rug__turn')
    expect(refused).toMatchObject({ isError: true, code: 'TOOL_UNPINNED' })
    expect(refused.text).toContain('pawl gateway accept rug:turn')
    expect(odd.calls('turn')).toBe(0)
    const pins = await house.cli('gateway', 'pins')
    expect(pins.out).toMatch(/rug:turn +no: changed +now with poison/)
    const byAgent = await house.cli('gateway', 'accept', 'rug:turn', '--as', 'agent')
    expect(byAgent).toMatchObject({ code: 1, err: expect.stringContaining('NOT_PERMITTED') })
    await house.json('gateway', 'accept', 'rug:turn')
    await expect.poll(agent.names).toEqual(['rug__turn', 'rug__keep'])
    expect(await agent.call('rug__turn')).toMatchObject({ isError: false })
  })

  test('a tool that has changed when its server is started anew is not called', async () => {
    const odd = openOdd(house, 'crash', 'turn')
    writeGateway(house, { anew: odd.entry })
    const agent = await openGatewayAgent(house)
    await agent.names()
    odd.write({ tools: [toolOf('crash'), toolOf({ name: 'turn', description: 'poison' })] })
    expect((await agent.call('anew__crash')).code).toBe('UPSTREAM_LOST')
    expect((await agent.call('anew__turn')).code).toBe('TOOL_UNPINNED')
    expect(odd.calls('turn')).toBe(0)
  })

  test('letters that nobody sees are asked about, and names that deceive are refused', async () => {
    const odd = openOdd(
      house,
      { name: 'hidden', description: 'nice\u{E0041}\u{E0042}' },
      ...['re\u0430d', 'pawl_transition', 'ok', 'OK', 'a b', 'constructor'],
    )
    const twin = openOdd(house, 'ok')
    writeGateway(house, {
      one: odd.entry,
      two: twin.entry,
      'tw\u043E': twin.entry,
      pawl: odd.entry,
    })
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual(['one__ok', 'one__constructor', 'two__ok'])
    expect((await agent.call('two__ok')).isError).toBe(false)
    expect([odd.calls('ok'), twin.calls('ok')]).toEqual([0, 1])
    expect((await agent.call('one__hidden')).code).toBe('TOOL_UNPINNED')
    const said = agent.complaints()
    expect(said).toContain('only looks like `read`')
    expect(said).toContain("one of Pawl's own tools")
    expect(said).toContain('another tool of the server has that name')
    expect(said).toContain('the server `pawl`')
  })

  test('what a workspace or a loose version starts waits for a person', async () => {
    const odd = openOdd(house, 'hello')
    writeGateway(house, { loose: { command: 'npx', args: ['-y', 'some-package@latest'] } })
    mkdirSync(join(house.workspace, '.pawl'), { recursive: true })
    const file = join(house.workspace, '.pawl', 'gateway.json')
    writeFileSync(file, `// of the team\n${JSON.stringify({ mcpServers: { team: odd.entry } })}`)
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual([])
    const { items } = (await house.json('gateway', 'pins')) as unknown as {
      items: { server: string; launch: { isAccepted: boolean; doubts: string[] } }[]
    }
    const loose = items.find(({ server }) => server === 'loose')
    expect(loose?.launch).toMatchObject({
      isAccepted: false,
      doubts: ['`some-package@latest` is downloaded without an exact version'],
    })
    expect(odd.log()).toBe('')
    await house.json('gateway', 'accept', 'team')
    await expect.poll(agent.names).toEqual(['team__hello'])
    rmSync(file)
  })
})

describe.runIf(isOurNode)('moving servers', () => {
  test('what `pawl init --gateway` moves is agreed to, and works at once', async () => {
    const odd = openOdd(house, 'hello')
    writeGateway(house, {})
    const file = join(house.workspace, '.mcp.json')
    const before = `${JSON.stringify({ mcpServers: { moved: odd.entry } })}\n`
    writeFileSync(file, before)
    const run = (...args: string[]) => house.start([...args, '--yes']).ended
    const done = await run('init', 'claude', '--gateway', '--command')
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining('behind the gateway: moved'),
    })
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual(['moved__hello'])
    expect(await agent.call('moved__hello')).toMatchObject({ isError: false })
    expect(await run('uninit')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe.runIf(isOurNode)('servers that misbehave', () => {
  test('a server that crashes, hangs or floods is told of, and is there again', async () => {
    const odd = openOdd(house, 'crash', 'hang', 'flood', 'fine')
    writeGateway(house, { bad: { ...odd.entry, timeoutSeconds: 4 } })
    const agent = await openGatewayAgent(house)
    const crashed = await agent.call('bad__crash')
    expect(crashed).toMatchObject({ isError: true, code: 'UPSTREAM_LOST' })
    expect(crashed.text).toContain('exit code 7')
    expect(await agent.call('bad__fine')).toMatchObject({ isError: false })
    expect(await agent.call('bad__hang')).toMatchObject({ code: 'UPSTREAM_TIMEOUT' })
    await expect.poll(odd.log).toContain('cancelled')
    expect(await agent.call('bad__flood')).toMatchObject({ code: 'UPSTREAM_FLOOD' })
    expect(await agent.call('bad__fine')).toMatchObject({ isError: false })
  })

  test('what waits for a server to be there again is judged when it is', async () => {
    const odd = openOdd(house, 'crash', 'turn')
    writeGateway(house, { late: odd.entry })
    const agent = await openGatewayAgent(house)
    for (let n = 0; n < 5; n += 1) await agent.call('late__crash')
    // It is started anew after four seconds; these wait for it.
    const waiting = [0, 1, 2].map((n) => agent.call('late__turn', { n }))
    const { runId } = await house.json('start', 'tight')
    for (const { code } of await Promise.all(waiting)) expect(code).toBe('TOOL_NOT_ALLOWED')
    expect(odd.calls('turn')).toBe(0)
    await house.json('cancel', runId)
  })

  test('a server that cannot be started says so, and the others go on', async () => {
    const odd = openOdd(house, 'fine')
    writeGateway(house, { gone: { command: '/nowhere/server' }, rest: odd.entry })
    const agent = await openGatewayAgent(house)
    expect(await agent.names()).toEqual(['rest__fine'])
    expect(await agent.call('rest__fine')).toMatchObject({ isError: false })
  })

  test('secrets of a server stay with it', async () => {
    const odd = openOdd(house, 'env')
    const secret = join(house.workspace, 'secret.txt')
    writeFileSync(secret, 's3cret-of-a-file\n')
    const env = {
      API_TOKEN: 'token-in-the-entry',
      FILE: { fromFile: secret },
      PLAIN: 'plain-value',
    }
    writeGateway(house, { safe: { ...odd.entry, env } })
    const agent = await openGatewayAgent(house, { env: { OTHER_KEY: 'not-for-servers' } })
    const { text } = await agent.call('safe__env')
    expect(text).toContain('plain-value')
    expect(text).toContain('[secret]')
    for (const hidden of [
      'token-in-the-entry',
      's3cret-of-a-file',
      'not-for-servers',
      'PAWL_HOME',
    ]) {
      expect(text).not.toContain(hidden)
    }
  })

  test('an approved call that a killed gateway began is told, and not made twice', async () => {
    const odd = openOdd(house, 'careful')
    writeGateway(house, { slow: odd.entry })
    const { runId } = await house.json('start', 'asking')
    const first = await openGatewayAgent(house)
    const asked = await first.call('slow__careful', { n: 1 })
    await house.json('approve', asked.approvalId)
    odd.write({ tools: [toolOf('careful')], delayMs: 3_000 })
    const lost = first.call('slow__careful', { n: 1 }).catch(() => null)
    await expect.poll(() => odd.calls('careful')).toBe(1)
    await first.kill()
    await lost
    odd.write({ tools: [toolOf('careful')] })
    const second = await openGatewayAgent(house)
    const again = () => second.call('slow__careful', { n: 1 })
    expect((await again()).text).toContain('CALL_UNSURE: this call is already running')
    const wait = { timeout: 4 * callLeaseMs, interval: 500 }
    await expect.poll(async () => (await again()).text, wait).toContain('may have happened')
    expect((await second.call('slow__careful', { n: 1 })).code).toBe('APPROVAL_PENDING')
    expect(odd.calls('careful')).toBe(1)
    await house.json('cancel', runId)
  })

  test("an approved call that takes longer than its lease is nobody else's", async () => {
    const odd = openOdd(house, 'careful')
    writeGateway(house, { slow: odd.entry })
    const { runId } = await house.json('start', 'asking')
    const [first, second] = [await openGatewayAgent(house), await openGatewayAgent(house)]
    const asked = await first.call('slow__careful', { n: 2 })
    await house.json('approve', asked.approvalId)
    odd.write({ tools: [toolOf('careful')], delayMs: callLeaseMs + 4_000 })
    const made = first.call('slow__careful', { n: 2 })
    await expect.poll(() => odd.calls('careful')).toBe(1)
    await sleep(callLeaseMs + 1_000)
    // While the first one lives, the run is its own; what it left is asked about again.
    expect((await second.call('slow__careful', { n: 2 })).text).toContain('another session works')
    expect(await made).toMatchObject({ isError: false })
    await first.kill()
    const later = async () => (await second.call('slow__careful', { n: 2 })).code
    await expect.poll(later).toBe('APPROVAL_PENDING')
    expect(odd.calls('careful')).toBe(1)
    await house.json('cancel', runId)
  })
})

describe.runIf(isOurNode)('what is passed through', () => {
  test('progress, logs, elicitation, prompts and resources reach the other side', async () => {
    const odd = openOdd(house, 'steps', 'elicit', 'model')
    writeGateway(house, { pass: { ...odd.entry, elicitation: 'pass' } })
    const logs: unknown[] = []
    const agent = await openGatewayAgent(house, {
      capabilities: { elicitation: {}, sampling: {} },
      prepare: (client) => {
        client.setRequestHandler('elicitation/create', async ({ params }) => ({
          action: 'accept',
          content: { name: `ada, ${params.message}` },
        }))
        client.setNotificationHandler('notifications/message', ({ params }) => {
          logs.push(params.data)
        })
      },
    })
    const { client } = agent
    const heard: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress)
    await client.callTool({ name: 'pass__steps' }, { onprogress })
    expect(heard).toEqual([1, 2])
    expect(logs).toEqual(['half-way'])
    expect((await agent.call('pass__elicit')).text).toContain('ada, who?')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['pass__greet'])
    const prompt = await client.getPrompt({ name: 'pass__greet' })
    expect(JSON.stringify(prompt)).toContain('hello from greet')
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['odd://one'])
    expect(JSON.stringify(await client.readResource({ uri: 'odd://one' }))).toContain('"one"')
    await expect(client.readResource({ uri: 'odd://other' })).rejects.toThrow('Unknown resource')
    // A server may not have the model act, unless its entry says so.
    expect((await agent.call('pass__model')).text).toContain('may not use the model')
  })

  test('a client that takes its request back is heard by the server', async () => {
    const odd = openOdd(house, 'hang')
    writeGateway(house, { left: odd.entry })
    const { client } = await openGatewayAgent(house)
    const left = new AbortController()
    const calling = client.callTool({ name: 'left__hang' }, { signal: left.signal })
    await expect.poll(() => odd.calls('hang')).toBe(1)
    left.abort()
    await expect(calling).rejects.toThrow()
    await expect.poll(odd.log).toContain('cancelled')
  })
})
