import { expect, onTestFinished, test } from 'vitest'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { edit, openHookBench, refusalIn } from '../../doors/hook/answer-hook.contract.ts'
import { openGatewayJudge } from '../../gateway/call-lifecycle.ts'
import type { GatewayContext } from '../../gateway/gateway-context.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { asAgent, openBench, say, startRelease } from '../runtime.contract.ts'

const asking = [policyOf({ ask: [{ capability: 'edit' }] })]
const _yes = { granted: true, note: '', hash: null, edits: null }

test('while a move waits for a person, a gateway does not ask without a pause', async () => {
  const bench = openBench(openMemoryStore())
  onTestFinished(() => bench.runtime.close())
  const { runtime } = bench
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  await runtime.send(runId, say('SHIP'), asAgent)
  let asked = 0
  const daemon = async (name: string, input: never) => {
    if (name !== 'gateway.check') return {}
    asked += 1
    return runtime.gateway.check(input, { ...asAgent, commandId: `c${asked}` })
  }
  const context = { daemon, workspace: '/work', runId, holder: 'one', askWaitMs: 500 }
  const judge = openGatewayJudge({
    ...context,
    ...{ env: {}, log: () => undefined, held: { runId: null } },
  } as unknown as GatewayContext)
  const before = (await runtime.readHead(runId))?.seq ?? 0
  await judge.judge({
    ...{ server: { server: 'fs', tool: 'read' }, input: {}, mark: null, costMicroUsd: 0 },
    ...{ signal: new AbortController().signal, progress: () => undefined },
  })
  const after = (await runtime.readHead(runId))?.seq ?? 0
  console.log('asked', asked, 'records', after - before)
  expect(asked).toBeLessThan(5)
})

test('the question of a host to its user about a job stays, as before', async () => {
  const { runtime, hook } = openHookBench()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const fields = { tool_name: 'mcp__pawl__process_run', tool_input: { command: 'rm -rf .' } }
  const asked = await hook('PermissionRequest', fields)
  expect(asked.stdout).toBe('')
})

test('what the user refused at the prompt is asked about again, not denied', async () => {
  const { runtime, call, hook } = openHookBench({ policies: asking, promptApprovals: true })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  await call('Edit', edit)
  await hook('UserPromptSubmit', { prompt: 'wait, explain first' })
  await hook('UserPromptSubmit', { prompt: 'fine, do it' })
  const { stdout, stderr } = await call('Edit', edit)
  expect(stdout + stderr).toContain('"ask"')
})

test('calls that are denied because the run is unclear are counted', async () => {
  const { runtime, call } = openHookBench()
  await startRelease(runtime)
  await startRelease(runtime)
  const seen: string[] = []
  runtime.calls.observe(({ door, decision }) => void seen.push(`${door} ${decision}`))
  expect(refusalIn(await call('Read', { file_path: '/work/a' }))).not.toBe('')
  await runtime.gateway.check(
    {
      ...{ workspace: '/work', runId: null, mark: null, last: null, holder: 'h', input: {} },
      server: { server: 'fs', tool: 'read' },
    },
    asAgent,
  )
  expect(seen).toEqual(['hook denied', 'gateway denied'])
})
