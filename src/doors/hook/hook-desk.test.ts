import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { asAgent, asPerson, openBench, say, startRelease } from '../../runtime/runtime.contract.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { HookOutput } from '../api/hook-question.ts'
import { openHookDesk } from './hook-desk.ts'

type Policies = Parameters<typeof openBench>[1]
type Options = {
  readonly policies?: Policies
  readonly askWaitMs?: number
  readonly otherSessions?: 'refused' | 'free'
}

/** A desk on a runtime in memory, and hooks of Claude Code that ask it. */
function openDesk({ policies = [], askWaitMs = 0, otherSessions = 'refused' }: Options = {}) {
  const bench = openBench(openMemoryStore(), policies)
  const problems: string[] = []
  const logged: string[] = []
  const desk = openHookDesk({
    runtime: bench.runtime,
    settings: { askWaitMs, stopsMax: 2, otherSessions },
    checkHooks: () => problems,
    log: (what) => void logged.push(what),
  })
  onTestFinished(() => bench.runtime.close())
  let count = 0
  const hook = (name: string, more: JsonObject = {}, where: Partial<Where> = {}) => {
    const { host = 'claude', session = 's1', runId = null, workspace = '/work' } = where
    const payload = JSON.stringify({
      hook_event_name: name,
      session_id: session,
      cwd: '/work',
      ...more,
    })
    return desk.answer({ host, payload, workspace, runId })
  }
  const call = (tool: string, input: JsonObject, where: Partial<Where> & JsonObject = {}) => {
    count += 1
    const { host, session, runId, ...more } = where
    const fields = { tool_name: tool, tool_input: input, tool_use_id: `t${count}`, ...more }
    return hook(host === 'gemini' ? 'BeforeTool' : 'PreToolUse', fields, where)
  }
  return { ...bench, desk, problems, logged, hook, call, lastKey: () => `t${count}` }
}

type Where = {
  readonly host: string
  readonly session: string
  readonly runId: string
  readonly workspace: string
}

