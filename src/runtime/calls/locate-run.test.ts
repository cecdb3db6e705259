import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asAgent, asPerson, type Bench, openBench, startRelease } from '../runtime.contract.ts'
import type { By } from '../runtime.ts'
import { testRepository } from '../sessions/repository.contract.ts'
import type { LocateRequest } from './locate-run.ts'

const here = '/repo/app'

async function start(bench: Bench, workspace: string, by: By = asAgent): Promise<string> {
  const first = (await bench.runtime.definitions.list({ after: null, limit: 1 })).items[0]
  if (first === undefined) {
    const runId = await startRelease(bench.runtime)
    await bench.runtime.send(runId, { kind: 'cancel', reason: '' }, asPerson)
  }
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace }
  return (await bench.runtime.start(request, by)).runId
}

const nobody: LocateRequest = { workspace: here, runId: null, session: null }
const session = (name: string, agent: string | null = null): LocateRequest => ({
  ...nobody,
  session: { name, agent, otherSessions: 'refused' },
})

/** Where the run is, who asks, and whether that run judges them. */
test.each([
  ['the same folder', here, { session: 'run', nobody: 'run' }],
  ['a folder above', '/repo', { session: 'run', nobody: 'run' }],
  ['a folder below', '/repo/app/api', { session: 'none', nobody: 'run' }],
  ['a folder beside', '/repo/other', { session: 'none', nobody: 'none' }],
  ['a folder of a longer name', '/repo/app2', { session: 'none', nobody: 'none' }],
])('a run of %s judges whom the table says', async (_, workspace, expected) => {
  const bench = openBench()
  const runId = await start(bench, workspace)
  const { locate } = bench.runtime.calls
  const alone = await locate(nobody)
  expect(alone.kind).toBe(expected.nobody)
  const located = await locate(session('claude:1'))
  expect(located.kind).toBe(expected.session)
  if (located.kind === 'run') expect(located.runId).toBe(runId)
})

test('a folder is the same folder by whichever link it is reached', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-locate-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'real'))
  symlinkSync(join(root, 'real'), join(root, 'link'))
  const bench = openBench()
  const runId = await start(bench, join(root, 'link'))
  for (const workspace of ['real', 'link'].map((name) => join(root, name))) {
    const located = await bench.runtime.calls.locate({ ...nobody, workspace })
    expect(located).toEqual({ kind: 'run', runId, branch: null })
  }
})

test('the environment names the run, whatever else is said, and must name one', async () => {
  const bench = openBench()
  const { locate } = bench.runtime.calls
  const [named, other] = [await start(bench, '/elsewhere'), await start(bench, here)]
  const mark = bench.runtime.marks.prove({ session: 's', agent: null, run: other, branch: null })
  for (const caller of [{ ...nobody, mark }, session('claude:1'), { ...nobody, last: other }]) {
    expect(await locate({ ...caller, runId: named })).toMatchObject({ runId: named })
  }
  const gone = await locate({ ...nobody, runId: 'gone' })
  expect(gone).toMatchObject({ kind: 'unclear', reason: expect.stringContaining('gone') })
})

test('a mark counts when this daemon proved it, and for the folder of its run', async () => {
  const bench = openBench()
  const { marks, calls } = bench.runtime
  const [mine] = [await start(bench, here), await start(bench, here)]
  const mark = { session: 'claude:1', agent: null, run: mine, branch: null }
  const proven = marks.prove(mark)
  expect(await calls.locate({ ...nobody, mark: proven })).toMatchObject({ runId: mine })
  const forged = { ...proven, session: 'claude:2' }
  expect(await calls.locate({ ...nobody, mark: forged })).toMatchObject({ kind: 'unclear' })
  const away = { ...nobody, workspace: '/other', mark: proven }
  expect(await calls.locate(away)).toMatchObject({
    ...{ kind: 'unclear', reason: expect.stringContaining('another folder') },
  })
})

test('several open runs are ambiguous for whoever is no session', async () => {
  const bench = openBench()
  const ids = [await start(bench, here), await start(bench, '/repo')]
  const located = await bench.runtime.calls.locate(nobody)
  expect(located.kind).toBe('unclear')
  for (const id of ids) expect(JSON.stringify(located)).toContain(id)
})

test('whoever was held by a run is held by it after its end, until another opens', async () => {
  const bench = openBench()
  const { locate } = bench.runtime.calls
  const runId = await start(bench, here)
  await bench.runtime.send(runId, { kind: 'cancel', reason: '' }, asPerson)
  expect(await locate(nobody)).toMatchObject({ kind: 'none' })
  expect(await locate({ ...nobody, last: runId })).toMatchObject({ runId })
  const next = await start(bench, here)
  expect(await locate({ ...nobody, last: runId })).toMatchObject({ runId: next })
})

