import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { asAgent, asPerson, type Bench, openBench, say } from '../runtime.contract.ts'
import type { GatewayCall, ServerSight } from './gateway-port.ts'

/** A stage that lets files be read, asks before they are written, and has another one behind it. */
const files = JSON.stringify({
  id: 'files',
  initial: 'work',
  policy: { ask: [{ capability: 'mcp:fs:write_file' }], allow: [{ capability: '*' }] },
  states: {
    work: { allowed_tools: ['mcp__fs__read_file', 'mcp__fs__write_file'], on: { NEXT: 'look' } },
    look: { allowed_tools: ['mcp__fs__read_file'], on: { DONE: 'end' } },
    end: { type: 'final' },
  },
})

async function openRun(): Promise<Bench & { readonly runId: string }> {
  const bench = openBench()
  await bench.runtime.definitions.create({ source: files, format: 'json' })
  const request = { definition: 'files', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await bench.runtime.start(request, asAgent)
  return { ...bench, runId }
}

function call(tool: string, more: Partial<GatewayCall> = {}): GatewayCall {
  const whose = { workspace: '/work', runId: null, mark: null, last: null }
  const server = { server: 'fs', tool }
  return { ...whose, server, input: { path: 'a.md' }, holder: 'one', ...more }
}

const write = call('write_file', { input: { path: 'a.md', content: 'x' } })
const report = { holder: 'one', branch: null, ok: true, output: 'done', bytes: 4, costMicroUsd: 5 }

test('a call is judged by the only open run as `mcp:server:tool`, and reported', async () => {
  const { runtime, runId } = await openRun()
  const read = await runtime.gateway.check(call('read_file'), asAgent)
  expect(read).toMatchObject({ verdict: 'allow', runId })
  await runtime.gateway.report({ ...report, runId, callId: read.callId ?? '' }, asAgent)
  const other = await runtime.gateway.check(call('delete_file'), asAgent)
  expect(other).toMatchObject({ verdict: 'deny', code: 'TOOL_NOT_ALLOWED' })
  const types = (await runtime.readEvents(runId, { after: 2, limit: 9 })).map((one) => one.type)
  expect(types).toEqual(['call.allowed', 'call.reported', 'call.denied'])
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(5)
})

test('an approved call is let through once, also when its answer was lost', async () => {
  const { runtime, runId } = await openRun()
  const asked = await runtime.gateway.check(write, asAgent)
  expect(asked).toMatchObject({ verdict: 'ask', callId: null })
  expect(asked.hint).toContain(`pawl approve ${asked.approvalId}`)
  const again = await runtime.gateway.check(write, asAgent)
  expect(again).toMatchObject({ verdict: 'ask', approvalId: asked.approvalId })
  await decide(runtime, asked.approvalId, 'granted')
  const by = { ...asAgent, commandId: 'agent:1' }
  const first = await runtime.gateway.check(write, by)
  expect(first).toMatchObject({ verdict: 'allow', approvalId: asked.approvalId })
  const { callId } = first
  const repeated = await runtime.gateway.check(write, by)
  expect(repeated).toMatchObject({ verdict: 'allow', callId, approvalId: asked.approvalId })
  const meanwhile = await runtime.gateway.check(write, asAgent)
  expect(meanwhile).toMatchObject({ verdict: 'deny', code: 'CALL_UNSURE' })
  await runtime.gateway.report({ ...report, runId, callId: callId ?? '' }, asAgent)
  expect(await runtime.gateway.check(write, asAgent)).toMatchObject({ verdict: 'ask' })
})

test('what was reported before is counted when the next call is judged, unawaited', async () => {
  const { runtime } = openBench()
  const work = { allowed_tools: ['mcp__fs__read_file'], context_budget_bytes: 10, on: { E: 'end' } }
  const small = { id: 'small', initial: 'work', states: { work, end: { type: 'final' } } }
  await runtime.definitions.create({ source: JSON.stringify(small), format: 'json' })
  const request = { definition: 'small', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const { callId, bytesLeft } = await runtime.gateway.check(call('read_file'), asAgent)
  expect(bytesLeft).toBe(10)
  const ended = { ...report, runId, callId: callId ?? '', bytes: 10 }
  // As they come over one connection, right behind each other.
  const reported = runtime.gateway.report(ended, asAgent)
  const next = await runtime.gateway.check(call('read_file'), asAgent)
  expect(next).toMatchObject({ verdict: 'deny', code: 'BYTES_EXHAUSTED' })
  await reported
})

test('a call whose grant was used up and whose answer was lost for good is in doubt', async () => {
  const bench = await openRun()
  const { runtime, store } = bench
  const asked = await runtime.gateway.check(write, asAgent)
  await decide(runtime, asked.approvalId, 'granted')
  // Killed after the verdict was kept and before the lease was.
  const broken = bench.again({
    ...store,
    writeDocuments: () => Promise.reject(new Error('killed')),
  })
  expect((await broken.gateway.check(write, asAgent)).code).toBe('INTERNAL')
  const next = await bench.again().gateway.check({ ...write, holder: 'two' }, asAgent)
  expect(next).toMatchObject({ verdict: 'deny', code: 'CALL_UNSURE' })
  const after = await bench.again().gateway.check({ ...write, holder: 'two' }, asAgent)
  expect(after).toMatchObject({ verdict: 'ask' })
})

test('a call that a gateway makes is reported by that gateway and nobody else', async () => {
  const { runtime, runId } = await openRun()
  const { callId } = await runtime.gateway.check(call('read_file'), asAgent)
  const id = callId ?? ''
  const forged = { ok: true, output: '{}', exitCode: null, bytes: 0, costMicroUsd: 0 }
  const say = (about: string | null) =>
    runtime.send(runId, { kind: 'report', callId: about, report: forged, branch: null }, asAgent)
  expect((await say(id)).reply).toMatchObject({ kind: 'refused', code: 'NOT_PERMITTED' })
  expect((await say(null)).reply).toMatchObject({ kind: 'refused', code: 'CALL_UNKNOWN' })
  const foreign = runtime.gateway.report({ ...report, runId, callId: id, holder: 'two' }, asAgent)
  await expect(foreign).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  await runtime.gateway.report({ ...report, runId, callId: id }, asAgent)
  expect((await runtime.readHead(runId))?.costMicroUsd).toBe(5)
})

test('what a person agreed to is reported by nobody before it was begun', async () => {
  const bench = await openRun()
  const { runtime, runId, store } = bench
  const asked = await runtime.gateway.check(write, asAgent)
  await decide(runtime, asked.approvalId, 'granted')
  const forged = { ok: true, output: '{}', exitCode: null, bytes: 0, costMicroUsd: 0 }
  const say = async (callId: string | null) => {
    const intent = { kind: 'report', callId, report: forged, branch: null } as const
    return (await runtime.send(runId, intent, asAgent)).reply
  }
  const idOf = async (type: string): Promise<string> => {
    const events = await runtime.readEvents(runId, { after: 0, limit: 99 })
    return JSON.parse(events.find((one) => one.type === type)?.data ?? '{}').callId
  }
  expect(await say(null)).toMatchObject({ kind: 'refused' })
  expect(await say(await idOf('call.asked'))).toMatchObject({ code: 'NOT_PERMITTED' })
  // The grant is used up, and there is no lease yet.
  const by = { ...asAgent, commandId: 'agent:1' }
  const broken = bench.again({
    ...store,
    writeDocuments: () => Promise.reject(new Error('killed')),
  })
  expect((await broken.gateway.check(write, by)).code).toBe('INTERNAL')
  const next = bench.again().gateway
  const callId = await idOf('call.allowed')
  expect(await say(callId)).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(await say(null)).toMatchObject({ kind: 'refused' })
  const early = next.report({ ...report, runId, callId, holder: 'two' }, asAgent)
  await expect(early).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  // The gateway that never got its answer asks again, under the same id.
  expect(await next.check(write, by)).toMatchObject({ verdict: 'allow', callId })
  await next.report({ ...report, runId, callId }, asAgent)
  expect((await next.check(write, asAgent)).verdict).toBe('ask')
})

test('a refused call is told once, and can be asked again', async () => {
  const { runtime } = await openRun()
  const asked = await runtime.gateway.check(write, asAgent)
  await decide(runtime, asked.approvalId, 'refused')
  const told = await runtime.gateway.check(write, asAgent)
  expect(told).toMatchObject({ verdict: 'deny', code: 'APPROVAL_REFUSED' })
  expect(told.reason).toContain('not today')
  expect(await runtime.gateway.check(write, asAgent)).toMatchObject({ verdict: 'ask' })
})

test('a grant dies with its stage', async () => {
  const { runtime, runId } = await openRun()
  const asked = await runtime.gateway.check(write, asAgent)
  await decide(runtime, asked.approvalId, 'granted')
  await runtime.send(runId, say('NEXT'), asAgent)
  const told = await runtime.gateway.check(write, asAgent)
  expect(told).toMatchObject({ verdict: 'deny', code: 'TOOL_NOT_ALLOWED' })
})

test('tools are shown as the stage allows; while a person decides, as before', async () => {
  const { runtime, runId } = await openRun()
  const whose = { workspace: '/work', runId: null, mark: null, last: null }
  const names = ['read_file', 'write_file', 'move_file'].map((tool) => ({ server: 'fs', tool }))
  const offered = async (more = {}) =>
    (await runtime.gateway.offer({ ...whose, ...more }, names)).offered
  expect(await offered()).toEqual(['listed', 'listed', 'hidden'])
  const asked = await runtime.gateway.check(write, asAgent)
  expect(await offered()).toEqual(['same', 'same', 'same'])
  await decide(runtime, asked.approvalId, 'refused')
  await runtime.send(runId, say('NEXT'), asAgent)
  expect(await offered()).toEqual(['listed', 'hidden', 'hidden'])
  expect(await offered({ workspace: '/elsewhere' })).toEqual(['listed', 'listed', 'listed'])
})

test('a mark chooses no run unless a hook of this daemon wrote it, for this folder', async () => {
  const { runtime, runId } = await openRun()
  const { gateway, marks } = runtime
  const start = (workspace: string) =>
    runtime.start({ definition: 'files', task: null, stage: null, vars: {}, workspace }, asAgent)
  const { runId: other } = await start('/other')
  const { runId: over } = await start('/work')
  await runtime.sessions.claim({ runId: over, branch: '', session: 'claude:old' })
  await runtime.send(over, say('NEXT'), asAgent)
  await runtime.send(over, say('DONE'), asAgent)
  const check = (more: Partial<GatewayCall>) => gateway.check(call('read_file', more), asAgent)
  const judgedBy = async (more: Partial<GatewayCall>) => (await check(more)).runId
  const mark = { session: 'claude:old', agent: null, run: over, branch: null }
  expect(await judgedBy({ mark: { ...mark, proof: 'x' } })).toBe(runId)
  const stolen = marks.prove({ ...mark, run: null })
  expect(await judgedBy({ mark: { ...stolen, run: over } })).toBe(runId)
  expect(await judgedBy({ mark: marks.prove({ ...mark, run: null }) })).toBe(runId)
  expect(await judgedBy({ mark: marks.prove(mark) })).toBe(over)
  const elsewhere = await check({ mark: marks.prove({ ...mark, run: other }) })
  expect(elsewhere).toMatchObject({ verdict: 'deny', code: 'REQUEST_INVALID', runId: null })
  // What the environment names was said by whoever started the host.
  expect(await judgedBy({ runId: over })).toBe(over)
  expect(await judgedBy({ runId, mark: marks.prove(mark) })).toBe(runId)
})

test('a folder by another name, above or below is held by the run that is open there', async () => {
  const { runtime } = await openRun()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-near-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'project', 'src'), { recursive: true })
  symlinkSync(join(root, 'project'), join(root, 'link'))
  const request = { definition: 'files', task: null, stage: null, vars: {} }
  const start = (workspace: string) =>
    runtime.start({ ...request, workspace: join(root, workspace) }, asAgent)
  const { runId } = await start('link')
  const check = (workspace: string) =>
    runtime.gateway.check(call('read_file', { workspace: join(root, workspace) }), asAgent)
  for (const one of ['project', 'link', 'project/src', 'link/src', 'project/gone', '.']) {
    expect(await check(one)).toMatchObject({ verdict: 'allow', runId })
  }
  expect(await check('project2')).toMatchObject({ verdict: 'allow', runId: null })
  await start('project/src')
  expect(await check('project')).toMatchObject({ verdict: 'deny', code: 'REQUEST_INVALID' })
})

