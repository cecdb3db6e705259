import { expect, test } from 'vitest'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { edit, openHookBench } from '../../doors/hook/answer-hook.contract.ts'
import { asAgent, say, startRelease } from '../runtime.contract.ts'

test('the time of a verdict is without the wait for people', async () => {
  const policies = [policyOf({ ask: [{ capability: 'edit' }] })]
  const { runtime, call, hook } = openHookBench({ policies, askWaitMs: 3_000 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  await call('Edit', edit, { tool_use_id: 'a' })
  const times: number[] = []
  runtime.calls.observe(({ judgedMs }) => void times.push(judgedMs))
  const sibling = call('Read', { file_path: '/work/a' })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: 'a', tool_response: {} }
  await hook('PostToolUse', fields)
  await sibling
  expect(Math.max(...times)).toBeLessThan(1_400)
})
