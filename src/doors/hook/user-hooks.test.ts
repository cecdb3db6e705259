/** The hooks of a user, as the daemon answers them: silent where nothing is guarded. */
import { expect, test } from 'vitest'
import { asAgent, startRelease } from '../../runtime/runtime.contract.ts'
import { contextIn, openHookBench, passes, refusalIn } from './answer-hook.contract.ts'

const user = { scope: 'user' } as const
const elsewhere = { ...user, workspace: '/elsewhere' }

test('in a folder that nobody guards they say nothing, whatever happens there', async () => {
  const { call, hook } = openHookBench()
  expect(await hook('SessionStart', {}, elsewhere)).toEqual(passes)
  expect(await hook('UserPromptSubmit', { prompt: 'x' }, elsewhere)).toEqual(passes)
  expect(await call('Bash', { command: 'rm -rf x' }, { ...elsewhere, cwd: '/elsewhere' })).toEqual(
    passes,
  )
  expect(await hook('AnEventOfTomorrow', {}, elsewhere)).toEqual(passes)
})

test('in a guarded folder an event that nobody knows is blocked', async () => {
  const { hook } = openHookBench()
  expect((await hook('AnEventOfTomorrow', {}, user)).exit).toBe(2)
})

test('a session in a guarded folder is judged by its run', async () => {
  const { runtime, call } = openHookBench()
  await startRelease(runtime)
  const answer = await call('Bash', { command: 'rm -rf x' }, { ...user, workspace: '/work/sub' })
  expect(refusalIn(answer)).not.toBe('')
})

test('a session from elsewhere is judged when it reaches for a guarded folder', async () => {
  const { runtime, call } = openHookBench()
  await startRelease(runtime)
  const where = { ...elsewhere, cwd: '/elsewhere' }
  expect(await call('Bash', { command: 'touch /elsewhere/a' }, where)).toEqual(passes)
  expect(refusalIn(await call('Bash', { command: 'touch /work/a' }, where))).not.toBe('')
  expect(
    refusalIn(await call('Bash', { command: 'touch a' }, { ...where, cwd: '/work' })),
  ).not.toBe('')
})

test('one call that both kinds of hooks ask about is recorded once', async () => {
  const { runtime, hook } = openHookBench()
  const runId = await startRelease(runtime)
  const fields = { tool_name: 'Read', tool_input: { file_path: '/work/a' }, tool_use_id: 'same' }
  const [first, second] = await Promise.all([
    hook('PreToolUse', fields),
    hook('PreToolUse', fields, user),
  ])
  expect(second).toEqual(passes)
  expect(refusalIn(first)).toBe('')
  const records = await runtime.readEvents(runId, { after: 0, limit: 100 })
  expect(records.filter(({ type }) => type === 'call.allowed')).toHaveLength(1)
})

test('a call with another input under the same key is judged on its own', async () => {
  const { runtime, hook } = openHookBench()
  await startRelease(runtime)
  const fields = { tool_name: 'Read', tool_input: { file_path: '/work/a' }, tool_use_id: 'same' }
  expect(refusalIn(await hook('PreToolUse', fields))).toBe('')
  const other = { ...fields, tool_name: 'Bash', tool_input: { command: 'rm -rf x' } }
  expect(refusalIn(await hook('PreToolUse', other, user))).not.toBe('')
})

test('what was allowed in one folder is not allowed in another by that', async () => {
  const { runtime, hook } = openHookBench()
  await startRelease(runtime)
  const fields = { tool_name: 'Bash', tool_input: { command: 'rm -rf x' }, tool_use_id: 'same' }
  // Nothing is open elsewhere, so nothing is denied there.
  const free = await hook('PreToolUse', { ...fields, cwd: '/free' }, { workspace: '/free' })
  expect(refusalIn(free)).toBe('')
  expect(refusalIn(await hook('PreToolUse', fields, user))).not.toBe('')
})

test('with a run in the environment, an unknown event is blocked everywhere', async () => {
  const { hook } = openHookBench()
  const answer = await hook('AnEventOfTomorrow', {}, { ...elsewhere, runId: 'run-1' })
  expect(answer.exit).toBe(2)
})

test('a session that only mentions a guarded folder claims no run of it', async () => {
  const { runtime, call } = openHookBench()
  const runId = await startRelease(runtime)
  const where = { ...elsewhere, cwd: '/elsewhere', session: 'stranger' }
  expect(refusalIn(await call('Bash', { command: 'rm /work/a' }, where))).not.toBe('')
  expect(await runtime.sessions.claimsOn(runId)).toEqual([])
  expect(refusalIn(await call('Read', { file_path: '/work/a' }, { session: 'its own' }))).toBe('')
  const [claim] = await runtime.sessions.claimsOn(runId)
  expect(claim?.session).toBe('claude:its own')
})

test('a denial that both are told is the same one', async () => {
  const { runtime, hook } = openHookBench()
  await startRelease(runtime)
  const fields = { tool_name: 'Bash', tool_input: { command: 'rm x' }, tool_use_id: 'same' }
  const first = await hook('PreToolUse', fields)
  expect(refusalIn(first)).not.toBe('')
  expect(await hook('PreToolUse', fields, user)).toEqual(first)
})

test("in another work tree, the project's hooks and the user's give one verdict", async () => {
  const { runtime, hook } = openHookBench()
  await startRelease(runtime)
  const nowhere = { definition: 'release', task: null, stage: null, vars: {}, workspace: null }
  const { runId } = await runtime.start(nowhere, asAgent)
  const tree = { ...user, runId, workspace: '/tree' }
  await hook('SessionStart', { cwd: '/tree' }, { runId })
  await hook('SessionStart', { cwd: '/tree' }, tree)
  const input = { command: 'rm x' }
  const fields = { tool_name: 'Bash', tool_input: input, tool_use_id: 'same', cwd: '/tree' }
  const first = await hook('PreToolUse', fields, { runId })
  expect(refusalIn(first)).not.toBe('')
  expect(await hook('PreToolUse', fields, tree)).toEqual(first)
  const records = await runtime.readEvents(runId, { after: 0, limit: 100 })
  expect(records.filter(({ type }) => type === 'call.denied')).toHaveLength(1)
})

test('a session that goes to another work tree is still judged where it was started', async () => {
  const { runtime, hook, call } = openHookBench()
  await startRelease(runtime)
  await hook('SessionStart', { cwd: '/work' })
  await hook('SessionStart', { cwd: '/tree', source: 'compact' })
  const refusal = refusalIn(await call('Bash', { command: 'rm x' }, { cwd: '/tree' }))
  expect(refusal).toContain('may not be used')
})

test('a session whose folder lost its hooks is stopped, and a person is told once', async () => {
  const { call, hook, problems, reported } = openHookBench()
  problems.push('`.claude/settings.local.json` no longer has entries')
  expect(contextIn(await hook('SessionStart', {}, user))).toContain('pawl init --restore')
  expect((await hook('UserPromptSubmit', { prompt: 'x' }, user)).exit).toBe(2)
  const denied = await call('Read', { file_path: '/work/a' }, user)
  expect(refusalIn(denied)).toContain('pawl init --restore')
  expect(reported).toEqual([{ workspace: '/work', host: 'claude', problems }])
  expect(await hook('Stop', {}, user)).toEqual(passes)
})

test('a session that its folder’s own hooks still hold goes on', async () => {
  const { call, hook, problems, reported } = openHookBench()
  await hook('SessionStart')
  problems.push('removed meanwhile')
  expect(refusalIn(await call('Read', { file_path: '/work/a' }, user))).toBe('')
  expect(reported).toEqual([])
})
