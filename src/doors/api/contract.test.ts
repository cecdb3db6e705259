import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import type { z } from 'zod'
import type { RunCopy } from '../../runtime/ports.ts'
import { release, startRelease } from '../../runtime/runtime.contract.ts'
import { agentOperations } from './agent-operations.ts'
import { contract, type OperationAnswer, streamContract } from './contract.ts'
import { agentToken, openDaemon, personToken } from './daemon.contract.ts'
import { openApiText } from './open-api.ts'
import {
  type OperationName,
  operationNames,
  operations,
  pathFields,
  streams,
} from './operations-table.ts'

type Schema = { [key: string]: unknown }

test('no two operations share an address, and none is hidden by another', () => {
  const lines = Object.values(operations).map(({ method, path }) => `${method} ${path}`)
  expect(new Set(lines).size).toBe(lines.length)
  for (const { path } of Object.values(operations)) expect(path).toMatch(/^\/v1\/[\w/:]+$/)
})

test('every field of an address is a field of the input', () => {
  for (const name of operationNames) {
    // WHY the cast: inputs are objects, which the next line would find out.
    const { shape } = contract[name].input as z.ZodObject
    for (const field of pathFields(operations[name].path)) {
      expect(shape, name).toHaveProperty(field)
    }
  }
})

test('nothing changes by GET, and what changes a run counts once', () => {
  for (const name of operationNames) {
    const { method, repeats } = operations[name]
    if (method === 'GET') expect(repeats, name).toBe('same')
    if (/^runs\.(start|signal|check|report|pause|resume|cancel|force|finish)/.test(name)) {
      expect(repeats, name).toBe('once')
    }
  }
  expect(operations['approvals.decide'].repeats).toBe('once')
})

test('what an agent may never do needs a person', () => {
  const forPeople = operationNames.filter((name) => operations[name].need === 'person')
  expect(forPeople.toSorted()).toEqual([
    'approvals.decide',
    'boxes.list',
    'boxes.open',
    'credentials.forRun',
    'definitions.accept',
    'definitions.create',
    'definitions.delete',
    'definitions.update',
    'drafts.activate',
    'drafts.delete',
    'gateway.accept',
    'mail.makeKey',
    'mail.revokeKey',
    'memories.delete',
    'notify.test',
    'passkeys.add',
    'passkeys.askConfirmation',
    'passkeys.askDecision',
    'passkeys.begin',
    'passkeys.confirm',
    'passkeys.list',
    'passkeys.remove',
    'runs.changes',
    'runs.export',
    'runs.force',
    'runs.import',
    'runs.release',
    'signIns.invite',
    'stop',
  ])
  expect(operationNames.filter((name) => operations[name].need === 'none')).toEqual(['health'])
})

const forking = {
  id: 'forking',
  initial: 'plan',
  states: {
    plan: {
      on: {
        SPLIT: {
          fork: {
            branches: {
              left: { initial: 'work', terminal: 'worked' },
              right: { initial: 'work', terminal: 'worked' },
            },
            on_complete: 'done',
          },
        },
      },
    },
    work: { on: { NEXT: 'worked' } },
    worked: { type: 'final' },
    done: { type: 'final' },
  },
}

