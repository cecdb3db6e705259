import { expect, test } from 'vitest'
import { say, startRelease } from '../../runtime/runtime.contract.ts'
import { agentOperations } from './agent-operations.ts'
import type { Caller } from './caller.ts'
import { contract } from './contract.ts'
import { type Daemon, type DaemonOptions, openDaemon } from './daemon.contract.ts'
import type { OperationName } from './operations-table.ts'

const agent: Caller = { role: 'agent', name: 'claude' }
const person: Caller = { role: 'person', name: 'ada' }

type CallOperation = (
  name: OperationName,
  input: object,
  caller?: Caller,
) => Promise<ReturnType<JSON['parse']>>

/** Asks as an agent; gives the answer, which has to be as its schema says, or the problem. */
function askOf({ api }: Daemon, seen = new Set<string>()): CallOperation {
  return async (name, input, caller = agent) => {
    const signal = () => new AbortController().signal
    const request = { door: 'socket', input, commandId: null, signal, traceparent: null } as const
    const answered = await api.perform(name, caller, request)
    if (!answered.ok) return answered.problem
    const output = JSON.parse(JSON.stringify(answered.output))
    expect(contract[name].answer.parse(output), name).toEqual(output)
    seen.add(name)
    return output
  }
}

const routine = {
  name: 'backup',
  initial: 'made',
  allowed_tools: ['memory_set', 'memory_get', 'task_create'],
  policy: { ask: [{ capability: 'task_create' }] },
  states: {
    made: { question: 'Made?', answers: { yes: { next: 'end' }, no: { next: 'end' } } },
    end: { question: 'Nothing further.', answers: {} },
  },
}

async function openRoutine(options: DaemonOptions = {}) {
  const daemon = await openDaemon(options)
  const ask = askOf(daemon)
  await ask('definitions.create', { definition: routine }, person)
  const { runId } = await ask('runs.start', { definition: 'backup', workspace: '/work' })
  const call = (tool: string, input: object) => ask('process.call', { runId, tool, input })
  return { ...daemon, ask, runId, call }
}

test('every answer is as its schema says', async () => {
  const daemon = await openDaemon({
    api: { about: { version: '0', found: [], elicitation: true } },
  })
  const seen = new Set<string>()
  const ask = askOf(daemon, seen)
  const offered = { definition: { ...routine, allowed_tools: undefined, policy: undefined } }
  const { draft } = await ask('drafts.create', offered)
  expect((await ask('drafts.list', {})).items).toEqual([draft])
  await ask('drafts.activate', { id: draft.id }, person)
  await ask('drafts.create', offered)
  await ask('drafts.delete', { id: 'backup' }, person)
  const { runId } = await ask('runs.start', { definition: 'backup', workspace: '/work' })
  const input = { key: 'a', value: 1 }
  await ask('process.call', { runId, tool: 'memory_set', input })
  await ask('process.call', { runId, tool: 'task_create', input: { title: 'x' } })
  const scope = { workspace: '/work', definition: 'backup' }
  expect((await ask('memories.list', scope)).items).toHaveLength(1)
  expect((await ask('tasks.list', scope)).items).toHaveLength(1)
  expect(await ask('memories.delete', { ...scope, key: 'a' }, person)).toEqual({ deleted: true })
  await ask('process.step', { runId, answer: 'yes', state: 'made', note: 'it was' })
  const release = await startRelease(daemon.runtime)
  await daemon.runtime.send(release, say('READY'), { actor: agentActor, commandId: null })
  await daemon.runtime.send(release, say('SHIP'), { actor: agentActor, commandId: null })
  const [{ id, hash }] = (await ask('approvals.list', {})).items
  await ask('approvals.elicited', { id, hash, granted: true, client: 'inspector' })
  const missing = Object.keys(agentOperations).filter((name) => !seen.has(name))
  expect(missing).toEqual([])
})

const agentActor = { kind: 'agent', name: 'claude' } as const

test('a routine uses the tools that its process allows, and each call is on record', async () => {
  const { runtime, runId, call } = await openRoutine()
  expect(await call('memory_set', { key: 'disk', value: 'full' })).toMatchObject({
    reply: { verdict: 'allow' },
    value: { memory: { key: 'disk', by: { run: runId, source: 'process' } } },
  })
  expect((await call('memory_get', { key: 'disk' })).value.memory).toMatchObject({ value: 'full' })
  expect(await call('memory_delete', { key: 'disk' })).toMatchObject({
    reply: { verdict: 'deny', code: 'TOOL_NOT_ALLOWED' },
    value: null,
  })
  expect((await call('memory_get', { key: 'disk' })).value.memory).toMatchObject({ value: 'full' })
  const records = await runtime.readEvents(runId, { after: 0, limit: 100 })
  const calls = records.filter((one) => one.type.startsWith('call.'))
  expect(new Set(calls.map((one) => one.actor))).toEqual(new Set(['agent:process']))
  expect(calls.filter((one) => one.type === 'call.allowed')).toHaveLength(3)
  expect(calls.filter((one) => one.type === 'call.reported')).toHaveLength(3)
  expect(calls.filter((one) => one.type === 'call.denied')).toHaveLength(1)
})

