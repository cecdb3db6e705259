/** Money from end to end: agents that spend, a daemon that counts, and people who look. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, openClient } from '../client/open-client.ts'
import {
  type House,
  hookSecretIn,
  isOurNode,
  openHouse,
  shareAgentToken,
} from './daemon.contract.ts'

const states = {
  work: { question: 'Done?', answers: { yes: { next: null, action: 'complete' } } },
}
const capped = { name: 'capped', initial: 'work', states, session_budget_usd: 1 }

describe.runIf(isOurNode)('money', () => {
  let house: House
  let agent: Client
  beforeAll(async () => {
    house = shareAgentToken(openHouse())
    writeFileSync(join(house.workspace, 'capped.json'), JSON.stringify(capped))
    await house.json('definitions', 'add', 'capped.json')
    const token = readFileSync(join(house.folder, 'agent.token'), 'utf8').trim()
    agent = openClient({ socket: house.note()?.socket ?? '', token })
  })
  afterAll(async () => {
    agent?.close()
    await house?.close()
  })

  const start = async () => (await agent.runs.start({ definition: 'capped' })).runId
  const check = async (runId: string, estimateMicroUsd: number) =>
    (await agent.runs.check({ runId, tool: 'Bash', input: { command: 'ls' }, estimateMicroUsd }))
      .reply

  test('no report makes a run dearer than the store can tell', async () => {
    const runId = await start()
    await agent.call('runs.spend', { runId, costMicroUsd: 810_000 })
    const tooMuch = { runId, costMicroUsd: Number.MAX_SAFE_INTEGER }
    await expect(agent.call('runs.spend', tooMuch)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    })
    const tokens = { output: 1_000_000_000 }
    const tooMany = agent.call('runs.spend', { runId, model: 'gpt-5', tokens: { output: 1e15 } })
    await expect(tooMany).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
    const dear = agent.call('runs.spend', { runId, model: 'claude-opus-4-1', tokens })
    await expect(dear).rejects.toMatchObject({ code: 'DATA_INVALID' })
    const { head } = await agent.runs.read({ runId })
    expect(head.costMicroUsd).toBe(810_000)
  })

  test('what a model used is priced, and paid once for an id', async () => {
    const runId = await start()
    const spend = { runId, model: 'claude-sonnet-4-5', tokens: { input: 100, output: 10_000 } }
    for (let times = 0; times < 2; times += 1) {
      await agent.call('runs.spend', spend, { commandId: 'answer-1' })
    }
    const { code, out } = await house.cli('cost', runId, '--by', 'tool')
    expect(code).toBe(0)
    expect(out).toMatch(/model:claude-sonnet-4-5 +\$0\.1503 +1\n/)
    expect(out).toMatch(/\nmodel prices as of 20\d\d-\d\d-\d\d \(\S+ \d+\.\d+\.\d+\)\n/)
    expect(out).toMatch(/\nmodel prices as of 20\d\d-\d\d-\d\d \(\d+ models from .+\)\n$/)
    const { rows } = (await house.json('cost', runId)) as unknown as { rows: object[] }
    expect(rows).toMatchObject([{ runId, stage: 'work', costMicroUsd: 150_300, count: 1 }])
    expect((await house.cli('state', runId)).out).toMatch(/budget +\$0\.8497 of \$1\.00 left/)
  })

  test('a hundred agents at one budget together spend no more than their estimates', async () => {
    const runId = await start()
    const estimate = 30_000
    let denied = 0
    const work = async () => {
      for (let times = 0; times < 2; times += 1) {
        const { verdict, callId, code } = await check(runId, estimate)
        if (verdict === 'deny') {
          expect(code).toBe('BUDGET_EXHAUSTED')
          denied += 1
          return
        }
        const costMicroUsd = estimate - 1_000
        await agent.runs.report({ runId, callId: callId ?? '', ok: true, costMicroUsd })
      }
    }
    await Promise.all(Array.from({ length: 100 }, work))
    const { head } = await agent.runs.read({ runId })
    expect(denied).toBeGreaterThan(0)
    expect(head.costMicroUsd).toBeLessThanOrEqual(1_000_000)
    expect(head.costMicroUsd).toBeGreaterThan(1_000_000 - estimate)
  })

  test('a hundred agents that estimate nothing overshoot one budget by one call', async () => {
    const runId = await start()
    const costMicroUsd = 130_000
    let made = 0
    const work = async () => {
      for (let times = 0; times < 50; times += 1) {
        const call = { runId, tool: 'Bash', input: { command: 'ls' } }
        const { verdict, callId, reason } = (await agent.runs.check(call)).reply
        if (verdict === 'deny' && reason.includes('is used up (')) return
        if (verdict === 'deny') continue
        made += 1
        await agent.runs.report({ runId, callId: callId ?? '', ok: true, costMicroUsd })
      }
    }
    await Promise.all(Array.from({ length: 100 }, work))
    const { head } = await agent.runs.read({ runId })
    expect(head.costMicroUsd).toBe(made * costMicroUsd)
    expect(head.costMicroUsd).toBeGreaterThan(0)
    expect(head.costMicroUsd).toBeLessThan(1_000_000 + costMicroUsd)
  })

  test('a transcript of a host is paid, warned of, and ends the calls of its run', async () => {
    const runId = await start()
    const path = join(house.workspace, 'session.jsonl')
    writeFileSync(path, '')
    const session = { session_id: 'money', cwd: house.workspace, transcript_path: path }
    const hook = async (hook_event_name: string, more: object) => {
      const token = hookSecretIn(house)
      const answer = await fetch(`${house.note()?.http}/v1/hooks/claude`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-pawl-workspace': house.workspace,
          'x-pawl-run': runId,
        },
        body: JSON.stringify({ hook_event_name, ...session, ...more }),
      })
      return answer.text()
    }
    const call = (id: string) => ({
      ...{ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: id },
    })
    const say = (id: string, output_tokens: number) => {
      const message = { id, model: 'claude-sonnet-4-5', usage: { input_tokens: 0, output_tokens } }
      const timestamp = new Date().toISOString()
      appendFileSync(path, `${JSON.stringify({ type: 'assistant', timestamp, message })}\n`)
    }
    const denied = /"permissionDecision":"deny"/
    say('m1', 54_000)
    expect(await hook('PreToolUse', call('t1'))).not.toMatch(denied)
    const told = [await hook('PostToolUse', { ...call('t1'), tool_response: 'a' })]
    told.push(await hook('PreToolUse', call('t2')))
    expect(told.join('')).toContain('$0.81 of $1.00')
    say('m2', 20_000)
    await hook('PostToolUse', { ...call('t2'), tool_response: 'a' })
    const last = await hook('PreToolUse', call('t3'))
    expect(last).toMatch(denied)
    expect(last).toContain('BUDGET_EXHAUSTED')
    const { items } = await agent.runs.events({ runId })
    const warned = items.filter((one) => one.type === 'warning.raised')
    expect(warned.map((one) => (one.data as { message: string }).message)).toEqual([
      '$0.81 of $1.00 of the budget of `capped` is spent (81%)',
      '$1.11 of $1.00 of the budget of `capped` is spent (111%)',
    ])
  })
})