test('every answer is as its schema says', async () => {
  const { runtime, api } = await openDaemon()
  const runId = await startRelease(runtime)
  const person = { role: 'person', name: 'ada' } as const
  const seen = new Set<OperationName>()
  const ask = async (name: OperationName, input: object) => {
    const signal = () => new AbortController().signal
    const request = { door: 'socket', input, commandId: null, signal, traceparent: null } as const
    const answered = await api.perform(name, person, request)
    if (!answered.ok) throw new Error(`${name}: ${answered.problem.detail}`)
    // As JSON, which is how it arrives.
    const output = JSON.parse(JSON.stringify(answered.output))
    const parsed = contract[name].answer.safeParse(output)
    expect(parsed.error?.issues ?? [], name).toEqual([])
    expect(parsed.data, name).toEqual(output)
    seen.add(name)
    return output
  }
  const started = await ask('runs.start', { definition: 'release', workspace: '/work' })
  await ask('runs.list', {})
  await ask('runs.read', { runId })
  const { reply } = await ask('runs.check', {
    runId,
    tool: 'Read',
    input: { file_path: '/work/a' },
  })
  await ask('runs.check', { runId, tool: 'Bash', input: { command: 'ls' } })
  await ask('runs.report', { runId, callId: reply.callId, ok: true, output: 'x' })
  await ask('runs.spend', { runId, model: 'gpt-5', tokens: { output: 100 } })
  await ask('costs.read', {})
  await ask('credentials.issue', {})
  await ask('credentials.forRun', { runId })
  await ask('boxes.list', {})
  await ask('mail.makeKey', { runId })
  await ask('mail.revokeKey', { runId })
  await ask('runs.pause', { runId })
  await ask('runs.resume', { runId })
  await ask('runs.signal', { runId, name: 'READY' })
  await ask('runs.signal', { runId, name: 'SHIP', data: { version: '1' } })
  await ask('approvals.list', {})
  const [{ id, hash }] = (await ask('approvals.list', { status: 'pending', runId })).items
  await ask('approvals.read', { id })
  await ask('approvals.decide', { id, granted: true, hash, edits: { version: '2' }, note: 'go' })
  await ask('runs.cancel', { runId: started.runId, reason: 'enough' })
  await ask('runs.events', { runId })
  await ask('runs.changes', { runId })
  await ask('runs.wait', { runId, after: 1 })
  await ask('runs.verify', { runId })
  await ask('definitions.update', { id: 'release', source: release })
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-contract-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  mkdirSync(join(workspace, '.pawl', 'definitions'), { recursive: true })
  writeFileSync(join(workspace, '.pawl', 'definitions', 'release.json'), release)
  const sourceHash = createHash('sha256').update(release).digest('hex')
  await ask('definitions.accept', { id: 'release', workspace, hash: sourceHash })
  await ask('definitions.list', {})
  await ask('definitions.read', { id: 'release' })
  await ask('definitions.versions', { id: 'release' })
  const other = JSON.stringify({ ...JSON.parse(release), id: 'other', meta: { debug: true } })
  await ask('definitions.create', { source: other })
  const forced = await ask('runs.start', { definition: 'other' })
  await ask('runs.force', { runId: forced.runId, stage: 'build' })
  const session = 'claude:s_1'
  const claimed = await ask('runs.start', { definition: 'release', session })
  expect((await ask('sessions.read', { session })).run).toMatchObject({ id: claimed.runId })
  expect(await ask('runs.release', { runId: claimed.runId })).toEqual({ released: [session] })
  expect(await ask('sessions.read', { session })).toEqual({ session, run: null })
  const taken = { session, runId: claimed.runId }
  expect(await ask('runs.claim', taken)).toEqual(taken)
  expect((await ask('sessions.read', { session })).run).toMatchObject({ id: claimed.runId })
  await ask('definitions.delete', { id: 'other' })
  await ask('definitions.create', { definition: forking })
  const forked = await ask('runs.start', { definition: 'forking' })
  await ask('runs.signal', { runId: forked.runId, name: 'SPLIT' })
  await ask('runs.signal', { runId: forked.runId, name: 'NEXT', branch: 'left' })
  await ask('runs.read', { runId: forked.runId, branch: 'left' })
  await ask('runs.finishBranch', { runId: forked.runId, branch: 'left' })
  await ask('check', { definition: JSON.parse(release) })
  await ask('check', { source: 'nonsense' })
  await ask('judge', { runId, tool: 'Bash', input: { command: 'ls' } })
  await ask('judge', { definition: 'release', stage: 'build', tool: 'Edit' })
  const named = { workspace: '/work', runId: forced.runId }
  const server = { server: 'fs', tool: 'read_file' }
  const gone = await ask('gateway.check', { workspace: '/nowhere', server, holder: 'h' })
  expect(gone).toMatchObject({ verdict: 'allow', runId: null })
  await ask('gateway.check', { ...named, server, holder: 'h' })
  const mark = { session: 'claude:s', agent: null, run: null, branch: null, proof: 'x' }
  expect(await ask('gateway.mark', mark)).toEqual({ isProven: false })
  const made = { runId: forced.runId, callId: 'c', holder: 'h' }
  expect(await ask('gateway.renew', made)).toEqual({ renewed: false })
  await ask('gateway.report', { ...made, ok: true })
  await ask('gateway.offer', { ...named, tools: [server] })
  const launch = { command: 'fs' }
  const tools = [{ tool: 'read_file', definition: { name: 'read_file' } }]
  await ask('gateway.see', { ...named, scope: '/work', server: 'fs', launch, tools })
  const [pin] = (await ask('gateway.pins', { workspace: '/work' })).items
  await ask('gateway.accept', { scope: '/work', server: 'fs', version: pin.version })
  await ask('runs.locate', { workspace: '/work' })
  await ask('notify.test', {})
  await ask('status', {})
  await ask('stop', {})
  await ask('health', {})
  await ask('me', {})
  await ask('policies.list', {})
  await ask('hosts.list', {})
  await ask('stats.read', {})
  await ask('signIns.invite', { access: 'viewer' })
  await ask('machines.read', { hash: (await ask('runs.read', { runId })).head.machine })
  const copy = await ask('runs.export', { runId })
  const there = await openDaemon()
  const imported = await there.client('socket').runs.import(copy)
  expect(contract['runs.import'].answer.parse(imported)).toEqual(imported)
  // The others are asked in `agent-operations.test.ts`, jobs in `src/jobs/open-jobs.test.ts`,
  // and passkeys in `test/dashboard/passkeys.test.ts`.
  const here = operationNames.filter(
    (name) => !Object.hasOwn(agentOperations, name) && !/^(jobs|passkeys)\./.test(name),
  )
  expect(here.filter((name) => !seen.has(name))).toEqual(['boxes.open', 'runs.import'])
})

