import { expect, test } from 'vitest'
import { asAgent, asPerson, startRelease } from '../../runtime/runtime.contract.ts'
import { contextIn, openHookBench, refusalIn } from './answer-hook.contract.ts'

const read = { file_path: '/work/a' }
const wish = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
const cancel = { kind: 'cancel', reason: 'enough' } as const
type Bench = ReturnType<typeof openHookBench>

const isDenied = async ({ call }: Bench, session: string): Promise<boolean> =>
  refusalIn(await call('Write', { file_path: '/work/b', content: 'x' }, { session })) !== ''

test('a run that its agent cancelled locks the folder for every session', async () => {
  const bench = openHookBench()
  const { runtime, hook, call } = bench
  const runId = await startRelease(runtime)
  await hook('SessionStart', {}, { session: 'one' })
  await runtime.send(runId, cancel, asAgent)
  await hook('SessionEnd', {}, { session: 'one' })
  for (const session of ['one', 'two']) {
    expect(refusalIn(await call('Read', read, { session }))).toContain(`pawl release ${runId}`)
  }
  const told = contextIn(await hook('SessionStart', {}, { session: 'three' }))
  expect(told).toContain('locked until a person acts')
  await expect(runtime.start(wish, asAgent)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
})

test('a person unlocks it by releasing the run, or by starting the next one', async () => {
  for (const act of ['release', 'start'] as const) {
    const bench = openHookBench()
    const { runtime } = bench
    const runId = await startRelease(runtime)
    await bench.hook('SessionStart')
    await runtime.send(runId, cancel, asAgent)
    await bench.hook('SessionEnd')
    expect(await isDenied(bench, 'two')).toBe(true)
    if (act === 'release') await runtime.sessions.releaseRun(runId)
    const next = act === 'start' ? (await runtime.start(wish, asPerson)).runId : null
    const { stdout } = await bench.call('Read', read, { session: 'two' })
    expect(stdout).not.toContain('locked')
    expect((await runtime.sessions.runOf('claude:two'))?.id ?? null).toBe(next)
  }
})

test('ordinary ends lock nothing', async () => {
  const ends: readonly ((bench: Bench, runId: string) => Promise<unknown>)[] = [
    ({ runtime }, runId) => runtime.send(runId, cancel, asPerson),
    async ({ runtime }) => {
      const observed = { ...wish, workspace: '/watched', observe: true } as const
      const { runId } = await runtime.start(observed, asPerson)
      await runtime.send(runId, cancel, asAgent)
    },
  ]
  for (const end of ends) {
    const bench = openHookBench()
    const runId = await startRelease(bench.runtime)
    await bench.hook('SessionStart')
    await end(bench, runId)
    await bench.hook('SessionEnd')
    const where = { session: 'two', workspace: '/watched' }
    expect(refusalIn(await bench.call('Read', { file_path: '/watched/a' }, where))).toBe('')
  }
})

test('a session that ends in the middle leaves the next one held by the same run', async () => {
  const bench = openHookBench()
  const runId = await startRelease(bench.runtime)
  await bench.hook('SessionStart', {}, { session: 'one' })
  await bench.hook('SessionEnd', {}, { session: 'one' })
  expect(await isDenied(bench, 'two')).toBe(true)
  expect((await bench.runtime.sessions.runOf('claude:two'))?.id).toBe(runId)
})

test('the beginning and the end of a session are on record', async () => {
  const { runtime, hook } = openHookBench()
  const runId = await startRelease(runtime)
  await hook('SessionStart', {}, { session: 'one' })
  await hook('SessionEnd', {}, { session: 'one' })
  const events = await runtime.readEvents(runId, { after: 0, limit: 100 })
  const sessions = events.filter(({ type }) => type.startsWith('session.'))
  expect(sessions.map(({ type, data }) => [type, JSON.parse(data).session])).toEqual([
    ['session.began', 'claude:one'],
    ['session.ended', 'claude:one'],
  ])
})