test('several open runs judge nothing, and a run that ended still holds who had it', async () => {
  const { runtime, runId } = await openRun()
  await runtime.send(runId, { kind: 'cancel', reason: '' }, asAgent)
  const locked = await runtime.gateway.check(call('read_file'), asAgent)
  expect(locked).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('locked') })
  await runtime.sessions.releaseRun(runId)
  expect(await runtime.gateway.check(call('read_file'), asAgent)).toMatchObject({
    verdict: 'allow',
    runId: null,
  })
  const held = await runtime.gateway.check(call('read_file', { last: runId }), asAgent)
  expect(held).toMatchObject({ verdict: 'deny', code: 'RUN_NOT_RUNNING', runId })
  const request = { definition: 'files', task: null, stage: null, vars: {}, workspace: '/work' }
  await runtime.start(request, asAgent)
  await runtime.start(request, asAgent)
  const unclear = await runtime.gateway.check(call('read_file'), asAgent)
  expect(unclear).toMatchObject({ verdict: 'deny', code: 'REQUEST_INVALID' })
})

const launch = { command: 'fs-server', args: ['/work'] }
const tool = (name: string, description: string) => ({
  tool: name,
  definition: { name, description, inputSchema: { type: 'object' } },
})
const whose = { workspace: '/work', runId: null, mark: null, last: null }
const sight: ServerSight = { scope: null, server: 'fs', launch, tools: null, whose }

