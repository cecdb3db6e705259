import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { knownPrices } from '../../../core/prices.ts'
import { openPrices } from '../../../runtime/costs/prices.ts'
import { asAgent, openBench, startRelease } from '../../../runtime/runtime.contract.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import type { HookInput } from '../hook-protocol.ts'
import { claudeHooks } from '../hosts/claude.ts'
import { openSpending } from './open-spending.ts'

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/transcripts')

function openHouse() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-spending-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bench = openBench(openMemoryStore())
  onTestFinished(() => bench.runtime.close())
  const logged: string[] = []
  const open = () =>
    openSpending({
      runtime: bench.runtime,
      documents: bench.store,
      log: (what, about) => void logged.push(`${what} ${JSON.stringify(about)}`),
    })
  return { ...bench, folder, logged, open, spending: open() }
}

function heardOf(host: HookInput['host'], ...transcripts: readonly string[]): HookInput {
  const event = { kind: 'stop' } as const
  const whose = { host, name: 'Stop', session: 's1', agent: null, cwd: null }
  return { ...whose, event, transcripts, uses: [] }
}

const answer = (id: string, at: string, output = 1_000) =>
  `${JSON.stringify({
    type: 'assistant',
    timestamp: at,
    message: { id, model: 'claude-sonnet-4-5', usage: { input_tokens: 0, output_tokens: output } },
  })}\n`
const later = '2027-01-01T00:00:00.000Z'

test('a recorded session of Claude Code costs what its own status line says', async () => {
  const { runtime, folder, spending } = openHouse()
  const runId = await startRelease(runtime)
  cpSync(join(fixtures, 'claude'), folder, { recursive: true })
  const main = { session_id: 's1', transcript_path: join(folder, 'session.jsonl') }
  const agent_id = 'ae08c8526903b7517'
  for (const payload of [
    { ...main, hook_event_name: 'SubagentStop', agent_id },
    { ...main, hook_event_name: 'Stop' },
  ]) {
    const heard = claudeHooks.read(payload)
    if (heard === null) throw new Error('not a payload')
    spending.look(heard, { runId, branch: null })
  }
  await spending.close()
  const told = JSON.parse(readFileSync(join(fixtures, 'claude', 'statusline.json'), 'utf8'))
  const head = await runtime.readHead(runId)
  // One answer is rounded to a millionth of a dollar.
  const micro = told.cost.total_cost_usd * 1e6
  expect(Math.abs((head?.costMicroUsd ?? 0) - micro)).toBeLessThan(6)
  expect(head?.costMicroUsd).toBeGreaterThan(100_000)
})

test.each([
  ['codex', 'codex.jsonl', 2, 2 * 200],
  ['gemini', 'gemini.jsonl', 2, 2 * 16],
  // The model of the recording has no price.
  ['qwen', 'qwen.jsonl', 2, 2 * 1_950],
  ['copilot', 'copilot.jsonl', 3, 3 * 1_950],
  ['kimi', 'kimi.jsonl', 6, 6 * 1_950],
] as const)('a recorded session of %s is paid once for each answer', async (host, file, ...sum) => {
  const { runtime, spending } = openHouse()
  const runId = await startRelease(runtime)
  const heard = heardOf(host, join(fixtures, file))
  for (let times = 0; times < 3; times += 1) spending.look(heard, { runId, branch: null })
  await spending.close()
  const { rows } = await runtime.readCosts({ runId, since: 0 })
  expect([rows[0]?.count, rows[0]?.costMicroUsd]).toEqual(sum)
})

test('a model newer than the table costs the highest price, and is logged once', async () => {
  const { runtime, folder, spending, logged } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 'a.jsonl')
  const unknown = (id: string) => answer(id, later).replace('claude-sonnet-4-5', 'claude-sonnet-99')
  writeFileSync(path, unknown('m1') + unknown('m2'))
  spending.look(heardOf('claude', path), { runId, branch: null })
  await spending.close()
  const highest = knownPrices.unknown.output * 1_000
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(2 * highest)
  expect(logged.filter((line) => line.includes('claude-sonnet-99'))).toHaveLength(1)
})

test('lines that come later are paid later, and after a restart none is paid twice', async () => {
  const { runtime, folder, spending, open } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 'a.jsonl')
  const payer = { runId, branch: null }
  const cost = async () => (await runtime.readHead(runId))?.costMicroUsd
  writeFileSync(path, answer('m1', later) + answer('m1', later) + answer('m2', later).slice(0, 40))
  spending.look(heardOf('claude', path), payer)
  await spending.close()
  expect(await cost()).toBe(15_000)
  appendFileSync(path, answer('m2', later).slice(40))
  const again = open()
  again.look(heardOf('claude', path), payer)
  await again.close()
  expect(await cost()).toBe(30_000)
  // The place is lost: everything is read once more, and the ids tell that it was paid.
  writeFileSync(path, answer('m1', later))
  again.look(heardOf('claude', path), payer)
  await again.close()
  expect(await cost()).toBe(30_000)
})

