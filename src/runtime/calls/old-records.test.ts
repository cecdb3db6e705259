import { expect, onTestFinished, test } from 'vitest'
import { asAgent, check, openBench, startRelease } from '../runtime.contract.ts'

test('a job of before an upgrade is reported by the runner after it', async () => {
  const { runtime } = openBench()
  onTestFinished(() => runtime.close())
  const runId = await startRelease(runtime)
  // As builds before recorded it: no caller, no key, no holder.
  const { reply } = await runtime.send(runId, check('Read', { file_path: 'a' }), asAgent)
  const callId = reply.kind === 'verdict' ? reply.callId : null
  const report = { ok: true, output: null, exitCode: 0, bytes: 0, costMicroUsd: 0 }
  const whose = { door: 'job', caller: '', holder: 'runner' } as const
  const system = { kind: 'system', name: 'pawl' } as const
  const ended = await runtime.calls.end({ ...whose, runId, branch: null, callId, report }, system)
  expect(ended).toBe('ended')
})
