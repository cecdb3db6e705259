import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { asAgent, say, startRelease } from '../../runtime/runtime.contract.ts'
import { agentToken, bearer, type Daemon, openDaemon } from '../api/daemon.contract.ts'

type StreamResponse = {
  readonly response: IncomingMessage
  readonly text: () => string
  leave: () => void
}

function listen(
  { http }: Daemon,
  path: string,
  headers: Record<string, string> = {},
): Promise<StreamResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: http.port,
      path,
      headers: { ...bearer(agentToken), ...headers },
      agent: false,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', () => undefined)
      const leave = (): void => void request.destroy()
      onTestFinished(leave)
      resolve({ response, text: () => text, leave })
    })
    request.end()
  })
}

function idsOf(text: string): readonly number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
}

test('each record is one message, and the next ones come as they happen', async () => {
  const daemon = await openDaemon()
  const { runtime } = daemon
  const runId = await startRelease(runtime)
  const heard = await listen(daemon, `/v1/runs/${runId}/stream`)
  expect(heard.response.headers['content-type']).toBe('text/event-stream')
  await expect.poll(() => idsOf(heard.text())).toEqual([1, 2])
  await runtime.send(runId, say('READY'), asAgent)
  await expect.poll(() => idsOf(heard.text())).toEqual([1, 2, 3, 4])
  const data = /^data: (.*)$/m.exec(heard.text())?.[1] ?? ''
  expect(JSON.parse(data)).toMatchObject({ seq: 1, type: 'run.started', member: runId })
})

test('a reader resumes after the last message it saw', async () => {
  const daemon = await openDaemon()
  const runId = await startRelease(daemon.runtime)
  await daemon.runtime.send(runId, say('READY'), asAgent)
  const resumed = await listen(daemon, `/v1/runs/${runId}/stream`, { 'last-event-id': '3' })
  await expect.poll(() => idsOf(resumed.text())).toEqual([4])
  const asked = await listen(daemon, `/v1/runs/${runId}/stream?after=2`)
  await expect.poll(() => idsOf(asked.text())).toEqual([3, 4])
  const { response } = await listen(daemon, `/v1/runs/${runId}/stream`, { 'last-event-id': 'x' })
  expect(response.statusCode).toBe(422)
})

test('changes since a moment are told again, so that none is missed', async () => {
  const daemon = await openDaemon()
  const { runtime, pass } = daemon
  const old = await startRelease(runtime)
  pass(60_000)
  const fresh = await startRelease(runtime)
  const { head } = await runtime.readRun(old, null)
  const all = await listen(daemon, '/v1/stream', { 'last-event-id': String(head.updatedAt) })
  await expect.poll(() => all.text().match(/"id":"\w+"/g)?.length).toBe(2)
  const later = String(head.updatedAt + 30_000)
  const some = await listen(daemon, '/v1/stream', { 'last-event-id': later })
  await expect.poll(() => some.text()).toContain(`"id":"${fresh}"`)
  expect(some.text()).not.toContain(`"id":"${old}"`)
  await runtime.send(fresh, say('READY'), asAgent)
  await runtime.send(fresh, say('SHIP'), asAgent)
  await expect.poll(() => some.text()).toContain('"asks":true')
})

test('a quiet stream says that it is still there', async () => {
  const daemon = await openDaemon({ api: { limits: { beatMs: 20 } } })
  const runId = await startRelease(daemon.runtime)
  for (const path of [`/v1/runs/${runId}/stream`, '/v1/stream']) {
    const heard = await listen(daemon, path)
    await expect.poll(() => heard.text().match(/^: here$/gm)?.length ?? 0).toBeGreaterThan(3)
  }
})

test('a reader that leaves costs nothing, and one too many is told to wait', async () => {
  const daemon = await openDaemon({ api: { limits: { streamsMax: 2 } } })
  const runId = await startRelease(daemon.runtime)
  const path = `/v1/runs/${runId}/stream`
  const [first] = await Promise.all([listen(daemon, path), listen(daemon, '/v1/stream')])
  const third = await listen(daemon, path)
  expect([third.response.statusCode, third.response.headers['retry-after']]).toEqual([503, '1'])
  first.leave()
  await expect.poll(async () => (await listen(daemon, path)).response.statusCode).toBe(200)
  expect(daemon.api.metrics.print()).toContain('pawl_streams 2')
  await expect.poll(() => daemon.runtime.usage().waitersCount).toBe(1)
})

test('streams end when the door closes, and waiting callers get their answer', async () => {
  const daemon = await openDaemon({ http: { closeMs: 5_000 } })
  const runId = await startRelease(daemon.runtime)
  const heard = await listen(daemon, `/v1/runs/${runId}/stream`)
  const closed = new Promise<void>((resolve) => heard.response.on('close', resolve))
  const waiting = daemon.ask(`GET /v1/runs/${runId}/wait?after=2&timeoutMs=20000`, {
    headers: bearer(agentToken),
  })
  await expect.poll(() => daemon.runtime.usage().waitersCount).toBe(2)
  const begun = Date.now()
  await daemon.http.close()
  await closed
  expect(JSON.parse((await waiting).text)).toEqual({ seq: 2 })
  expect(Date.now() - begun).toBeLessThan(2_000)
})