test('an answer that is written after the last event of a session is paid too', async () => {
  const { runtime, folder, spending } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 'a.jsonl')
  writeFileSync(path, answer('m1', later))
  spending.look(heardOf('claude', path), { runId, branch: null })
  const cost = async () => (await runtime.readHead(runId))?.costMicroUsd
  await expect.poll(cost).toBe(15_000)
  // Copilot CLI says where the file is when a turn ends, and not when the session does.
  const end = { ...heardOf('claude'), event: { kind: 'end' } as const }
  spending.look(end, { runId, branch: null })
  appendFileSync(path, answer('m2', later))
  await expect.poll(cost, { timeout: 30_000 }).toBe(30_000)
  await spending.close()
})

test('a later line of an answer that says more pays the rest, also after a restart', async () => {
  const { runtime, folder, open } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 's.jsonl')
  const costAfter = async (lines: string) => {
    appendFileSync(path, lines)
    const spending = open()
    spending.look(heardOf('claude', path), { runId, branch: null })
    await spending.close()
    return (await runtime.readHead(runId))?.costMicroUsd
  }
  const [few, all] = [answer('m1', later, 10), answer('m1', later, 1_000)]
  expect(await costAfter(few + few)).toBe(150)
  expect(await costAfter(all + all + few)).toBe(15_000)
  expect(await costAfter(answer('m2', later, 10) + answer('m2', later, 1_000))).toBe(30_000)
})

test('what was said before the run began is not its to pay', async () => {
  const { runtime, folder, spending } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 'a.jsonl')
  writeFileSync(path, answer('m1', '2020-01-01T00:00:00.000Z') + answer('m2', 'no time'))
  spending.look(heardOf('claude', path), { runId, branch: null })
  await spending.close()
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(0)
})

test('what cannot be is not counted, and told to the log once', async () => {
  const { runtime, folder, logged, spending } = openHouse()
  const runId = await startRelease(runtime)
  const path = join(folder, 'a.jsonl')
  const nonsense = [answer('m1', later, -5), answer('m2', later, 1e15), '{"usage" half a line\n']
  writeFileSync(path, nonsense.join('') + answer('m3', later))
  mkdirSync(join(folder, 'folder.jsonl'))
  const paths = [path, join(folder, 'folder.jsonl'), '/dev/zero', join(folder, 'none.jsonl')]
  spending.look(heardOf('claude', ...paths), { runId, branch: null })
  await spending.close()
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(15_000)
  expect(logged).toHaveLength(3)
})

test('a host that counts its cost itself is believed', async () => {
  const { runtime, spending } = openHouse()
  const runId = await startRelease(runtime)
  const none = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, at: null }
  const use = { ...none, id: 'm1', model: 'x', costUsd: 0.25 }
  const heard = { ...heardOf('opencode'), uses: [use] }
  spending.look(heard, { runId, branch: null })
  spending.look(heard, { runId, branch: null })
  await spending.close()
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(250_000)
})

const opencode = (id: string, costUsd: number) => {
  const none = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, at: null }
  return { ...heardOf('opencode'), uses: [{ ...none, id, model: 'x', costUsd }] }
}

test('an answer that opencode tells again after a restart pays what is new of it', async () => {
  const { runtime, open } = openHouse()
  const payer = { runId: await startRelease(runtime), branch: null }
  const costs: (number | undefined)[] = []
  for (const costUsd of [0.1, 0.25, 0.25, 0.2]) {
    const spending = open()
    spending.look(opencode('m1', costUsd), payer)
    await spending.close()
    costs.push((await runtime.readHead(payer.runId))?.costMicroUsd)
  }
  expect(costs).toEqual([100_000, 250_000, 250_000, 250_000])
})

test('an answer of opencode is paid once wherever the daemon died in between', async () => {
  for (const dies of ['before it is paid', 'after it was paid']) {
    const { runtime, store } = openHouse()
    const payer = { runId: await startRelease(runtime), branch: null }
    const broken: typeof runtime.send = async (...told) => {
      if (dies === 'after it was paid') await runtime.send(...told)
      throw new Error('the daemon died')
    }
    const log = () => undefined
    const dying = openSpending({ runtime: { ...runtime, send: broken }, documents: store, log })
    dying.look(opencode('m1', 0.1), payer)
    await dying.close()
    const next = openSpending({ runtime, documents: store, log })
    next.look(opencode('m1', 0.25), payer)
    await next.close()
    expect((await runtime.readHead(payer.runId))?.costMicroUsd, dies).toBe(250_000)
  }
})

