/** A policy that requires an order, and hosts whose agents send several calls in one turn. */
import { describe, expect, test } from 'vitest'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { asAgent } from '../../runtime/runtime.contract.ts'
import { openHookBench, refusalIn } from './answer-hook.contract.ts'

const roundsCount = 20
const free = { work: { on: { DONE: 'end' } }, end: { type: 'final' } }
const push = { command: 'git push' }
const tests = { command: 'npm test' }

/** A push comes after a test run, and nothing may have changed since. */
const policies = [
  policyOf({
    allow: [
      {
        capability: 'bash',
        when: { commands: ['git push'] },
        after: { capability: 'bash', input: tests, fresh: true },
      },
    ],
  }),
]

async function openTurns(askWaitMs: number) {
  const bench = openHookBench({ policies, askWaitMs })
  const { runtime, hook } = bench
  const source = JSON.stringify({ id: 'free', initial: 'work', states: free })
  await runtime.definitions.create({ source, format: 'json' })
  const request = { definition: 'free', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const end = (key: string, input: typeof push) => {
    const fields = { tool_name: 'Bash', tool_input: input, tool_use_id: key }
    return hook('PostToolUse', { ...fields, tool_response: { stdout: 'ok', stderr: '' } })
  }
  const types = async () =>
    (await runtime.readEvents(runId, { after: 2, limit: 500 })).map(({ type }) => type)
  return { ...bench, end, types }
}

test(`a push in the same turn as a test run waits for it, in ${roundsCount} rounds`, async () => {
  const { call, lastKey, end, types } = await openTurns(20_000)
  for (let round = 1; round <= roundsCount; round += 1) {
    expect((await call('Bash', tests)).stdout).not.toContain('deny')
    const testKey = lastKey()
    const pushed = call('Bash', push)
    const pushKey = lastKey()
    await expect
      .poll(async () => (await types()).filter((type) => type === 'call.waiting').length)
      .toBe(round)
    await end(testKey, tests)
    expect((await pushed).stdout).not.toContain('deny')
    await end(pushKey, push)
  }
  expect(await types()).not.toContain('call.denied')
})

test('a push that cannot wait is denied while the test run goes on', async () => {
  const { call, types } = await openTurns(0)
  await call('Bash', tests)
  expect((await call('Bash', push)).stdout).toContain('deny')
  expect(await types()).not.toContain('call.waiting')
})

test('the agent is told of a command that fails again and again, not after an edit', async () => {
  const { call, lastKey, hook } = await openTurns(0)
  const fail = async (): Promise<string> => {
    const { stdout } = await call('Bash', tests)
    const fields = { tool_name: 'Bash', tool_input: tests, tool_use_id: lastKey() }
    await hook('PostToolUseFailure', { ...fields, error: 'Exit code 1\n1 failing' })
    return stdout
  }
  for (let count = 0; count < 3; count += 1) expect(await fail()).not.toContain('deny')
  const told = (await call('Bash', tests)).stdout
  expect(told).toContain('deny')
  expect(told).toContain('the same call has failed 3 times, and nothing has changed since')
  const edit = { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' }
  await call('Edit', edit)
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: lastKey() }
  await hook('PostToolUse', { ...fields, tool_response: { filePath: '/work/a.ts' } })
  for (let count = 0; count < 3; count += 1) expect(await fail()).not.toContain('deny')
})

describe('a call that the user of the host declines, so that nobody reports it', () => {
  const declined = { tool_name: 'Bash', tool_input: tests }
  const ends = [
    { what: 'its host says so', name: 'PermissionDenied', fields: declined },
    { what: 'its user speaks', name: 'UserPromptSubmit', fields: { prompt: 'go on' } },
    { what: 'its agent stops', name: 'Stop', fields: {} },
    { what: 'its session ends', name: 'SessionEnd', fields: {} },
  ]

  test.each(ends)('is waited for no more once $what', async ({ name, fields }) => {
    const { call, lastKey, hook, types } = await openTurns(0)
    await call('Bash', tests)
    expect(refusalIn(await call('Bash', push))).toContain('still running')
    await hook(name, { ...fields, tool_use_id: 't1' })
    expect(lastKey()).toBe('t2')
    expect((await types()).filter((type) => type === 'call.reported')).toHaveLength(1)
    expect(refusalIn(await call('Bash', push))).toContain('none has succeeded')
  })

  test('is not counted as a failure, and is ended once', async () => {
    const { call, hook, types } = await openTurns(0)
    for (let count = 0; count < 5; count += 1) {
      expect(refusalIn(await call('Bash', tests))).toBe('')
      await hook('Stop')
      await hook('Stop')
    }
    expect((await types()).filter((type) => type === 'call.reported')).toHaveLength(5)
  })

  test('stays open where its agent goes on, or another one stops', async () => {
    const { call, hook, types } = await openTurns(0)
    await call('Bash', tests)
    await hook('SubagentStop', { agent_id: 'a1' })
    await hook('UserPromptSubmit', { prompt: '<task-notification>' })
    expect(await types()).not.toContain('call.reported')
  })
})

test('a call whose hook is killed while it waits is not let through later', async () => {
  const { call, lastKey, end, types, context } = await openTurns(20_000)
  await call('Bash', tests)
  const gone = new AbortController()
  const fields = { tool_name: 'Bash', tool_input: push, tool_use_id: 'p' }
  const whose = { session_id: 's1', cwd: '/work', hook_event_name: 'PreToolUse' }
  const payload = JSON.stringify({ ...whose, ...fields })
  const asked = { host: 'claude', payload, workspace: '/work', runId: null }
  const pushed = context.answer(asked, gone.signal)
  await expect.poll(types).toContain('call.waiting')
  gone.abort()
  expect(refusalIn(await pushed)).not.toBe('')
  await end(lastKey(), tests)
  expect((await types()).filter((type) => type === 'call.allowed')).toHaveLength(1)
})
