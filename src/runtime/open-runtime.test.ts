import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMachineCache } from './definitions/machine-cache.ts'
import { PawlError } from './pawl-error.ts'
import { loadRun } from './runs/load-run.ts'
import { rebuildAll, removeOldRuns } from './runs/log-maintenance.ts'
import {
  asAgent,
  asPerson,
  check,
  openBench,
  person,
  release,
  say,
  startMs,
  startRelease,
} from './runtime.contract.ts'

async function faultOf(work: Promise<unknown>): Promise<string> {
  const fault = await work.then(
    () => null,
    (one: unknown) => one,
  )
  if (fault instanceof PawlError) return fault.code
  throw new Error('there was no fault', { cause: fault })
}

const readme = check('Read', { file_path: '/work/a.md' })
const edit = check('Edit', { file_path: '/work/a.md', old_string: 'a', new_string: 'b' })

test('every decision is on record before it is spoken', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const allowed = await runtime.send(runId, readme, asAgent)
  expect(allowed.reply).toMatchObject({ verdict: 'allow' })
  const denied = await runtime.send(runId, edit, asAgent)
  const rule = '/states/plan/allowed_tools'
  expect(denied.reply).toMatchObject({ verdict: 'deny', code: 'TOOL_NOT_ALLOWED', rule })
  const events = await runtime.readEvents(runId, { after: 0, limit: 100 })
  expect(events.map((one) => one.type)).toEqual([
    'run.started',
    'stage.entered',
    'call.allowed',
    'call.denied',
  ])
  expect(events.map((one) => one.seq)).toEqual([1, 2, 3, 4])
  expect(JSON.parse(events[3]?.data ?? '')).toMatchObject({ rule })
  expect(await runtime.verify(runId, null)).toMatchObject({ ok: true, count: 4 })
})

test('the same command id gets the same reply and changes nothing', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const by = { ...asAgent, commandId: 'toolu_1' }
  const first = await runtime.send(runId, readme, by)
  const second = await runtime.send(runId, readme, by)
  expect(second.reply).toEqual(first.reply)
  expect([first.isRepeated, second.isRepeated, second.seq]).toEqual([false, true, first.seq])
  expect(await runtime.readEvents(runId, { after: 0, limit: 100 })).toHaveLength(3)
  const refused = await runtime.send(runId, { kind: 'resume' }, { ...asAgent, commandId: 'r' })
  await runtime.send(runId, { kind: 'pause', release: false }, asAgent)
  const again = await runtime.send(runId, { kind: 'resume' }, { ...asAgent, commandId: 'r' })
  expect(again.reply).toEqual(refused.reply)
})

test('a start sent twice is one run', async () => {
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: null })
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: null }
  const by = { ...asAgent, commandId: 'start-1' }
  const [first, second] = [await runtime.start(request, by), await runtime.start(request, by)]
  expect(second.runId).toBe(first.runId)
  expect(second.isRepeated).toBe(true)
  const { items } = await runtime.listRuns({
    ...{ after: null, limit: 10, statuses: null },
    ...{ workspace: null, definition: null },
  })
  expect(items).toHaveLength(1)
})

test('an approval moves the run, once, with what the person changed', async () => {
  const { runtime, told } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const parked = await runtime.send(runId, say('SHIP', { version: '1', by: 'me' }), asAgent)
  expect(parked.view()).toMatchObject({ status: 'waiting' })
  const { items } = await runtime.listApprovals({ status: 'pending', runId, after: null, limit: 9 })
  const [row] = items
  const id = row?.id ?? ''
  const decision = { granted: true, note: 'fine', hash: row?.hash ?? null, edits: null }
  expect((await runtime.resolve(id, decision, asAgent)).reply).toMatchObject({
    code: 'NOT_PERMITTED',
  })
  const other = { ...decision, hash: 'sha256:other' }
  expect((await runtime.resolve(id, other, asPerson)).reply).toMatchObject({ kind: 'refused' })
  const fixed = { ...decision, edits: { by: 'you' } }
  expect((await runtime.resolve(id, fixed, asPerson)).reply).toMatchObject({
    code: 'NOT_PERMITTED',
  })
  await runtime.tick()
  expect(told.map((one) => one.kind)).toEqual(['notify-person'])
  const edited = { ...decision, edits: { version: '2' } }
  const done = await runtime.resolve(id, edited, asPerson)
  expect(done.view()).toMatchObject({ status: 'completed', vars: { version: '2', by: 'me' } })
  expect(await faultOf(runtime.resolve(id, decision, asPerson))).toBe('APPROVAL_DECIDED')
  expect(await runtime.readApproval(id)).toMatchObject({ status: 'granted', decidedBy: 'ada' })
})

