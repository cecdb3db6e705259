import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import { agentToken, openDaemon, personToken } from '../doors/api/daemon.contract.ts'
import { operationNames } from '../doors/api/operations-table.ts'
import { release, startRelease } from '../runtime/runtime.contract.ts'
import { type Client, type OperationAnswer, openClient, PawlProblem } from './index.ts'

const wires = ['http', 'socket'] as const

async function problemOf(work: Promise<unknown>): Promise<PawlProblem> {
  const thrown = await work.then(
    () => null,
    (one: unknown) => one,
  )
  if (thrown instanceof PawlProblem) return thrown
  throw new Error('there was no problem', { cause: thrown })
}

test.each(wires)('a run goes from its start to its end over %s', async (wire) => {
  const { client } = await openDaemon()
  const person = client(wire)
  const agent = client(wire, agentToken)
  const { definition } = await person.definitions.create({ source: release })
  expect(definition).toMatchObject({ name: 'release', version: 1, source: release })
  const started = await agent.runs.start({ definition: 'release', workspace: '/work' })
  const { runId } = started
  expect(started.view).toMatchObject({ stage: 'plan', signals: ['READY'] })
  await agent.runs.signal({ runId, name: 'READY' })
  const input = { command: 'rm -rf build' }
  const checked = await agent.runs.check({ runId, tool: 'Bash', input })
  expect(checked.reply).toMatchObject({ verdict: 'deny', code: 'COMMAND_NOT_ALLOWED' })
  const asked = await agent.runs.signal({ runId, name: 'SHIP', data: { version: '1.0' } })
  expect(asked.view).toMatchObject({ status: 'waiting' })
  const { items } = await person.approvals.list({ status: 'pending' })
  expect(items).toMatchObject([{ runId, message: 'ship it?', pending: { signal: 'SHIP' } }])
  const id = items[0]!.id
  const { hash } = await agent.approvals.read({ id })
  expect(await problemOf(agent.approvals.decide({ id, granted: true }))).toMatchObject({
    code: 'NOT_PERMITTED',
    status: 403,
  })
  const decided = await person.approvals.decide({ id, granted: true, hash, note: 'go' })
  expect(decided.view).toMatchObject({ status: 'completed' })
  expect(await problemOf(person.approvals.decide({ id, granted: false }))).toMatchObject({
    code: 'APPROVAL_DECIDED',
    status: 409,
  })
  const events = await agent.runs.events({ runId })
  expect(events.next).toBe(events.items.length)
  expect(events.items.at(-1)).toMatchObject({ type: 'run.completed', data: {} })
  expect(await agent.runs.verify({ runId })).toMatchObject({ ok: true, count: events.next })
  expect((await agent.runs.list({ statuses: ['completed'] })).items).toMatchObject([{ id: runId }])
  expect((await agent.runs.list({ statuses: ['running', 'paused'] })).items).toEqual([])
  expect((await agent.runs.list({ q: ` ${runId}  COMPLETED ` })).items).toMatchObject([
    { id: runId },
  ])
  expect((await agent.runs.list({ q: 'completed nowhere' })).items).toEqual([])
  expect((await agent.runs.list({ stage: 'nowhere' })).items).toEqual([])
  const words = 'a b c d e f g h i'
  expect(await problemOf(agent.runs.list({ q: words }))).toMatchObject({ code: 'REQUEST_INVALID' })
})

test.each(wires)('refusals and faults are thrown with their code over %s', async (wire) => {
  const { client, runtime } = await openDaemon()
  const person = client(wire)
  const runId = await startRelease(runtime)
  expect(await problemOf(person.runs.signal({ runId, name: 'NOPE' }))).toMatchObject({
    code: 'SIGNAL_UNKNOWN',
    status: 409,
    hint: expect.stringContaining('READY'),
  })
  for (const work of [
    person.runs.read({ runId: 'nobody' }),
    person.runs.events({ runId: 'nobody' }),
    person.runs.wait({ runId: 'nobody' }),
  ]) {
    expect(await problemOf(work)).toMatchObject({ code: 'RUN_UNKNOWN', status: 404 })
  }
  const broken = person.definitions.create({ definition: { id: 'x', initial: 'a', states: {} } })
  const { code, problem } = await problemOf(broken)
  expect(code).toBe('DEFINITION_INVALID')
  expect(problem.findings?.some((one) => one.severity === 'error')).toBe(true)
  const wrong = { definition: 'release', colour: 'red' }
  expect(await problemOf(person.call('runs.start', wrong))).toMatchObject({
    code: 'REQUEST_INVALID',
    status: 422,
    detail: expect.stringContaining('colour'),
  })
  expect(await problemOf(client(wire, 'wrong').status())).toMatchObject({ code: 'TOKEN_INVALID' })
})