test('what the policy asks about waits for a person, and happens once they agree', async () => {
  const { ask, call, runId } = await openRoutine()
  const wish = { title: 'buy a disk' }
  expect(await call('task_create', wish)).toMatchObject({ reply: { verdict: 'ask' }, value: null })
  expect(await call('memory_get', { key: 'a' })).toMatchObject({ reply: { verdict: 'deny' } })
  const [{ id }] = (await ask('approvals.list', { runId })).items
  await ask('approvals.decide', { id, granted: true }, person)
  expect(await call('task_create', wish)).toMatchObject({ value: { task: { status: 'open' } } })
  expect(await call('task_create', wish)).toMatchObject({ reply: { verdict: 'ask' } })
})

test('a call that fails is reported as one that failed', async () => {
  const { runtime, runId, call } = await openRoutine()
  const large = await call('memory_set', { key: 'a', value: 'x'.repeat(20_000) })
  expect(large).toMatchObject({ code: 'REQUEST_INVALID' })
  const records = await runtime.readEvents(runId, { after: 0, limit: 100 })
  const last = records.at(-1)
  expect([last?.type, JSON.parse(last?.data ?? '')]).toMatchObject(['call.reported', { ok: false }])
})

test('unknown tools, wrong arguments and other dialects are refused', async () => {
  const { ask, runtime, call } = await openRoutine()
  expect(await call('Bash', { command: 'ls' })).toMatchObject({ code: 'REQUEST_INVALID' })
  expect(await call('memory_set', { key: 'a b', value: 1 })).toMatchObject({
    code: 'REQUEST_INVALID',
  })
  expect(await call('memory_get', { key: 'a', colour: 'red' })).toMatchObject({
    code: 'REQUEST_INVALID',
  })
  const runId = await startRelease(runtime)
  const other = { runId, tool: 'memory_get', input: { key: 'a' } }
  expect(await ask('process.call', other)).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(await ask('process.step', { runId, answer: 'READY' })).toMatchObject({
    code: 'NOT_PERMITTED',
  })
})

test('a draft starts no run until a person activates the very text that they read', async () => {
  const daemon = await openDaemon()
  const ask = askOf(daemon)
  const definition = { id: 'mine', initial: 'a', states: { a: { type: 'final' } } }
  const { draft } = await ask('drafts.create', { definition })
  expect((await ask('drafts.create', { definition })).draft).toEqual(draft)
  expect(draft).toMatchObject({ name: 'mine', by: 'agent:claude' })
  const start = { definition: 'mine' }
  expect(await ask('runs.start', start)).toMatchObject({ code: 'DEFINITION_UNKNOWN' })
  expect(await ask('runs.start', { definition: draft.id })).toMatchObject({
    code: 'DEFINITION_UNKNOWN',
  })
  expect(await ask('drafts.activate', { id: draft.id })).toMatchObject({ code: 'NOT_PERMITTED' })
  const wider = { ...definition, initial: 'b', states: { b: { type: 'final' } } }
  const second = (await ask('drafts.create', { definition: wider })).draft
  expect(await ask('drafts.activate', { id: 'mine' }, person)).toMatchObject({
    code: 'DEFINITION_UNKNOWN',
    hint: expect.stringContaining(second.id),
  })
  const active = await ask('drafts.activate', { id: draft.id }, person)
  expect(active.definition).toMatchObject({ name: 'mine', version: 1, source: draft.source })
  expect(await ask('runs.start', start)).toMatchObject({ reply: { kind: 'accepted' } })
  const next = await ask('drafts.activate', { id: 'mine' }, person)
  expect(next.definition).toMatchObject({ version: 2, source: second.source })
  expect((await ask('drafts.list', {})).items).toEqual([])
  const bad = await ask('drafts.create', { source: '{"id": "x", "initial": "b"}' })
  expect(bad).toMatchObject({ code: 'DEFINITION_INVALID', findings: expect.any(Array) })
})

test('what a client says its person answered counts only where that is configured', async () => {
  const decided = async (elicitation: boolean) => {
    const daemon = await openDaemon({ api: { about: { version: '0', found: [], elicitation } } })
    const ask = askOf(daemon)
    const runId = await startRelease(daemon.runtime)
    await ask('runs.signal', { runId, name: 'READY' })
    await ask('runs.signal', { runId, name: 'SHIP' })
    const [{ id, hash }] = (await ask('approvals.list', {})).items
    const answer = { id, granted: true, client: 'Inspector' }
    const stale = await ask('approvals.elicited', { ...answer, hash: 'another' })
    const told = await ask('approvals.elicited', { ...answer, hash })
    return { stale, told, row: await ask('approvals.read', { id }) }
  }
  const off = await decided(false)
  expect(off.told).toMatchObject({ code: 'NOT_PERMITTED' })
  expect(off.row).toMatchObject({ status: 'pending' })
  const on = await decided(true)
  expect(on.stale.code).toBeDefined()
  expect(on.row).toMatchObject({ status: 'granted', decidedBy: 'elicited-by-Inspector' })
})