test('a question that nobody answers runs out, also after a restart', async () => {
  const { runtime, pass, again } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  await runtime.send(runId, say('SHIP'), asAgent)
  pass(3_600_001)
  const restarted = again()
  const { items } = await restarted.listApprovals({
    ...{ status: 'pending', runId },
    ...{ after: null, limit: 9 },
  })
  const yes = { granted: true, note: '', hash: null, edits: null } as const
  const late = await restarted.resolve(items[0]?.id ?? '', yes, asPerson)
  expect(late.reply).toMatchObject({ code: 'APPROVAL_EXPIRED' })
  await restarted.tick()
  expect((await restarted.readRun(runId, null)).view).toMatchObject({
    status: 'running',
    stage: 'build',
  })
  expect(await restarted.readApproval(items[0]?.id ?? '')).toMatchObject({ status: 'expired' })
})

test('a run loaded again is the run that was kept, whatever snapshots there are', async () => {
  const { runtime, store, again } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  for (let i = 0; i < 300; i += 1) {
    const { reply } = await runtime.send(runId, readme, asAgent)
    if (reply.kind === 'verdict' && reply.callId !== null) {
      const report = { ok: true, output: 'x', exitCode: 0, bytes: null, costMicroUsd: 1 }
      const intent = { kind: 'report', callId: reply.callId, report, branch: null } as const
      await runtime.send(runId, intent, asAgent)
    }
    if (i % 4 === 0) await runtime.send(runId, say('BACK'), asAgent)
    if (i % 4 === 0) await runtime.send(runId, say('READY'), asAgent)
  }
  const loaded = await loadRun(store, openMachineCache(store), runId)
  expect(loaded?.snapshotSeq).toBeGreaterThan(0)
  const before = await runtime.readRun(runId, null)
  expect(await again().readRun(runId, null)).toEqual(before)
  const { changed, broken } = await rebuildAll(store, openMachineCache(store))
  expect([changed, broken]).toEqual([[], []])
  expect(await again().readRun(runId, null)).toEqual(before)
})

test('two nodes on one store never decide on the same state', async () => {
  const { runtime, store, again } = openBench()
  const shared = { ...store, isShared: true }
  const [one, two] = [again(shared), again(shared)]
  const runId = await startRelease(runtime)
  await one.send(runId, say('READY'), asAgent)
  await two.readRun(runId, null)
  const sent = Array.from({ length: 20 }, (_, i) =>
    (i % 2 === 0 ? one : two).send(runId, readme, asAgent),
  )
  const replies = (await Promise.all(sent)).map(({ reply }) => reply)
  const allowed = replies.filter((reply) => reply.kind === 'verdict' && reply.verdict === 'allow')
  expect(allowed).toHaveLength(5)
  expect(await one.verify(runId, null)).toMatchObject({ ok: true })
})

test('a store that fails denies the call and loses nothing', async () => {
  const { store, again, runtime } = openBench()
  const runId = await startRelease(runtime)
  let isFull = true
  const failing = {
    ...store,
    commit: (...args: Parameters<typeof store.commit>) => {
      if (isFull)
        throw new PawlError('STORE_UNAVAILABLE', 'the disk is full', { hint: 'make room' })
      return store.commit(...args)
    },
  }
  const node = again(failing)
  const denied = await node.send(runId, readme, asAgent)
  expect(denied.reply).toMatchObject({ verdict: 'deny', code: 'STORE_UNAVAILABLE' })
  expect(await faultOf(node.send(runId, say('READY'), asAgent))).toBe('STORE_UNAVAILABLE')
  isFull = false
  expect((await node.send(runId, readme, asAgent)).reply).toMatchObject({ verdict: 'allow' })
  expect(await node.verify(runId, null)).toMatchObject({ ok: true, count: 3 })
})