test.each(wires)('the same command id gets the same reply over %s', async (wire) => {
  const { client, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const agent = client(wire, agentToken)
  const input = { runId, name: 'READY' }
  const first = await agent.runs.signal(input, { commandId: 'cmd-1' })
  const second = await agent.runs.signal(input, { commandId: 'cmd-1' })
  expect([first.isRepeated, second.isRepeated]).toEqual([false, true])
  expect(second.seq).toBe(first.seq)
  expect(await problemOf(agent.runs.signal(input))).toMatchObject({ code: 'SIGNAL_UNKNOWN' })
})

test.each(wires)('a stream gives the log as it grows and can be left over %s', async (wire) => {
  const { client, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const agent = client(wire, agentToken)
  const types: string[] = []
  for await (const event of agent.stream(runId, { after: 1 })) {
    types.push(event.type)
    if (types.length === 1) await agent.runs.signal({ runId, name: 'READY' })
    if (types.length === 3) break
  }
  expect(types).toEqual(['stage.entered', 'signal.taken', 'stage.entered'])
  const unknown = agent.stream('nobody').next()
  expect(await problemOf(unknown)).toMatchObject({ code: 'RUN_UNKNOWN' })
})

test.each(wires)('changes of all runs are watched, with who is asked, over %s', async (wire) => {
  const { client, runtime, pass } = await openDaemon()
  const old = await startRelease(runtime)
  pass(60_000)
  const agent = client(wire, agentToken)
  const seen: string[] = []
  const leave = new AbortController()
  const watching = (async () => {
    for await (const head of agent.watch({ signal: leave.signal })) {
      seen.push(`${head.id} ${head.stage} ${head.asks}`)
      if (head.asks) leave.abort()
    }
  })()
  await expect.poll(async () => (await agent.status()).store).toBe('memory')
  await expect
    .poll(async () => {
      pass(1)
      return seen.length > 0 || (await startRelease(runtime)) === ''
    })
    .toBe(true)
  expect(seen.some((line) => line.startsWith(`${old} `))).toBe(false)
  await agent.runs.signal({ runId: old, name: 'READY' })
  await agent.runs.signal({ runId: old, name: 'SHIP' })
  await watching
  expect(seen.at(-1)).toBe(`${old} build true`)
})

test.each(wires)('a whole run is exported and imported over %s', async (wire) => {
  const from = await openDaemon()
  const to = await openDaemon()
  const runId = await startRelease(from.runtime)
  for (const [at, name] of ['READY', 'BACK', 'READY', 'BACK'].entries()) {
    const data = { [`text${at}`]: 'x'.repeat(400_000) }
    await from.client(wire).runs.signal({ runId, name, data })
  }
  const copy = await from.client(wire).runs.export({ runId })
  expect(JSON.stringify(copy).length).toBeGreaterThan(1024 * 1024)
  const anchor = await to.client(wire).runs.import(copy)
  expect(anchor).toEqual({ runId, seq: copy.head.seq, hash: copy.head.hash })
  const { seq, hash } = anchor
  expect(await to.client(wire).runs.verify({ runId, seq, hash })).toMatchObject({ ok: true })
  expect(await problemOf(to.client(wire).runs.import(copy))).toMatchObject({ code: 'RUN_EXISTS' })
  const broken = { ...copy, head: { ...copy.head, id: 'other' } }
  expect((await problemOf(to.client(wire).runs.import(broken))).code).toBe('LOG_BROKEN')
})

test.each(wires)('waiting ends with the next record or with the time over %s', async (wire) => {
  const { client, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const agent = client(wire, agentToken)
  expect(await agent.runs.wait({ runId, after: 2, timeoutMs: 20 })).toEqual({ seq: 2 })
  const waiting = agent.runs.wait({ runId, after: 2, timeoutMs: 20_000 })
  await agent.runs.signal({ runId, name: 'READY' })
  expect((await waiting).seq).toBeGreaterThan(2)
})

test('a person stops the daemon and an agent does not', async () => {
  const { client, stops } = await openDaemon()
  expect((await problemOf(client('socket', agentToken).stop())).code).toBe('NOT_PERMITTED')
  expect(await client('http').stop()).toEqual({ stopping: true })
  await expect.poll(() => stops).toEqual(['stop'])
})

test('a call whose answer was lost is sent again under the same command id', async () => {
  const seen: { commandId: string }[] = []
  const flaky = createServer((socket: Socket) => {
    socket.on('data', (bytes) => {
      const frame = JSON.parse(bytes.toString())
      seen.push(frame)
      if (seen.length < 3) return socket.destroy()
      socket.write(`${JSON.stringify({ id: frame.id, ok: true, output: { runId: 'r' } })}\n`)
    })
  })
  const { socket } = await openDaemon()
  const path = `${socket.path}2`
  await new Promise<void>((resolve) => flaky.listen(path, resolve))
  onTestFinished(() => void flaky.close())
  const client = openClient({ socket: path, token: agentToken })
  onTestFinished(client.close)
  const onLost = vi.fn()
  expect(await client.runs.resume({ runId: 'r' }, { onLost })).toEqual({ runId: 'r' })
  expect(onLost).toHaveBeenCalledTimes(2)
  expect(new Set(seen.map((one) => one.commandId)).size).toBe(1)
  seen.length = 0
  // What would be done twice is not tried twice.
  expect((await problemOf(client.definitions.delete({ id: 'd' }))).code).toBe('DAEMON_UNREACHABLE')
  expect(seen).toHaveLength(1)
})

test('a broken stream goes on after the last message that was seen', async () => {
  const resumed: (string | undefined)[] = []
  const flaky = createHttpServer((request, response) => {
    resumed.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const seq = resumed.length
    response.write(`: here\n\nid: ${seq}\ndata: {"seq":${seq}}\n\n`, () => response.destroy())
  })
  await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void flaky.close())
  const address = flaky.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const client = openClient({ url: `http://127.0.0.1:${address.port}`, token: agentToken })
  const seen: number[] = []
  for await (const event of client.stream('r')) {
    seen.push(event.seq)
    if (seen.length === 3) break
  }
  expect(seen).toEqual([1, 2, 3])
  expect(resumed.slice(0, 3)).toEqual([undefined, '1', '2'])
})

test('no daemon is a problem with what to do about it', async () => {
  for (const address of [{ url: 'http://127.0.0.1:1' }, { socket: '/nowhere/pawl.sock' }]) {
    const client = openClient({ ...address, token: personToken, retriesMax: 1 })
    expect(await problemOf(client.status())).toMatchObject({
      code: 'DAEMON_UNREACHABLE',
      hint: expect.stringContaining('pawl serve'),
    })
  }
})

test('an id that an address would swallow is not sent', async () => {
  const { client } = await openDaemon()
  for (const runId of ['.', '..', '']) {
    const { code } = await problemOf(client('http').runs.read({ runId }))
    expect(code).toBe('REQUEST_INVALID')
  }
  expect(await problemOf(client('http').runs.read({ runId: 'a/../b?x=#' }))).toMatchObject({
    code: 'RUN_UNKNOWN',
  })
})

test('every operation of the table is a method of the client', async () => {
  const { client } = await openDaemon()
  const opened = client('socket') as unknown as Record<string, Record<string, unknown>>
  for (const name of operationNames) {
    const [group = '', verb] = name.split('.')
    const method = verb === undefined ? opened[group] : opened[group]?.[verb]
    expect(method, name).toBeTypeOf('function')
  }
})

test('the types of the client are those of the contract', () => {
  expectTypeOf<Client['runs']['start']>().parameter(0).toExtend<{ definition: string }>()
  expectTypeOf<Client['runs']['check']>().returns.resolves.toEqualTypeOf<
    OperationAnswer<'runs.check'>
  >()
  expectTypeOf<OperationAnswer<'runs.check'>['reply']['verdict']>().toEqualTypeOf<
    'allow' | 'ask' | 'deny'
  >()
  expectTypeOf<OperationAnswer<'runs.list'>['items'][number]['endedAt']>().toEqualTypeOf<
    number | null
  >()
  expectTypeOf<Client['status']>().toBeCallableWith()
  expectTypeOf<Client['runs']['list']>().toBeCallableWith({ statuses: ['running'] })
  // @ts-expect-error a status that there is not
  expectTypeOf<Client['runs']['list']>().toBeCallableWith({ statuses: ['asleep'] })
  // @ts-expect-error a run has to be named
  expectTypeOf<Client['runs']['read']>().toBeCallableWith({})
  // @ts-expect-error there is no such operation
  expectTypeOf<Client['runs']>().toHaveProperty('explode')
})