const edit = { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' }
const passes: HookOutput = { exit: 0, stdout: '', stderr: '' }

/** What the model or the host reads in an answer. */
function contextIn({ stdout }: HookOutput): string {
  return stdout === '' ? '' : (JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '')
}

test('a call that the stage forbids is blocked, with what is possible instead', async () => {
  const { runtime, call } = openDesk()
  const runId = await startRelease(runtime)
  const refused = await call('Edit', edit)
  expect(refused).toMatchObject({ exit: 2, stdout: '' })
  expect(refused.stderr).toMatch(/TOOL_NOT_ALLOWED.*`Read`.*`READY`/s)
  const read = await call('Read', { file_path: '/work/a.ts' })
  expect(read.exit).toBe(0)
  expect(contextIn(read)).toContain(runId)
  expect(await call('Read', { file_path: '/work/a.ts' })).toEqual(passes)
  const types = (await runtime.readEvents(runId, { after: 0, limit: 99 })).map((one) => one.type)
  expect(types.filter((type) => type.startsWith('call.'))).toEqual([
    ...['call.denied', 'call.allowed', 'call.allowed'],
  ])
})

test('a sub-agent is held like its main agent', async () => {
  const { runtime, call } = openDesk()
  await startRelease(runtime)
  const refused = await call('Bash', { command: 'touch x' }, { agent_id: 'a1' })
  expect(refused.exit).toBe(2)
})

test('a name that a host uses again brings no old yes with it', async () => {
  const { runtime, hook } = openDesk()
  const runId = await startRelease(runtime)
  const fields = { tool_name: 'Read', tool_input: { file_path: '/work/a' }, tool_use_id: 'x' }
  expect((await hook('PreToolUse', fields)).exit).toBe(0)
  expect((await hook('PreToolUse', fields)).exit).toBe(0)
  await hook('PostToolUse', { ...fields, tool_response: 'x' })
  await hook('PostToolUse', { ...fields, tool_response: 'other' })
  await hook('PostToolUse', { ...fields, tool_response: 'once too often' })
  const events = await runtime.readEvents(runId, { after: 0, limit: 99 })
  expect(events.filter((one) => one.type === 'call.allowed')).toHaveLength(2)
  expect(events.filter((one) => one.type === 'call.reported')).toHaveLength(2)
  await runtime.send(runId, { kind: 'pause', release: false }, asPerson)
  expect((await hook('PreToolUse', fields)).exit).toBe(2)
})

test('a report closes its call, with how it ended, and tells where the run went', async () => {
  const { runtime, hook, call, lastKey } = openDesk()
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const fields = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
  await call('Bash', { command: 'npm test' })
  const ended = { ...fields, tool_use_id: lastKey(), error: 'Exit code 3\noops' }
  await hook('PostToolUseFailure', ended)
  const reported = (await runtime.readEvents(runId, { after: 0, limit: 99 })).at(-1)
  expect(JSON.parse(reported?.data ?? '')).toMatchObject({
    ok: false,
    exitCode: 3,
    bytes: Buffer.byteLength('Exit code 3\noops'),
  })
  await call('Bash', { command: 'npm test' })
  await runtime.send(runId, say('BACK'), asAgent)
  const response = { stdout: 'fine', stderr: '' }
  const told = await hook('PostToolUse', {
    ...fields,
    tool_use_id: lastKey(),
    tool_response: response,
  })
  expect(contextIn(told)).toContain('Stage `plan`')
})

test('two sessions in one folder have runs of their own', async () => {
  const { runtime, call } = openDesk()
  const first = await startRelease(runtime)
  await call('Read', { file_path: '/work/a' }, { session: 'one' })
  const second = await startRelease(runtime)
  await runtime.send(second, say('READY'), asAgent)
  expect((await call('Edit', edit, { session: 'two' })).exit).toBe(0)
  expect((await call('Edit', edit, { session: 'one' })).exit).toBe(2)
  const claims = await Promise.all([first, second].map((id) => runtime.sessions.claimsOn(id)))
  expect(claims.flat().map((claim) => claim.session)).toEqual(['claude:one', 'claude:two'])
})

test('a session without a run does nothing beside the runs of others but start one', async () => {
  const { runtime, call } = openDesk()
  const runId = await startRelease(runtime)
  await call('Read', { file_path: '/work/a' }, { session: 'one' })
  const refused = await call('Edit', edit, { session: 'two' })
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(runId) })
  const start = await call('mcp__pawl__pawl_load_workflow', { name: 'x' }, { session: 'two' })
  expect(start.exit).toBe(0)
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  await runtime.start({ ...request, session: 'claude:two' }, asAgent)
  expect((await call('Read', { file_path: '/work/a' }, { session: 'two' })).exit).toBe(0)
})

test('an agent that forges the end of its session is not free of its run', async () => {
  const { runtime, call, hook } = openDesk()
  await startRelease(runtime)
  await call('Read', { file_path: '/work/a' })
  await hook('SessionEnd', { reason: 'other' })
  await hook('SessionStart', { source: 'startup' }, { session: 'phantom' })
  expect((await call('Edit', edit)).exit).toBe(2)
})