test('an answer of opencode is paid once where paying it was a fault, however often', async () => {
  for (const faults of ['before it is paid', 'after it was paid']) {
    const { runtime, store } = openHouse()
    const payer = { runId: await startRelease(runtime), branch: null }
    let faultsLeft = 2
    const send: typeof runtime.send = async (...told) => {
      if (faultsLeft === 0) return runtime.send(...told)
      faultsLeft -= 1
      if (faults === 'after it was paid') await runtime.send(...told)
      throw new Error('the answer was lost')
    }
    const log = () => undefined
    const spending = openSpending({ runtime: { ...runtime, send }, documents: store, log })
    for (const costUsd of [0.1, 0.25, 0.25]) spending.look(opencode('m1', costUsd), payer)
    await spending.close()
    expect((await runtime.readHead(payer.runId))?.costMicroUsd, faults).toBe(250_000)
  }
})

test('a bill of a run that is gone does not keep the next run from paying', async () => {
  const { runtime, spending, logged } = openHouse()
  const runId = await startRelease(runtime)
  spending.look(opencode('m1', 0.1), { runId: 'r_gone', branch: null })
  spending.look(opencode('m2', 0.25), { runId, branch: null })
  await spending.close()
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(250_000)
  expect(logged).toEqual([expect.stringContaining('r_gone')])
})

test('a workspace has its own prices, and broken ones make every model the dearest', async () => {
  const { runtime, folder, store } = openHouse()
  await startRelease(runtime)
  const { runId } = await runtime.start(
    {
      ...{ definition: 'release', task: null, stage: null, vars: {} },
      workspace: folder,
    },
    asAgent,
  )
  mkdirSync(join(folder, '.pawl'))
  const remarks: unknown[] = []
  const options = { base: knownPrices, now: () => 0, remark: (one: unknown) => remarks.push(one) }
  const costOf = async (id: string, prices: string) => {
    writeFileSync(join(folder, '.pawl', 'prices.json'), prices)
    const before = (await runtime.readHead(runId))?.costMicroUsd ?? 0
    const pricesIn = openPrices(options)
    const spending = openSpending({
      ...{ runtime: { ...runtime, pricesIn }, documents: store, log: () => undefined },
    })
    writeFileSync(join(folder, `${id}.jsonl`), answer(id, later))
    spending.look(heardOf('claude', join(folder, `${id}.jsonl`)), { runId, branch: null })
    await spending.close()
    return ((await runtime.readHead(runId))?.costMicroUsd ?? 0) - before
  }
  const own = '{ "prices": { "claude-sonnet-4-5": { "input": 1, "output": 20 } } }'
  expect(await costOf('m1', own)).toBe(20_000)
  expect(remarks).toEqual([])
  expect(await costOf('m2', own.replace('20 }', '"20" }'))).toBe(270_000)
  expect(String(remarks[0])).toContain('prices.json`, line 1: ')
})

test('what a session costs after a turn is paid by the run that it works on then', async () => {
  const { runtime, folder, spending } = openHouse()
  const [first, second] = [await startRelease(runtime), await startRelease(runtime)]
  const path = join(folder, 'a.jsonl')
  writeFileSync(path, answer('m1', later))
  const turnEnd = heardOf('claude', path)
  const costOf = async (id: string) => (await runtime.readHead(id))?.costMicroUsd
  spending.look(turnEnd, { runId: first, branch: null })
  await expect.poll(() => costOf(first)).toBe(15_000)
  const call: HookInput = { ...turnEnd, event: { kind: 'nothing' } }
  spending.look(call, { runId: second, branch: null })
  await spending.settled(call, 5_000)
  appendFileSync(path, answer('m2', later))
  // The first look after the turn would be by now.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(await costOf(first)).toBe(15_000)
  spending.look(call, { runId: second, branch: null })
  await expect.poll(() => costOf(second)).toBe(15_000)
})

test('costs are told by run, stage, tool and day', async () => {
  const { runtime } = openHouse()
  const runId = await startRelease(runtime)
  const spend = { source: 'api', model: 'm', tokens: null, costMicroUsd: 7 }
  for (let times = 0; times < 2; times += 1) {
    await runtime.send(runId, { kind: 'spend', spend, branch: null }, asAgent)
  }
  expect((await runtime.readCosts({ runId: null, since: 0 })).rows).toEqual([
    {
      ...{ runId, definition: 'release', stage: 'plan', tool: 'model:m', day: '2026-03-11' },
      ...{ costMicroUsd: 14, count: 2 },
    },
  ])
})
