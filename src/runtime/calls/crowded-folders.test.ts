import { expect, test } from 'vitest'
import { asAgent, asPerson, type Bench, openBench, startRelease } from '../runtime.contract.ts'
import type { By } from '../runtime.ts'

async function start(bench: Bench, workspace: string, by: By): Promise<string> {
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace }
  return (await bench.runtime.start(request, by)).runId
}

async function open(): Promise<Bench> {
  const bench = openBench()
  const first = await startRelease(bench.runtime)
  await bench.runtime.send(first, { kind: 'cancel', reason: '' }, asPerson)
  return bench
}

const session = (name: string) => ({ name, agent: null, otherSessions: 'refused' }) as const

test('a second session is held however many runs the agent has begun below (row 7)', async () => {
  const bench = await open()
  const { calls } = bench.runtime
  const runId = await start(bench, '/repo', asPerson)
  const first = { workspace: '/repo', runId: null, session: session('claude:0') }
  expect(await calls.locate(first)).toMatchObject({ kind: 'run', runId })
  const second = { workspace: '/repo', runId: null, session: session('claude:1') }
  expect(await calls.locate(second)).toMatchObject({ kind: 'unclear' })
  for (let at = 0; at < 50; at += 1) {
    bench.pass(1)
    await start(bench, `/repo/sub${at}`, asAgent)
  }
  expect(await calls.locate(second)).toMatchObject({ kind: 'unclear' })
})

test('a run that a person began is found however many are open below it (row 3)', async () => {
  const bench = await open()
  for (let at = 0; at < 50; at += 1) await start(bench, `/repo/sub${at}`, asAgent)
  const runId = await start(bench, '/repo', asPerson)
  const { items } = await bench.runtime.listRuns({
    ...{ statuses: ['running'], workspace: null, definition: null, after: null, limit: 100 },
  })
  bench.pass(1)
  for (const { id } of items) {
    if (id === runId) continue
    const look = { kind: 'check', tool: 'Read', input: { file_path: 'a' }, branch: null } as const
    const where = { host: 'claude', server: null, cwd: null } as const
    await bench.runtime.send(id, { ...look, ...where }, asAgent)
  }
  const who = { workspace: '/repo', runId: null, session: session('claude:1') }
  expect(await bench.runtime.calls.locate(who)).toMatchObject({ kind: 'run', runId })
})