test('a waiter wakes at once, and without news when its time is over', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const wish = { runId, after: 2, timeoutMs: 20_000, signal: null }
  const waited = runtime.waitFor(wish)
  await runtime.send(runId, say('READY'), asAgent)
  expect(await waited).toBeGreaterThan(2)
  expect(await runtime.waitFor({ ...wish, after: 0 })).toBeGreaterThan(2)
  expect(await runtime.waitFor({ ...wish, after: 99, timeoutMs: 5 })).toBe(99)
})

test('a definition of the workspace reaches new runs only, and a broken file none', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const folder = join(workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'release.json')
  writeFileSync(file, release)
  const { runtime } = openBench()
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace }
  const old = await runtime.start(request, asAgent)
  writeFileSync(file, release.replace('"READY"', '"GO"'))
  const young = await runtime.start(request, asAgent)
  expect(young.view()?.signals).toEqual(['GO'])
  expect((await runtime.send(old.runId, say('READY'), asAgent)).reply.kind).toBe('accepted')
  writeFileSync(file, '{ "id": "release", ')
  const third = await runtime.start(request, asAgent)
  expect(third.view()?.signals).toEqual(['GO'])
  expect(third.notes?.[0]).toContain('has errors')
  rmSync(file)
  expect(await faultOf(runtime.start(request, asAgent))).toBe('DEFINITION_UNKNOWN')
})

test('a file with the name of a stored definition waits for a person, by its hash', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const folder = join(workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'any.json')
  const { runtime } = openBench()
  const { definitions } = runtime
  await definitions.create({ source: release, format: 'json' })
  const start = (definition = 'release'): Promise<{ runId: string }> =>
    runtime.start({ definition, task: null, stage: null, vars: {}, workspace }, asAgent)
  // The same rules in other words hide nothing.
  writeFileSync(file, JSON.stringify(JSON.parse(release), null, 4))
  await start()
  const loose = release.replace('"requires_approval":true', '"requires_approval":false')
  writeFileSync(file, loose)
  const hash = createHash('sha256').update(loose).digest('hex')
  await expect(start()).rejects.toMatchObject({
    code: 'DEFINITION_UNACCEPTED',
    hint: expect.stringContaining(`pawl definitions accept release ${hash.slice(0, 16)}`),
  })
  // Nor by way of a definition that invokes it.
  const GO = { invoke: 'release', on_complete: 'b', on_fail: 'b' }
  const outer = { id: 'outer', initial: 'a', states: { a: { on: { GO } }, b: { type: 'final' } } }
  await definitions.create({ source: JSON.stringify(outer), format: 'json' })
  expect(await faultOf(start('outer'))).toBe('DEFINITION_UNACCEPTED')
  const wish = { name: 'release', workspace }
  expect(await faultOf(definitions.accept({ ...wish, hash: 'a'.repeat(64) }))).toBe(
    'DEFINITION_UNKNOWN',
  )
  expect(await definitions.accept({ ...wish, hash: hash.slice(0, 16) })).toBe(hash)
  expect((await start()).runId).toBeTruthy()
  writeFileSync(file, `${loose} `)
  expect(await faultOf(start())).toBe('DEFINITION_UNACCEPTED')
})

test('a file with several tasks waits for a person when any of them differs', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const folder = join(workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  const taskOf = (id: string, goal: string) => ({
    ...{ type: 'steps', version: 'v1alpha', id, tool: { name: `submit_${id}` } },
    steps: [{ id: `ASK_${id.toUpperCase()}`, goal, inputs: [{ name: id }] }],
  })
  const shop = (goal: string): string => {
    const task = [taskOf('order', 'Ask'), taskOf('gift', goal)]
    return JSON.stringify({ type: 'context', name: 'shop', context: { task } })
  }
  const { runtime } = openBench()
  await runtime.definitions.create({ source: shop('Ask twice'), format: 'json' })
  const start = (task: string | null): Promise<unknown> =>
    runtime.start({ definition: 'shop', task, stage: null, vars: {}, workspace }, asAgent)
  writeFileSync(join(folder, 'shop.json'), shop('Ask twice'))
  await start('gift')
  writeFileSync(join(folder, 'shop.json'), shop('Ask nothing'))
  for (const task of ['gift', 'order']) {
    expect(await faultOf(start(task)), task).toBe('DEFINITION_UNACCEPTED')
  }
})

