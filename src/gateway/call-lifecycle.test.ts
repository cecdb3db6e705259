import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { CallOptions } from '../client/open-client.ts'
import type { JsonObject } from '../core/json.ts'
import { callLeaseMs } from '../runtime/calls/leases.ts'
import { type GatewayJudge, openGatewayJudge } from './call-lifecycle.ts'
import type { GatewayContext } from './gateway-context.ts'

type Answering = (name: string, options: CallOptions) => unknown

const allowed = {
  ...{ verdict: 'allow', code: null, reason: '', rule: null, hint: '', instead: [] },
  ...{ runId: 'r', branch: null, callId: 'r:c1', approvalId: null, bytesLeft: null, pass: null },
  input: {},
}
const ended = { ok: true, output: null, bytes: 1, costMicroUsd: 3 }

/** A gateway's judge whose daemon answers as it is told to; `asked` is what it heard. */
function open(answer: Answering): GatewayJudge & { readonly asked: JsonObject[] } {
  const asked: JsonObject[] = []
  const daemon = async (name: string, input: object, options: CallOptions = {}) => {
    asked.push({ name, ...input })
    return answer(name, options)
  }
  // WHY the cast: only what a judge asks is answered.
  const context = { daemon, workspace: '/work', runId: null, holder: 'one', askWaitMs: 0 }
  const judge = openGatewayJudge({
    ...context,
    env: {},
    log: () => undefined,
    held: { runId: null },
  } as GatewayContext)
  onTestFinished(judge.close)
  return { ...judge, asked }
}

const wish = (input: JsonObject = {}) => ({
  ...{ server: { server: 'fs', tool: 'read' }, input, mark: null, costMicroUsd: 0 },
  ...{ signal: new AbortController().signal, progress: () => undefined },
})

afterEach(() => {
  vi.useRealTimers()
})

test('a check waits for a report that had to be sent again, and for no other', async () => {
  const kept: string[] = []
  let isLost = false
  const { judge } = open(async (name, { onLost }) => {
    if (name === 'gateway.check') kept.push(name)
    if (name !== 'gateway.report') return allowed
    await sleep(1)
    if (isLost) onLost?.()
    await sleep(100)
    kept.push(name)
    return {}
  })
  for (isLost of [false, true]) {
    const judged = await judge(wish())
    kept.length = 0
    if (judged.kind === 'go') judged.report?.(ended)
    await sleep(20)
    await judge(wish())
    await expect.poll(() => kept.length).toBe(2)
    const [check, report] = ['gateway.check', 'gateway.report']
    expect(kept).toEqual(isLost ? [report, check] : [check, report])
  }
})

test('an approved call whose verdict was read after its lease is not made', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { judge, asked } = open((name) => {
    if (name === 'gateway.check') vi.setSystemTime(Date.now() + callLeaseMs)
    return { ...allowed, approvalId: 'a' }
  })
  expect(await judge(wish())).toMatchObject({ kind: 'no', refusal: { code: 'CALL_UNSURE' } })
  expect(asked.at(-1)).toMatchObject({ name: 'gateway.report', ok: false, costMicroUsd: 0 })
})

test('a call that cannot be looked at is refused', async () => {
  const { judge } = open(() => allowed)
  const input = new Proxy({}, { ownKeys: () => expect.fail('unreadable') })
  const pass = { file: import.meta.filename, word: 'import', ms: 5_000 }
  const passing = open(() => ({ ...allowed, runId: null, callId: null, pass }))
  await passing.judge(wish())
  expect(await passing.judge(wish(input))).toMatchObject({ kind: 'no' })
  expect(await judge(wish())).toMatchObject({ kind: 'go' })
})
