/**
 * Ways around signatures, credentials and locks that a reviewer found once: each stays closed. See
 * docs/adr/0022-passkeys.md, 0023-scoped-credentials.md and 0026-gateways-links-and-traces.md.
 */
import { expect, test } from 'vitest'
import { openAgentSessions } from '../../src/doors/api/agent-sessions.ts'
import { openHookBench, refusalIn } from '../../src/doors/hook/answer-hook.contract.ts'
import { errorCodeOf } from '../../src/runtime/error-code.ts'
import { asAgent, asPerson, openBench, startRelease } from '../../src/runtime/runtime.contract.ts'
import { lockAt, lockFolder } from '../../src/runtime/sessions/folder-locks.ts'
import { gate, openWorld, passkeySettings } from './world.ts'

const coded = (work: Promise<unknown>): Promise<string> => work.then(() => 'done', errorCodeOf)

const wish = { definition: 'gate', task: null, stage: null, vars: {}, workspace: null }

test.each([
  ['in a stage of its choice', { stage: 'done' }],
  ['in observe mode', { observe: true }],
] as const)('a token starts no run %s while decisions must be signed', async (_, more) => {
  const { runtime } = await openWorld()
  expect(await coded(runtime.start({ ...wish, ...more }, asPerson))).toBe('NOT_PERMITTED')
  expect(await coded(runtime.start(wish, asPerson))).toBe('done')
})

test('a copy of an open run is not imported while decisions must be signed', async () => {
  const { runtime } = openBench()
  const copy = await runtime.exportRun(await startRelease(runtime))
  const world = await openWorld()
  expect(await coded(world.runtime.importRun(copy))).toBe('NOT_PERMITTED')
})

test('no run is forced or released past a gate that is still ahead of it', async () => {
  const { runtime } = await openWorld()
  const source = JSON.stringify({ ...gate, id: 'debug', meta: { debug: true } })
  await runtime.definitions.create({ source, format: 'json' })
  const { runId } = await runtime.start({ ...wish, definition: 'debug' }, asPerson)
  const force = { kind: 'force', stage: 'done', vars: {} } as const
  const release = { kind: 'pause', release: true } as const
  for (const intent of [force, release]) {
    const { reply } = await runtime.send(runId, intent, asPerson)
    expect(reply).toMatchObject({ kind: 'refused', code: 'PASSKEY_NEEDED' })
  }
  expect((await runtime.readHead(runId))?.status).toBe('running')
})

test('keys that a copy brought along are told from those that were registered here', async () => {
  const world = await openWorld()
  const signature = await world.signed({ on: world.asked })
  const decision = { granted: true, note: '', hash: null, edits: null, signature }
  const by = { actor: { kind: 'person', name: 'ada' }, commandId: null } as const
  await world.runtime.resolve(world.asked.id, decision, by)
  const copy = await world.runtime.exportRun(world.asked.runId)
  const own = await world.runtime.verify(world.asked.runId, null)
  expect(own).toMatchObject({ ok: true, signatures: { signed: 1, foreignKeys: false } })
  const { runtime } = openBench()
  await runtime.importRun(copy)
  const there = await runtime.verify(world.asked.runId, null)
  expect(there).toMatchObject({ ok: true, signatures: { signed: 1, foreignKeys: true } })
})

test('one failed read of the log of passkeys lowers nothing', async () => {
  const world = await openWorld()
  const { store } = world.bench
  const failing = {
    ...store,
    listDocuments: () => Promise.reject(new Error('disk')),
    readDocument: () => Promise.reject(new Error('disk')),
    readDocuments: () => Promise.reject(new Error('disk')),
  }
  const fresh = world.bench.again(failing, { passkeys: passkeySettings })
  await fresh.passkeys.refresh()
  expect(fresh.passkeys.required()).toBe('passkey')
})

test('ten thousand idle agents push out each other, and nobody who works on a run', () => {
  const agents = openAgentSessions('key', () => 0)
  const first = agents.issue()
  agents.take(first.session, { runId: 'r1', branch: null })
  const idle = agents.issue()
  for (let count = 0; count < 10_000; count += 1) agents.issue()
  expect(agents.find(first.credential)).toBe(first.session)
  expect(agents.holderOf({ runId: 'r1', branch: null })).toBe(first.session.name)
  expect(agents.find(idle.credential)).toBeNull()
})

test('a session that has ended takes no run that was being started for it', () => {
  const agents = openAgentSessions('key', () => 0)
  const { session } = agents.issue()
  agents.hold(session)()
  agents.take(session, { runId: 'r1', branch: null })
  expect(agents.holderOf({ runId: 'r1', branch: null })).toBeNull()
})

test('the lock of a folder is found behind hundreds of others', async () => {
  const { store } = openBench()
  const tools = { store, now: () => 0 }
  for (let count = 0; count < 1_100; count += 1) {
    const runId = `r${String(count).padStart(5, '0')}`
    await lockFolder(tools, { workspace: `/other/${count}`, runId })
  }
  await lockFolder(tools, { workspace: '/work', runId: 'z' })
  expect(await lockAt(store, '/work')).toBe('z')
  expect(await lockAt(store, '/free')).toBeNull()
})

test('a removed run leaves its folder locked, and a person releases it by its id', async () => {
  const { store, runtime } = openBench()
  await lockFolder({ store, now: () => 0 }, { workspace: '/work', runId: 'gone' })
  expect(await runtime.sessions.isLock('gone')).toBe(true)
  await runtime.sessions.releaseRun('gone')
  expect(await lockAt(store, '/work')).toBeNull()
})

test('a hook that names a run of another folder is held, and changes nothing there', async () => {
  const { runtime, call, hook } = openHookBench()
  const runId = await startRelease(runtime)
  const before = await runtime.readHead(runId)
  const where = { runId, workspace: '/elsewhere', session: 'two' }
  expect(refusalIn(await call('Read', { file_path: '/work/a' }, where))).not.toBe('')
  await hook('SessionEnd', {}, where)
  expect(await runtime.readHead(runId)).toEqual(before)
})

test('a session that ends in the middle frees nobody: whoever comes next is held', async () => {
  const bench = openHookBench()
  const runId = await startRelease(bench.runtime)
  await bench.hook('SessionStart', {}, { session: 'one' })
  await bench.hook('SessionEnd', {}, { session: 'one' })
  const write = { file_path: '/work/b', content: 'x' }
  for (const session of ['two', 'three']) {
    expect(refusalIn(await bench.call('Write', write, { session }))).not.toBe('')
  }
  const start = bench.runtime.start({ ...wish, definition: 'release', workspace: '/work' }, asAgent)
  await coded(start)
  expect((await bench.runtime.sessions.runOf('claude:two'))?.id).toBe(runId)
})