test("a session keeps its run, and after a cancelled one takes only a person's", async () => {
  const bench = openBench()
  const { calls, send } = bench.runtime
  const first = await start(bench, here)
  expect(await calls.locate(session('claude:1'))).toMatchObject({ runId: first })
  const second = await start(bench, here)
  expect(await calls.locate(session('claude:1'))).toMatchObject({ runId: first })
  await send(first, { kind: 'cancel', reason: '' }, asAgent)
  // WHY: else an agent would choose what it is held by.
  expect(await calls.locate(session('claude:1'))).toMatchObject({ runId: first })
  expect(await calls.locate(session('claude:2'))).toMatchObject({ runId: second })
  const third = await start(bench, here, asPerson)
  expect(await calls.locate(session('claude:1'))).toMatchObject({ runId: third })
})

test('a session without a run is refused beside the runs of others, unless set free', async () => {
  const bench = openBench()
  const { locate } = bench.runtime.calls
  const runId = await start(bench, here)
  await locate(session('claude:1'))
  const refused = await locate(session('claude:2'))
  expect(refused).toMatchObject({ kind: 'unclear', reason: expect.stringContaining(runId) })
  const free = { name: 'claude:2', agent: null, otherSessions: 'free' } as const
  const others = await locate({ ...nobody, session: free })
  expect(others).toMatchObject({ kind: 'none', others: [{ id: runId }] })
})

test('several free runs are ambiguous for a session', async () => {
  const bench = openBench()
  const ids = [await start(bench, here), await start(bench, here)]
  const located = await bench.runtime.calls.locate(session('claude:1'))
  expect(located.kind).toBe('unclear')
  for (const id of ids) expect(JSON.stringify(located)).toContain(id)
})

test('sub-agents get a branch of a fork each, and keep it', async () => {
  const bench = openBench()
  const branches = { a: { initial: 'a1', terminal: 'a2' }, b: { initial: 'b1', terminal: 'b2' } }
  const end = { type: 'final' }
  const forked = {
    id: 'forked',
    initial: 'begin',
    states: {
      begin: { on: { SPLIT: { fork: { branches, on_complete: 'end' } } } },
      ...{ a1: { on: { A: 'a2' } }, a2: end, b1: { on: { B: 'b2' } }, b2: end, end },
    },
  }
  const offer = { source: JSON.stringify(forked), format: 'json' } as const
  const kept = await bench.runtime.definitions.create(offer)
  expect(kept.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  const request = { definition: 'forked', task: null, stage: null, vars: {}, workspace: here }
  const { runId } = await bench.runtime.start(request, asAgent)
  const utterance = { kind: 'message', name: 'SPLIT', data: null, stage: null, goTo: null } as const
  await bench.runtime.send(runId, { kind: 'say', utterance, branch: null }, asAgent)
  const { locate } = bench.runtime.calls
  expect(await locate(session('claude:1'))).toEqual({ kind: 'run', runId, branch: null })
  for (let times = 0; times < 2; times += 1) {
    expect(await locate(session('claude:1', 'x'))).toEqual({ kind: 'run', runId, branch: 'a' })
    expect(await locate(session('claude:1', 'y'))).toEqual({ kind: 'run', runId, branch: 'b' })
    expect(await locate(session('claude:1', 'z'))).toEqual({ kind: 'run', runId, branch: null })
  }
})

test('a run of one work tree judges sessions in every other one', async () => {
  const { main, linked } = testRepository()
  const bench = openBench()
  const runId = await start(bench, main)
  const { locate } = bench.runtime.calls
  const inLinked = { ...session('codex:1'), workspace: join(linked, 'sub') }
  expect(await locate(inLinked)).toEqual({ kind: 'run', runId, branch: null })
  expect(await locate({ ...nobody, workspace: linked })).toMatchObject({ kind: 'run', runId })
  // Another session, in whichever work tree, does not get past it.
  expect((await locate({ ...session('codex:2'), workspace: linked })).kind).toBe('unclear')
})

test('a session takes the run of its own work tree before one of another', async () => {
  const { main, linked } = testRepository()
  const bench = openBench()
  const far = await start(bench, main, asPerson)
  const near = await start(bench, linked, asPerson)
  const { locate } = bench.runtime.calls
  const at = (name: string, workspace: string): LocateRequest => ({ ...session(name), workspace })
  expect(await locate(at('codex:1', linked))).toMatchObject({ runId: near })
  expect(await locate(at('codex:2', main))).toMatchObject({ runId: far })
  const person = { ...nobody, workspace: join(linked, 'sub'), isPerson: true }
  expect(await locate(person)).toMatchObject({ runId: near })
})

test('where the hooks of a folder are broken, a caller without a mark is stopped', async () => {
  const bench = openBench()
  const runId = await start(bench, here)
  const broken: string[] = []
  const runtime = bench.again(bench.store, { brokenHooks: () => broken })
  const mark = runtime.marks.prove({ session: 'claude:1', agent: null, run: runId, branch: null })
  expect((await runtime.calls.locate(nobody)).kind).toBe('run')
  broken.push('removed')
  expect(await runtime.calls.locate(nobody)).toMatchObject({
    kind: 'unclear',
    hint: expect.stringContaining('pawl init --restore'),
  })
  expect((await runtime.calls.locate({ ...nobody, mark })).kind).toBe('run')
  expect((await runtime.calls.locate(session('claude:1'))).kind).toBe('run')
  expect((await runtime.calls.locate({ ...nobody, isPerson: true })).kind).toBe('run')
})