test('what is exported may be imported, by its types as well', () => {
  expectTypeOf<OperationAnswer<'runs.export'>>().toExtend<RunCopy>()
  expectTypeOf<RunCopy>().toExtend<OperationAnswer<'runs.export'>>()
})

test('the description names every operation and stream, and all it refers to is in it', () => {
  const text = openApiText()
  const document = JSON.parse(text)
  expect(document.openapi).toBe('3.1.0')
  const ids = Object.values(document.paths as Schema)
    .flatMap((path) => Object.values(path as Schema))
    .map((one) => (one as Schema).operationId)
  expect(ids.toSorted()).toEqual([...operationNames, ...Object.keys(streams)].toSorted())
  for (const [, ref = ''] of text.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    const target = ref.split('/').reduce<unknown>((at, key) => (at as Schema)?.[key], document)
    expect(target, ref).toBeDefined()
  }
  expect(text).not.toContain(personToken)
  expect(text).not.toContain(agentToken)
})

test('the schemas of the description are schemas, and take real answers', async () => {
  const { client, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const ajv = new Ajv2020({ strict: false })
  const document = JSON.parse(openApiText())
  ajv.addSchema({ $id: 'api', ...document })
  const validate = (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` })
  const { view, head } = await client('socket').runs.read({ runId })
  const { items } = await client('socket').runs.events({ runId })
  for (const [name, value] of [
    ['View', view],
    ['RunHead', head],
    ['Event', items[0]],
    ['RunCopy', await client('socket').runs.export({ runId })],
  ] as const) {
    const check = validate(name)
    expect(check(value), name).toBe(true)
    expect(check({}), name).toBe(false)
  }
})

test('a stream is asked for with its run, and with nothing it does not know', () => {
  const { input } = streamContract['runs.stream']
  expect(input.safeParse({ runId: 'r', after: 3 }).success).toBe(true)
  expect(input.safeParse({ after: 3 }).success).toBe(false)
  expect(input.safeParse({ runId: 'r', colour: 'red' }).success).toBe(false)
})