test('what is seen first is taken; what changes, comes later or is odd waits', async () => {
  const { runtime, runId } = await openRun()
  const { gateway } = runtime
  const tools = [tool('a', '1'), tool('b', '1'), tool('odd', 'a\u200Bb')]
  const first = await gateway.see({ ...sight, tools })
  expect(first).toEqual({ isLaunchAccepted: true, accepted: ['a', 'b'] })
  // Another order is the same.
  expect((await gateway.see({ ...sight, tools: tools.toReversed() })).accepted).toEqual(['b', 'a'])
  const later = { ...sight, tools: [tool('a', '2'), tool('b', '1'), tool('new', '1')] }
  expect((await gateway.see(later)).accepted).toEqual(['b'])
  expect((await gateway.see(later)).accepted).toEqual(['b'])
  const warnings = (await runtime.readEvents(runId, { after: 0, limit: 99 })).filter(
    ({ type }) => type === 'warning.raised',
  )
  expect(warnings.map(({ data }) => JSON.parse(data).message)).toEqual([
    expect.stringContaining('`mcp:fs:odd` is new'),
    expect.stringContaining('`mcp:fs:a` has changed'),
    expect.stringContaining('`mcp:fs:new` is new'),
  ])
  const [pinned] = await gateway.listPins('/work')
  expect(pinned?.tools).toContainEqual({
    tool: 'a',
    isAccepted: false,
    hasChanged: true,
    about: '2',
    doubts: [],
    changes: ['- /description: "1"', '+ /description: "2"'],
  })
  const odd = pinned?.tools.find((one) => one.tool === 'odd')
  expect(odd?.changes).toContain('+ /description: "a\\u{200b}b"')
  const version = pinned?.version ?? 0
  const accept = { scope: null, server: 'fs', tool: 'a', version }
  await expect(gateway.accept({ ...accept, version: version - 1 })).rejects.toThrow(
    'in the meantime',
  )
  await gateway.accept(accept)
  expect((await gateway.see(later)).accepted).toEqual(['a', 'b'])
  await expect(gateway.accept({ ...accept, tool: 'constructor' })).rejects.toThrow('is unknown')
})

