/** A folder that no system has is a fault of the request, wherever one is named. */
import { expect, test } from 'vitest'
import { openPolicies } from './definitions/policies.ts'
import { asAgent, openBench, release, startRelease } from './runtime.contract.ts'

const folders = ['\0', '/a\0b', 'x'.repeat(400), `/${'x'.repeat(400)}`, '/'.repeat(4_000), 'a/b']

test.each(folders)('judging a call in folder %# is refused or answered', async (workspace) => {
  const { runtime } = openBench()
  await runtime.definitions.create({ source: release, format: 'json' })
  const call = { tool: 'Read', input: {}, host: 'claude' as const }
  const asked = { ...call, runId: null, definition: 'release', stage: null, workspace }
  const code = await runtime.judge(asked).then(
    () => 'judged',
    (fault) => fault.code ?? fault.message,
  )
  expect(['judged', 'REQUEST_INVALID', 'DEFINITION_INVALID']).toContain(code)
})

test.each(folders)('the policies of folder %# are read, or a fault of its own', (workspace) => {
  let code = 'read'
  try {
    openPolicies('/nowhere', () => 1)(workspace)
  } catch (fault) {
    code = String((fault as { code?: string }).code)
  }
  expect(['read', 'POLICY_INVALID', 'FILE_UNREADABLE', 'REQUEST_INVALID']).toContain(code)
})

test.each(folders)('a run in folder %# is refused or started', async (workspace) => {
  const { runtime } = openBench()
  await startRelease(runtime)
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace }
  const code = await runtime.start(request, asAgent).then(
    () => 'started',
    (fault) => fault.code ?? fault.message,
  )
  expect(['started', 'REQUEST_INVALID', 'RUN_EXISTS']).toContain(code)
})
