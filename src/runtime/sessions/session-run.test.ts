/** Which session may have which run, and what an agent cannot choose. */
import { expect, test } from 'vitest'
import type { OpenRuntime } from '../open-runtime.ts'
import { asAgent, asPerson, openBench, say, startRelease } from '../runtime.contract.ts'

const [one, two] = ['claude:one', 'claude:two']
const refused = { code: 'NOT_PERMITTED' }

async function complete(runtime: OpenRuntime, runId: string): Promise<void> {
  await runtime.send(runId, say('READY'), asAgent)
  const asked = await runtime.send(runId, say('SHIP', { version: '1' }), asAgent)
  const decision = { granted: true, note: '', hash: null, edits: null }
  await runtime.resolve(asked.view()?.approval?.id ?? '', decision, asPerson)
}

test('a run that nobody has is the session’s that claims it, also twice', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  await runtime.sessions.claimRun({ runId, session: one }, asAgent)
  await runtime.sessions.claimRun({ runId, session: one }, asAgent)
  expect((await runtime.sessions.runOf(one))?.id).toBe(runId)
  expect(await runtime.sessions.claimsOn(runId)).toMatchObject([{ branch: '', session: one }])
})

test('a run that another session has is not taken from it, not even by a person', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  await runtime.sessions.claimRun({ runId, session: one }, asAgent)
  for (const by of [asAgent, asPerson]) {
    const claiming = runtime.sessions.claimRun({ runId, session: two }, by)
    const hint = expect.stringContaining(`pawl release ${runId}`)
    await expect(claiming).rejects.toMatchObject({ ...refused, hint })
  }
  expect(await runtime.sessions.runOf(two)).toBe(null)
  await runtime.sessions.releaseRun(runId)
  await runtime.sessions.claimRun({ runId, session: two }, asAgent)
  expect((await runtime.sessions.runOf(two))?.id).toBe(runId)
})

test('an agent has one run until that is completed; a person may give it another', async () => {
  const { runtime, pass } = openBench()
  const [first, second] = [await startRelease(runtime), await startRelease(runtime)]
  await runtime.sessions.claimRun({ runId: first, session: one }, asAgent)
  pass(1)
  const next = { runId: second, session: one }
  await expect(runtime.sessions.claimRun(next, asAgent)).rejects.toMatchObject(refused)
  await runtime.send(first, { kind: 'cancel', reason: 'tired' }, asAgent)
  await expect(runtime.sessions.claimRun(next, asAgent)).rejects.toMatchObject(refused)
  expect(await runtime.sessions.claimsOn(second)).toEqual([])
  await runtime.sessions.claimRun(next, asPerson)
  await complete(runtime, second)
  expect(await runtime.sessions.runOf(one)).toMatchObject({ id: second, status: 'completed' })
  pass(1)
  // The run that the agent cancelled has left the folder locked.
  await expect(startRelease(runtime)).rejects.toMatchObject(refused)
  await runtime.sessions.releaseRun(first)
  const third = await startRelease(runtime)
  await runtime.sessions.claimRun({ runId: third, session: one }, asAgent)
  expect((await runtime.sessions.runOf(one))?.id).toBe(third)
})

test('a claim that would not hold the session to the run is refused', async () => {
  const { runtime, pass } = openBench()
  const [first, second] = [await startRelease(runtime), await startRelease(runtime)]
  for (const runId of [first, second]) {
    await runtime.sessions.claimRun({ runId, session: one }, asPerson)
    pass(1)
  }
  await complete(runtime, second)
  const claim = () => runtime.sessions.claimRun({ runId: first, session: one }, asAgent)
  const hint = expect.stringContaining(`pawl release ${first}`)
  await expect(claim()).rejects.toMatchObject({ ...refused, hint })
  await runtime.sessions.releaseRun(first)
  await claim()
  expect((await runtime.sessions.runOf(one))?.id).toBe(first)
})

test('a run that has ended, or is none, is not claimed', async () => {
  const { runtime } = openBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, { kind: 'cancel', reason: '' }, asAgent)
  const claim = (id: string) => runtime.sessions.claimRun({ runId: id, session: one }, asAgent)
  await expect(claim(runId)).rejects.toMatchObject(refused)
  await expect(claim('unknown')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
  expect(await runtime.sessions.claimsOn(runId)).toEqual([])
})

test('no agent passes over a run that a person began, with a session or without', async () => {
  const { runtime } = openBench()
  await runtime.send(await startRelease(runtime), { kind: 'cancel', reason: '' }, asAgent)
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asPerson)
  await expect(startRelease(runtime)).rejects.toMatchObject(refused)
  await runtime.sessions.claimRun({ runId, session: one }, asAgent)
  expect(await startRelease(runtime)).not.toBe(runId)
})