test('what a file of a workspace starts waits for a person, whatever it is', async () => {
  const { runtime } = openBench()
  const { gateway } = runtime
  const mine = { ...sight, scope: '/work' }
  expect((await gateway.see(mine)).isLaunchAccepted).toBe(false)
  await gateway.accept({ scope: '/work', server: 'fs', tool: null, version: 1 })
  expect((await gateway.see(mine)).isLaunchAccepted).toBe(true)
  const env = { MODE: 'all', API_KEY: 'abcdefgh', TOKEN: { fromFile: 'x' } }
  await gateway.see({ ...mine, launch: { ...launch, cwd: '/tmp', env } })
  const [pin] = await gateway.listPins('/work')
  expect(pin?.launch.changes).toEqual([
    '+ /cwd: "/tmp"',
    '+ /env/MODE: "all"',
    expect.stringMatching(/^\+ \/env\/API_KEY: "\[secret \w{8}\]"$/),
    '+ /env/TOKEN/fromFile: "x"',
  ])
  const other = { ...mine, launch: { ...launch, args: ['/'] } }
  expect((await gateway.see(other)).isLaunchAccepted).toBe(false)
  // A person's own file may change; a package without a version is asked about even there.
  await gateway.see(sight)
  expect(
    (await gateway.see({ ...sight, launch: { ...launch, args: ['/'] } })).isLaunchAccepted,
  ).toBe(true)
  const loose = { command: 'npx', args: ['fs-server'] }
  expect((await gateway.see({ ...sight, launch: loose })).isLaunchAccepted).toBe(false)
})

