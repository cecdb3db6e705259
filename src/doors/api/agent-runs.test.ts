import { expect, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import { changesRun, namesRun } from './agent-runs.ts'
import { contract } from './contract.ts'
import { type Daemon, openDaemon, personToken } from './daemon.contract.ts'
import { operationNames, operations } from './operations-table.ts'

test('every operation by which an agent could change a run it names is scoped', () => {
  const open = operationNames.filter((name) => {
    const { method, need } = operations[name]
    const fields = Object.keys(contract[name].input.shape)
    // A call of a run says so as `run_id`, and is recorded even where it only looks.
    const names = fields.includes('runId') ? method !== 'GET' : fields.includes('run_id')
    return need === 'agent' && names
  })
  expect(open.filter((name) => !changesRun.has(name) && !namesRun.has(name))).toEqual([])
})

/** A daemon that knows the definition `release`. */
async function openHere(): Promise<Daemon> {
  const daemon = await openDaemon()
  await startRelease(daemon.runtime)
  return daemon
}

async function agentOf(daemon: Daemon) {
  const { credential } = await daemon.client('socket').call('credentials.issue', {})
  return daemon.client('socket', credential)
}

const forbidden = { code: 'NOT_PERMITTED' }

test('a credential works on the run it was first with, and on no other one', async () => {
  const daemon = await openHere()
  const [one, other] = [await agentOf(daemon), await agentOf(daemon)]
  const runId = await startRelease(daemon.runtime)
  await one.runs.signal({ runId, name: 'READY' })
  await expect(other.runs.cancel({ runId })).rejects.toMatchObject(forbidden)
  const second = await other.runs.start({ definition: 'release' })
  await expect(one.runs.pause({ runId: second.runId })).rejects.toMatchObject(forbidden)
  await expect(other.runs.start({ definition: 'release' })).rejects.toMatchObject(forbidden)
  expect((await other.runs.read({ runId })).head.status).toBe('running')
  // Its own run has ended: it may have another one.
  await other.runs.cancel({ runId: second.runId })
  await other.runs.start({ definition: 'release' })
})

test('when a program has gone, the run is there for the next one', async () => {
  const daemon = await openHere()
  const [one, other] = [await agentOf(daemon), await agentOf(daemon)]
  const { runId } = await one.runs.start({ definition: 'release' })
  await expect(other.runs.signal({ runId, name: 'READY' })).rejects.toMatchObject(forbidden)
  one.close()
  await expect
    .poll(() => other.runs.signal({ runId, name: 'READY' }).catch(() => null))
    .not.toBe(null)
})

test('a person frees a run from the credential that holds it', async () => {
  const daemon = await openHere()
  const [one, other] = [await agentOf(daemon), await agentOf(daemon)]
  const { runId } = await one.runs.start({ definition: 'release' })
  const person = daemon.client('socket', personToken)
  expect((await person.runs.release({ runId })).released).toEqual([
    expect.stringMatching(/^agent:/),
  ])
  await other.runs.signal({ runId, name: 'READY' })
})

test('a credential acts for a session of a host only if a hook has marked its call', async () => {
  const daemon = await openHere()
  const agent = await agentOf(daemon)
  const session = 'claude:abc'
  const wish = { definition: 'release', session, workspace: '/work' }
  await expect(agent.runs.start(wish)).rejects.toMatchObject(forbidden)
  const person = daemon.client('socket', personToken)
  const { runId } = await person.runs.start(wish)
  await expect(agent.runs.signal({ runId, name: 'READY' })).rejects.toMatchObject(forbidden)
  await expect(agent.runs.claim({ runId, session })).rejects.toMatchObject(forbidden)
  const mark = { session, agent: null, run: runId, branch: null }
  expect(await agent.gateway.mark({ ...mark, proof: 'x' })).toEqual({ isProven: false })
  await expect(agent.runs.signal({ runId, name: 'READY' })).rejects.toMatchObject(forbidden)
  await agent.gateway.mark(daemon.runtime.marks.prove(mark))
  await agent.runs.signal({ runId, name: 'READY' })
})

test('the credential of a run changes that run alone, and cannot be made up', async () => {
  const daemon = await openHere()
  const person = daemon.client('socket', personToken)
  const runId = await startRelease(daemon.runtime)
  const other = await startRelease(daemon.runtime)
  const { credential } = await person.call('credentials.forRun', { runId })
  const agent = daemon.client('http', credential)
  await agent.runs.signal({ runId, name: 'READY' })
  await expect(agent.runs.signal({ runId: other, name: 'READY' })).rejects.toMatchObject(forbidden)
  await expect(agent.runs.start({ definition: 'release' })).rejects.toMatchObject(forbidden)
  const forged = [credential.replace(runId, other), `${credential}x`, `run.${other}.`, 'run.%.x']
  for (const one of forged) {
    const caller = daemon.client('http', one)
    await expect(caller.runs.read({ runId })).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
  }
})

test('a credential gives no other one, be it of a run or of a program', async () => {
  const daemon = await openHere()
  const person = daemon.client('socket', personToken)
  const runId = await startRelease(daemon.runtime)
  const bound = await person.call('credentials.forRun', { runId })
  const callers = [daemon.client('http', bound.credential), await agentOf(daemon)]
  for (const caller of callers) {
    await expect(caller.call('credentials.issue', {})).rejects.toMatchObject(forbidden)
  }
  expect(await person.call('credentials.issue', {})).toMatchObject({
    session: expect.stringMatching(/^agent:/),
  })
})

test('an agent reports its own calls only', async () => {
  const daemon = await openHere()
  const [one, other] = [await agentOf(daemon), await agentOf(daemon)]
  const runId = await startRelease(daemon.runtime)
  const { reply } = await one.runs.check({ runId, tool: 'Read', input: { file_path: '/work/a' } })
  const callId = reply.kind === 'verdict' ? (reply.callId ?? '') : ''
  const person = daemon.client('socket', personToken)
  await person.runs.release({ runId })
  await expect(other.runs.report({ runId, callId, ok: true })).rejects.toMatchObject({
    code: 'NOT_PERMITTED',
  })
  await expect(other.runs.report({ runId, ok: true })).rejects.toMatchObject({
    code: 'CALL_UNKNOWN',
  })
})

test('50 starts at once give one run for each session', async () => {
  const daemon = await openHere()
  const agent = await agentOf(daemon)
  const wish = { definition: 'release', workspace: '/elsewhere' }
  const starts = Array.from({ length: 50 }, () => agent.runs.start(wish).catch(() => null))
  expect((await Promise.all(starts)).filter((one) => one !== null)).toHaveLength(1)
  const session = 'claude:many'
  const mark = { session, agent: null, run: null, branch: null }
  const marked = await agentOf(daemon)
  await marked.gateway.mark(daemon.runtime.marks.prove(mark))
  const more = { ...wish, workspace: '/third', session }
  const others = Array.from({ length: 50 }, () => marked.runs.start(more).catch(() => null))
  expect((await Promise.all(others)).filter((one) => one !== null)).toHaveLength(1)
})
