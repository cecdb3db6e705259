import { expect, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import type { ApiRequest } from './api.ts'
import { agentToken, openDaemon, personToken } from './daemon.contract.ts'

test('a command id belongs to whoever sent it: nobody answers for another', async () => {
  const { runtime, client, pass } = await openDaemon()
  const runId = await startRelease(runtime)
  const agent = client('socket', agentToken)
  await agent.runs.signal({ runId, name: 'READY' })
  await agent.runs.signal({ runId, name: 'SHIP' })
  const { id = '' } = (await agent.approvals.list({ runId })).items[0] ?? {}
  // The ids under which the daemon and a person would act, used up in advance.
  const call = { runId, tool: 'Read', input: {} }
  await agent.runs.check(call, { commandId: `expire:${id}` })
  await agent.runs.check(call, { commandId: 'decision-1' })
  const person = client('socket', personToken)
  const paused = await person.runs.pause({ runId }, { commandId: 'decision-1' })
  expect(paused).toMatchObject({ isRepeated: false, view: { status: 'paused' } })
  pass(2 * 3_600_000)
  await runtime.tick()
  expect((await agent.approvals.read({ id })).status).toBe('expired')
})

test('a stream that fails half-way says so, and what failed is told to the log', async () => {
  const { runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const faults: unknown[] = []
  let readsCount = 0
  const failing = {
    ...runtime,
    readEvents: (...args: Parameters<typeof runtime.readEvents>) => {
      readsCount += 1
      if (readsCount > 1) throw new Error('the disk is gone')
      return runtime.readEvents(...args)
    },
  }
  const { api, client } = await openDaemon({
    api: { runtime: failing, onFault: (fault) => faults.push(fault) },
  })
  for (const wire of ['http', 'socket'] as const) {
    readsCount = 0
    const seen: number[] = []
    const leaving = new AbortController()
    const following = (async () => {
      for await (const event of client(wire).stream(runId, { signal: leaving.signal })) {
        seen.push(event.seq)
      }
    })()
    if (wire === 'socket') await expect(following).rejects.toMatchObject({ code: 'INTERNAL' })
    else await expect.poll(() => [faults.length > 0, ...seen]).toEqual([true, 1, 2])
    leaving.abort()
    if (wire === 'http') await following
    expect(seen).toEqual([1, 2])
  }
  expect(faults.map(String)).toContain('Error: the disk is gone')
  await expect.poll(() => api.metrics.print()).toMatch(/^pawl_streams 0$/m)
})

test('what is not in the schema is refused in words that name it', async () => {
  const { api } = await openDaemon()
  const request: ApiRequest = {
    door: 'socket',
    input: { runId: 'r', after: 'x', colour: 'red' },
    commandId: null,
    signal: () => new AbortController().signal,
    traceparent: null,
  }
  const caller = { role: 'agent', name: 'claude' } as const
  const answered = await api.perform('runs.events', caller, request)
  expect(answered).toMatchObject({ ok: false, problem: { status: 422 } })
  expect(answered.ok || answered.problem.detail).toMatch(/`after`: .*; .*"colour"/)
})

test('a search of runs finds their titles', async () => {
  const { runtime, client } = await openDaemon()
  await startRelease(runtime)
  const person = client('socket', personToken)
  const { runId } = await person.runs.start({ definition: 'release', title: 'Login bug' })
  for (const q of ['login', 'BUG release']) {
    const { items } = await person.runs.list({ q })
    expect(items.map(({ id, title }) => [id, title])).toEqual([[runId, 'Login bug']])
  }
  expect((await person.runs.list({ q: 'logout' })).items).toEqual([])
})