test('a misspelt definition is answered with the name that was probably meant', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const folder = join(workspace, '.pawl', 'definitions')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'hotfix.json'), release.replace('"release"', '"hotfix"'))
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: 'json' })
  const start = (definition: string, at: string | null): Promise<unknown> =>
    runtime.start({ definition, task: null, stage: null, vars: {}, workspace: at }, asAgent)
  const hint = (text: string) => ({ code: 'DEFINITION_UNKNOWN', hint: text })
  await expect(start('hotfx', workspace)).rejects.toMatchObject(hint('did you mean `hotfix`?'))
  await expect(start('relaese', workspace)).rejects.toMatchObject(hint('did you mean `release`?'))
  const none = hint('`pawl definitions` lists them')
  await expect(start('hotfx', null)).rejects.toMatchObject(none)
  await expect(runtime.definitions.read('hotfx')).rejects.toMatchObject(none)
  await expect(runtime.definitions.read('relese')).rejects.toMatchObject(
    hint('did you mean `release`?'),
  )
})

test('a run is carried to another store whole, and a damaged one is not', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const copy = await runtime.exportRun(runId)
  const other = openBench().runtime
  const damaged = copy.events.map((one) =>
    one.seq === 2 ? { ...one, data: one.data.replace('plan', 'done') } : one,
  )
  expect(await faultOf(other.importRun({ ...copy, events: damaged }))).toBe('LOG_BROKEN')
  await other.importRun(copy)
  expect(await faultOf(other.importRun(copy))).toBe('RUN_EXISTS')
  expect(await other.readRun(runId, null)).toEqual(await runtime.readRun(runId, null))
  expect((await other.send(runId, say('BACK'), asAgent)).reply.kind).toBe('accepted')
})

test('definitions have a name for ever and versions that come back as written', async () => {
  const { runtime, pass } = openBench()
  const { definitions } = runtime
  const source = `// mine\n${release}`
  const created = await definitions.create({ source, format: null })
  if (!created.ok) throw new Error('it has errors')
  expect(await faultOf(definitions.create({ source, format: null }))).toBe('DEFINITION_EXISTS')
  pass(1_000)
  const next = release.replace('"READY"', '"GO"')
  await definitions.update(created.value.id, { source: next, format: null })
  const row = await definitions.read('release')
  expect([row.id, row.latest.version]).toEqual([created.value.id, 2])
  expect(row.updatedAt - row.createdAt).toBe(1_000)
  const versions = await definitions.versions('release')
  expect(versions.map((one) => one.source)).toEqual([source, next])
  const renamed = definitions.update('release', {
    ...{ source: release.replace('"release"', '"other"'), format: null },
  })
  expect(await faultOf(renamed)).toBe('REQUEST_INVALID')
  const broken = await definitions.update('release', { source: '{}', format: null })
  expect(broken.ok).toBe(false)
  expect((await definitions.read('release')).latest.version).toBe(2)
})

test('notes and reasons of any length are cut, with a mark', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const reason = 'a'.repeat(5_000_000)
  await runtime.send(runId, { kind: 'cancel', reason }, { actor: person, commandId: null })
  const [last] = (await runtime.readEvents(runId, { after: 0, limit: 100 })).slice(-1)
  expect(last?.data.length).toBeLessThan(5_000)
  expect(last?.data).toContain('[cut: 5000000 characters]')
})

test('no id that an agent can give its command keeps a question open', async () => {
  const { runtime, pass } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const asked = await runtime.send(runId, say('SHIP'), asAgent)
  const id = asked.view()?.approval?.id ?? ''
  await runtime.send(runId, readme, { ...asAgent, commandId: `expire:${id}` })
  pass(3_600_001)
  await runtime.tick()
  expect(await runtime.readApproval(id)).toMatchObject({ status: 'expired' })
})

test('a command id is no answer to another question', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  const by = { ...asAgent, commandId: 'k1' }
  expect((await runtime.send(runId, readme, by)).reply).toMatchObject({ verdict: 'allow' })
  const other = await runtime.send(runId, check('Bash', { command: 'rm -rf /' }), by)
  expect(other.reply).toMatchObject({ verdict: 'deny', code: 'REQUEST_INVALID' })
  expect(await faultOf(runtime.send(runId, say('READY'), by))).toBe('REQUEST_INVALID')
  expect((await runtime.send(runId, readme, by)).isRepeated).toBe(true)
})