test('what a person began is not passed over for another definition', async () => {
  const { runtime } = openDesk()
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  await startRelease(runtime)
  await runtime.start(request, asPerson)
  await runtime.start(request, asPerson)
  const mine = { ...request, session: 'claude:s1' }
  await expect(runtime.start(mine, asAgent)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
})

test('where it is set so, a session without a run is free of the runs of others', async () => {
  const { runtime, call, hook } = openDesk({ otherSessions: 'free' })
  const runId = await startRelease(runtime)
  await call('Read', { file_path: '/work/a' }, { session: 'one' })
  expect(await call('Edit', edit, { session: 'two' })).toEqual(passes)
  const begun = await hook('SessionStart', { source: 'startup' }, { session: 'two' })
  expect(contextIn(begun)).toContain(`Runs of other sessions are open here: ${runId}`)
  expect(contextIn(begun)).toContain('calls are free')
  const taken = await call('Bash', { command: 'rm -rf .claude' }, { session: 'two' })
  expect(taken.exit).toBe(2)
})

test('where it cannot be told which run is meant, nothing is let through', async () => {
  const { runtime, call } = openDesk()
  const runs = [await startRelease(runtime), await startRelease(runtime)]
  const refused = await call('Read', { file_path: '/work/a' })
  expect(refused.exit).toBe(2)
  for (const runId of runs) expect(refused.stderr).toContain(runId)
  const read = { file_path: '/work/a' }
  expect((await call('Read', read, { runId: runs[1] ?? '' })).exit).toBe(0)
  expect((await call('Read', read, { runId: 'unknown' })).exit).toBe(2)
})

test('a session that ends leaves its run to the next one', async () => {
  const { runtime, call, hook } = openDesk()
  await startRelease(runtime)
  await call('Read', { file_path: '/work/a' }, { session: 'one' })
  await hook('SessionEnd', { reason: 'other' }, { session: 'one' })
  expect((await call('Edit', edit, { session: 'two' })).exit).toBe(2)
})

test('an agent does not leave its run for another, unless a person has begun that', async () => {
  const { runtime, call } = openDesk()
  const runId = await startRelease(runtime)
  const read = { file_path: '/work/a' }
  await call('Read', read)
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  const mine = { ...request, session: 'claude:s1' }
  await expect(runtime.start(mine, asAgent)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  await runtime.send(runId, { kind: 'cancel', reason: 'tired' }, asAgent)
  await expect(runtime.start(mine, asAgent)).rejects.toMatchObject({ code: 'NOT_PERMITTED' })
  await runtime.start(request, asAgent)
  expect((await call('Read', read)).stderr).toContain('cancelled')
  const { runId: next } = await runtime.start(request, asPerson)
  expect((await call('Read', read)).exit).toBe(0)
  expect(await runtime.sessions.claimsOn(next)).toMatchObject([{ session: 'claude:s1' }])
})

test('a run that a session begins itself is its own', async () => {
  const { runtime, call } = openDesk()
  await startRelease(runtime)
  const request = { definition: 'release', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start({ ...request, session: 'claude:s1' }, asAgent)
  expect((await call('Edit', edit)).exit).toBe(2)
  expect(await runtime.sessions.claimsOn(runId)).toMatchObject([{ session: 'claude:s1' }])
})

test('an unfinished run sends its agent back, twice and no more', async () => {
  const { runtime, hook } = openDesk()
  const runId = await startRelease(runtime)
  const first = JSON.parse((await hook('Stop', { stop_hook_active: false })).stdout)
  expect(first).toMatchObject({ decision: 'block' })
  expect(first.reason).toMatch(/not finished.*READY/)
  expect(await hook('Stop', { stop_hook_active: true })).not.toEqual(passes)
  expect(await hook('Stop', { stop_hook_active: true })).toEqual(passes)
  await hook('UserPromptSubmit', { prompt: 'go on' })
  expect(await hook('Stop', {})).not.toEqual(passes)
  await runtime.send(runId, { kind: 'cancel', reason: 'enough' }, asAgent)
  expect(await hook('Stop', {})).toEqual(passes)
})

test('what Gemini makes of our own words is no new prompt of a person', async () => {
  const { runtime, hook } = openDesk()
  await startRelease(runtime)
  const where = { host: 'gemini' }
  const reasons = []
  for (let count = 0; count < 2; count += 1) {
    const { reason } = JSON.parse((await hook('AfterAgent', {}, where)).stdout)
    reasons.push(reason)
    await hook('BeforeAgent', { prompt: reason }, where)
  }
  expect(reasons).toHaveLength(2)
  expect(await hook('AfterAgent', {}, where)).toEqual(passes)
})

test('a prompt and a beginning tell the standing in at most 400 tokens', async () => {
  const { runtime, hook } = openDesk()
  await startRelease(runtime)
  for (const name of ['SessionStart', 'UserPromptSubmit', 'SubagentStart']) {
    const text = contextIn(await hook(name, { prompt: 'x', source: 'compact' }))
    expect(text, name).toMatch(/Stage `plan`.*Read.*READY/s)
    expect(text.length).toBeLessThanOrEqual(1_600)
  }
})

const forking = JSON.stringify({
  id: 'forking',
  initial: 'plan',
  states: {
    plan: {
      on: {
        SPLIT: {
          fork: {
            branches: {
              docs: { initial: 'write', terminal: 'written' },
              code: { initial: 'edit', terminal: 'edited' },
            },
            join: 'all',
            on_complete: 'joined',
          },
        },
      },
    },
    write: { allowed_tools: ['Write'], on: { OK: 'written' } },
    written: { type: 'final' },
    edit: { allowed_tools: ['Edit'], on: { OK: 'edited' } },
    edited: { type: 'final' },
    joined: { type: 'final' },
  },
})

test('in a fork, each sub-agent has a branch of its own and is judged by it', async () => {
  const { runtime, call, hook } = openDesk()
  const made = await runtime.definitions.create({ source: forking, format: 'json' })
  expect(made.findings.filter((one) => one.severity === 'error')).toEqual([])
  const request = { definition: 'forking', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asPerson)
  await call('Read', { file_path: '/work/a' })
  await runtime.send(runId, say('SPLIT'), asAgent)
  const begun = await hook('SubagentStart', { agent_id: 'a1' })
  expect(contextIn(begun)).toContain('Stage `write`')
  const write = { file_path: '/work/a.md', content: 'x' }
  const [first, second] = [{ agent_id: 'a1' }, { agent_id: 'a2' }]
  expect((await call('Write', write, first)).exit).toBe(0)
  expect((await call('Edit', edit, first)).exit).toBe(2)
  expect((await call('Edit', edit, second)).exit).toBe(0)
  expect((await call('Write', write, second)).exit).toBe(2)
  const unfinished = await hook('SubagentStop', { agent_id: 'a2' })
  expect(unfinished.stdout).toContain('stage `edit`')
  await hook('SubagentStop', { agent_id: 'a2' })
  expect(await hook('SubagentStop', { agent_id: 'a2' })).toEqual(passes)
  expect((await call('Edit', edit, { agent_id: 'a3' })).exit).toBe(0)
  await hook('SessionEnd', { reason: 'other' })
  expect(await runtime.sessions.claimsOn(runId)).toEqual([])
})

const asking = [policyOf({ ask: [{ capability: 'edit' }] })]

test('Claude Code asks its own user, and what they agreed to is recorded as that', async () => {
  const { runtime, call, hook, lastKey } = openDesk({ policies: asking })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const asked = JSON.parse((await call('Edit', edit)).stdout).hookSpecificOutput
  expect(asked).toMatchObject({ permissionDecision: 'ask' })
  const { items } = await runtime.listApprovals({ status: 'pending', runId, after: null, limit: 9 })
  expect(asked.permissionDecisionReason).toContain(items[0]?.id)
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: lastKey() }
  await hook('PostToolUse', { ...fields, tool_response: {} })
  const row = await runtime.readApproval(items[0]?.id ?? '')
  expect(row).toMatchObject({ status: 'granted', decidedBy: expect.stringContaining('claude') })
  const again = JSON.parse((await call('Edit', edit)).stdout).hookSpecificOutput
  expect(again).toMatchObject({ permissionDecision: 'ask' })
  // The user said no: they speak again, and the call was not made.
  await hook('UserPromptSubmit', { prompt: 'do something else' })
  expect((await call('Read', { file_path: '/work/a' })).exit).toBe(0)
})

test('what several people have to approve is not left to the prompt of a host', async () => {
  const approvals = { needed: 2 }
  const policies = [policyOf({ ask: [{ capability: 'edit', approvals }] })]
  const { runtime, call, hook, lastKey } = openDesk({ policies, askWaitMs: 10 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const refused = await call('Edit', edit)
  expect(refused.stdout + refused.stderr).not.toContain('"ask"')
  expect(refused.exit).toBe(2)
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: lastKey() }
  await hook('PostToolUse', { ...fields, tool_response: {} })
  const { items } = await runtime.listApprovals({ status: 'pending', runId, after: null, limit: 9 })
  const yes = { granted: true, note: '', hash: null, edits: null }
  for (const name of ['ada', 'bob']) {
    const by = { actor: { kind: 'person', name }, commandId: null } as const
    await runtime.resolve(items[0]?.id ?? '', yes, by)
  }
  expect((await call('Edit', edit)).exit).toBe(0)
})

test('where the host cannot ask, the call waits, and passes after a person agreed', async () => {
  const { runtime, call } = openDesk({ policies: asking, askWaitMs: 5_000 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const waiting = call('apply_patch', patch, { host: 'codex' })
  const query = { status: 'pending', runId, after: null, limit: 9 } as const
  await expect.poll(async () => (await runtime.listApprovals(query)).items.length).toBe(1)
  const id = (await runtime.listApprovals(query)).items[0]?.id ?? ''
  const yes = { granted: true, note: '', hash: null, edits: null }
  await runtime.resolve(id, yes, asPerson)
  expect((await waiting).exit).toBe(0)
})

const patch = { command: '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n' }

test('where nobody answers, the call is refused, and passes once when it is approved', async () => {
  const { runtime, call } = openDesk({ policies: asking })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const refused = await call('apply_patch', patch, { host: 'codex' })
  expect(refused.exit).toBe(2)
  const id = /approval (\S+)\)/.exec(refused.stderr)?.[1] ?? ''
  await runtime.resolve(id, { granted: true, note: '', hash: null, edits: null }, asPerson)
  expect((await call('apply_patch', patch, { host: 'codex' })).exit).toBe(0)
  expect((await call('apply_patch', patch, { host: 'codex' })).exit).toBe(2)
})

test('a call behind the gateway is left to it, with whose it is, and counted there', async () => {
  const { runtime, call, hook } = openDesk()
  const runId = await startRelease(runtime)
  const input = { path: 'a', _pawl: { session: 'claude:other', run: null } }
  const passed = JSON.parse((await call('mcp__pawl-gateway__fs__read', input)).stdout)
  // The host goes on to ask its own user, if it would have.
  expect(passed.hookSpecificOutput).toEqual({
    hookEventName: 'PreToolUse',
    updatedInput: {
      path: 'a',
      _pawl: runtime.marks.prove({
        ...{ session: 'claude:s1', run: runId, agent: null, branch: null },
      }),
    },
  })
  const ended = { tool_name: 'mcp__pawl-gateway__fs__read', tool_input: {}, tool_use_id: 'x' }
  await hook('PostToolUse', { ...ended, tool_response: 'x' })
  const types = (await runtime.readEvents(runId, { after: 0, limit: 99 })).map((one) => one.type)
  expect(types.filter((type) => type.startsWith('call.'))).toEqual([])
  // A session that others shut out does not get free by way of the gateway.
  const other = await call('mcp__pawl-gateway__fs__read', input, { session_id: 'two' })
  expect(other.exit).toBe(2)
})

test("a call of Pawl's own carries its session and run, whatever the agent wrote", async () => {
  const { runtime, call } = openDesk()
  const runId = await startRelease(runtime)
  const input = { event: 'READY', _pawl: { run: 'other' } }
  const own = JSON.parse((await call('mcp__pawl__pawl_transition', input)).stdout)
  expect(own.hookSpecificOutput).toMatchObject({
    permissionDecision: 'allow',
    updatedInput: { event: 'READY', _pawl: { session: 'claude:s1', run: runId, agent: null } },
  })
  const fake = await call('mcp__pawl2__pawl_transition', input)
  expect(fake.exit).toBe(2)
  const job = await call('mcp__pawl__process_run', { command: 'touch x' })
  expect(job.exit).toBe(2)
})

test('hooks that were changed stay in force, and the run has it on record', async () => {
  const { runtime, hook, problems } = openDesk()
  const runId = await startRelease(runtime)
  const change = { source: 'local_settings', file_path: '/work/.claude/settings.local.json' }
  expect(await hook('ConfigChange', change)).toEqual(passes)
  problems.push('the entry for PreToolUse is gone')
  const kept = await hook('ConfigChange', change)
  expect(kept).toMatchObject({ exit: 2, stderr: expect.stringContaining('PreToolUse is gone') })
  const last = (await runtime.readEvents(runId, { after: 0, limit: 99 })).at(-1)
  expect(last).toMatchObject({ type: 'warning.raised' })
  expect(last?.data).toContain('HOOKS_CHANGED')
})

test('what cannot be understood is blocked: no JSON, no session, no known event', async () => {
  const { desk, hook } = openDesk()
  const ask = (host: string, payload: string) =>
    desk.answer({ host, payload, workspace: '/work', runId: null })
  for (const payload of ['', 'x', '[]', 'null', '{}', '{"hook_event_name":"PreToolUse"}']) {
    expect(await ask('claude', payload), payload).toMatchObject({ exit: 2, stdout: '' })
  }
  expect((await hook('PreToolUseTwo')).exit).toBe(2)
  expect((await hook('PreToolUse', { tool_name: 'Bash' })).exit).toBe(2)
  expect((await hook('Stop', {}, { host: 'nobody' })).exit).toBe(2)
  expect((await hook('Stop', {}, { host: 'constructor' })).exit).toBe(2)
})

test('a fault of the store blocks calls and prompts, and lets everybody stop', async () => {
  const { store, again } = openBench()
  const down = async (): Promise<never> => {
    throw new Error('disk full')
  }
  const runtime = again({ ...store, claimsOf: down, listRuns: down })
  const log = (): void => undefined
  const settings = { askWaitMs: 0, stopsMax: 2, otherSessions: 'refused' } as const
  const desk = openHookDesk({ runtime, settings, checkHooks: () => [], log })
  const says = async (name: string, more: JsonObject = {}): Promise<HookOutput> => {
    const payload = JSON.stringify({ hook_event_name: name, session_id: 's', ...more })
    return desk.answer({ host: 'claude', payload, workspace: '/work', runId: null })
  }
  const read = { tool_name: 'Read', tool_input: { file_path: 'a' }, tool_use_id: 't' }
  expect((await says('PreToolUse', read)).stderr).toContain('disk full')
  expect((await says('UserPromptSubmit', { prompt: 'x' })).exit).toBe(2)
  expect(await says('Stop')).toEqual(passes)
})

const fixtures = join(import.meta.dirname, '../../../test/fixtures/hosts')
const recorded = Object.entries({
  claude: 'claude-code',
  codex: 'codex',
  gemini: 'gemini-cli',
}).flatMap(([host, folder]) =>
  readdirSync(join(fixtures, folder)).map((file) => [host, join(folder, file)] as const),
)

test.each(recorded)('%s: %s is understood, and blocked where it is a call', async (host, file) => {
  const { runtime, desk } = openDesk()
  await startRelease(runtime)
  const payload = readFileSync(join(fixtures, file), 'utf8')
  const told = await desk.answer({ host, payload, workspace: '/work', runId: null })
  const event = JSON.parse(payload)
  const isCall = /^(PreToolUse|BeforeTool)$/.test(event.hook_event_name)
  const isRead = /^(Read|view_image|read_file)$/.test(event.tool_name)
  const isStop = /^(Stop|AfterAgent)$/.test(event.hook_event_name)
  // The paths of the recordings are outside of this workspace, so nothing may be read either.
  if (isCall && !isRead) expect(told).toMatchObject({ exit: 2, stdout: '' })
  if (!isCall) expect(told.exit).toBe(0)
  if (isStop) expect(told.stdout).toMatch(/"decision":"(block|deny)"/)
})

test('whatever a host says, the answer is one of the two forms', async () => {
  const { desk } = openDesk()
  const names = ['PreToolUse', 'PostToolUse', 'Stop', 'BeforeTool', 'tool.execute.before', 'x']
  const payload = fc.record(
    {
      hook_event_name: fc.constantFrom(...names),
      session_id: fc.oneof(fc.string(), fc.jsonValue()),
      sessionID: fc.string(),
      tool_name: fc.oneof(fc.string(), fc.constant('Bash')),
      tool: fc.string(),
      tool_input: fc.oneof(fc.jsonValue(), fc.record({ command: fc.string() })),
      args: fc.jsonValue(),
      tool_use_id: fc.jsonValue(),
      tool_response: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const hosts = fc.constantFrom('claude', 'codex', 'gemini', 'opencode', 'cursor', '__proto__')
  await fc.assert(
    fc.asyncProperty(hosts, payload, async (host, said) => {
      const question = { host, payload: JSON.stringify(said), workspace: '/work', runId: null }
      const { exit, stdout, stderr } = await desk.answer(question)
      if (exit === 2) expect([stdout, stderr.trim() !== '']).toEqual(['', true])
      else expect(stdout === '' || typeof JSON.parse(stdout) === 'object').toBe(true)
    }),
    { numRuns: 300 },
  )
})