async function decide(
  runtime: Bench['runtime'],
  id: string | null,
  how: 'granted' | 'refused',
): Promise<void> {
  const decision = { granted: how === 'granted', note: 'not today', hash: null, edits: null }
  await runtime.resolve(id ?? '', decision, asPerson)
}

test.each([
  ['a name that says nothing', { tool: 'summary' }, 'deny'],
  ['a name that says nothing, declared to read', { tool: 'summary', changes: false }, 'allow'],
  ['the name of a reader', { tool: 'get_report' }, 'allow'],
  ['the name of a reader, declared to change', { tool: 'get_report', changes: true }, 'deny'],
  ['the name of a writer, declared to read', { tool: 'save_report', changes: false }, 'deny'],
])(
  'where nothing may be written, a tool with %s is judged by the stricter word',
  async (...row) => {
    const [, named, verdict] = row
    const { runtime } = openBench()
    const reading = { disallowed_tools: ['Write', 'Edit'], on: { DONE: 'done' } }
    const states = { reading, done: { type: 'final' } }
    const source = JSON.stringify({ id: 'files', initial: 'reading', states })
    await runtime.definitions.create({ source, format: 'json' })
    const request = { definition: 'files', task: null, stage: null, vars: {}, workspace: '/work' }
    await runtime.start(request, asAgent)
    const asked = call('', { server: { server: 'fs', ...named } })
    expect(await runtime.gateway.check(asked, asAgent)).toMatchObject({ verdict })
  },
)