test('a call does not choose the workspace it is judged in', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const write = { file_path: '/etc/x', old_string: 'a', new_string: 'b' }
  const says = async (file: string, cwd: string | null): Promise<unknown> => {
    const intent = { ...check('Edit', { ...write, file_path: file }), cwd }
    const { reply } = await runtime.send(runId, intent, asAgent)
    return reply.kind === 'verdict' ? reply.verdict : reply.kind
  }
  for (const cwd of [null, '/', '/etc', '/worker', '/work/../etc', 'etc']) {
    expect(await says('/etc/x', cwd), cwd ?? 'none').toBe('deny')
  }
  expect(await says('x.ts', '/work/sub')).toBe('allow')
  expect(await says('../../x.ts', '/work/sub')).toBe('deny')
  expect(await says('x.ts', '/etc')).toBe('deny')
  expect(await says('/work/x.ts', '/etc')).toBe('allow')
})

test('a link inside the workspace does not make it wider', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  symlinkSync('/', join(workspace, 'link'))
  mkdirSync(join(workspace, 'sub'))
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: 'json' })
  const request = { definition: 'release', task: null, stage: 'build', vars: {}, workspace }
  const { runId } = await runtime.start(request, asPerson)
  const outside = join(workspace, 'link', 'srv', 'x')
  const input = { file_path: outside, old_string: 'a', new_string: 'b' }
  const through = { ...check('Edit', input), cwd: join(workspace, 'link') }
  expect((await runtime.send(runId, through, asAgent)).reply).toMatchObject({ verdict: 'deny' })
  const below = {
    ...check('Edit', { ...input, file_path: 'x' }),
    cwd: join(workspace, 'sub'),
  }
  expect((await runtime.send(runId, below, asAgent)).reply).toMatchObject({ verdict: 'allow' })
})

test('only a person starts a run in the middle', async () => {
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: 'json' })
  const request = { definition: 'release', task: null, stage: 'build', vars: {}, workspace: null }
  expect(await faultOf(runtime.start(request, asAgent))).toBe('NOT_PERMITTED')
  expect((await runtime.start(request, asPerson)).view()).toMatchObject({ stage: 'build' })
  const nowhere = { ...request, stage: null, workspace: 'here' }
  expect(await faultOf(runtime.start(nowhere, asAgent))).toBe('REQUEST_INVALID')
})

test('a start sent again gets its reply though the definition is gone', async () => {
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: 'json' })
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: null }
  const by = { ...asAgent, commandId: 's1' }
  const { runId } = await runtime.start(request, by)
  await runtime.definitions.remove('release')
  expect(await runtime.start(request, by)).toMatchObject({ runId, isRepeated: true })
  expect(await faultOf(runtime.start({ ...request, vars: { a: 1 } }, by))).toBe('REQUEST_INVALID')
})

test('a store that is too large lets go of no more than it must', async () => {
  const { runtime, store } = openBench()
  const runs: string[] = []
  for (let i = 0; i < 40; i += 1) {
    const runId = await startRelease(runtime, { i })
    await runtime.send(runId, { kind: 'cancel', reason: '' }, asPerson)
    runs.push(runId)
  }
  let kept = 40
  // A page holds more than the texts of a log: here a run takes a tenth of a megabyte.
  const large = {
    ...store,
    countBytes: async () => kept * 104_000,
    removeRuns: async (ids: readonly string[]) => {
      kept -= ids.length
      await store.removeRuns(ids)
    },
  }
  expect(await removeOldRuns(large, { days: null, megabytes: 2 }, startMs + 1)).toHaveLength(20)
  expect((await runtime.readRun(runs.at(-1) ?? '', null)).head.status).toBe('cancelled')
})

test('a log from the future is not taken in', async () => {
  const { runtime, pass } = openBench()
  const other = openBench()
  other.pass(400 * 86_400_000)
  const runId = await startRelease(other.runtime)
  const copy = await other.runtime.exportRun(runId)
  expect(await faultOf(runtime.importRun(copy))).toBe('REQUEST_INVALID')
  pass(400 * 86_400_000)
  expect(await runtime.importRun(copy)).toMatchObject({ runId })
})
