import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentHostIds } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import { policyOf } from '../../core/policy/policy-builder.contract.ts'
import { asAgent, asPerson, openBench, say, startRelease } from '../../runtime/runtime.contract.ts'
import type { HookOutput } from '../api/hook-exchange.ts'
import { edit, openHookBench, passes, refusalIn } from './answer-hook.contract.ts'
import { openHookAnswerer } from './answer-hook.ts'

const freeStates = { work: { on: { DONE: 'end' } }, end: { type: 'final' } }
const asking = [policyOf({ ask: [{ capability: 'edit' }] })]

test('a prompt of a host decides nothing unless a person has set that it may', async () => {
  const { runtime, call, hook, lastKey } = openHookBench({ policies: asking })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const refused = await call('Edit', edit)
  expect(refused.stdout).not.toContain('"ask"')
  const { items } = await runtime.listApprovals({ status: 'pending', runId, after: null, limit: 9 })
  expect(refusalIn(refused)).toContain(items[0]?.id)
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: lastKey() }
  await hook('PostToolUse', { ...fields, tool_response: {} })
  await hook('UserPromptSubmit', { prompt: 'do something else' })
  expect(await runtime.readApproval(items[0]?.id ?? '')).toMatchObject({ status: 'pending' })
  const yes = { granted: true, note: '', hash: null, edits: null }
  await runtime.resolve(items[0]?.id ?? '', yes, asPerson)
  expect(refusalIn(await call('Edit', edit))).toBe('')
})

test('where it may, Claude Code asks its own user, and their answer is recorded', async () => {
  const set = { policies: asking, promptApprovals: true }
  const { runtime, call, hook, lastKey } = openHookBench(set)
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
  expect(refusalIn(await call('Read', { file_path: '/work/a' }))).toBe('')
})

test('what several people have to approve is not left to the prompt of a host', async () => {
  const approvals = { needed: 2 }
  const policies = [policyOf({ ask: [{ capability: 'edit', approvals }] })]
  const { runtime, call, hook, lastKey } = openHookBench({ policies, askWaitMs: 10 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const refused = await call('Edit', edit)
  expect(refused.stdout).not.toContain('"ask"')
  expect(refusalIn(refused)).not.toBe('')
  const fields = { tool_name: 'Edit', tool_input: edit, tool_use_id: lastKey() }
  await hook('PostToolUse', { ...fields, tool_response: {} })
  const { items } = await runtime.listApprovals({ status: 'pending', runId, after: null, limit: 9 })
  const yes = { granted: true, note: '', hash: null, edits: null }
  for (const name of ['ada', 'bob']) {
    const by = { actor: { kind: 'person', name }, commandId: null } as const
    await runtime.resolve(items[0]?.id ?? '', yes, by)
  }
  expect(refusalIn(await call('Edit', edit))).toBe('')
})

test('where the host cannot ask, the call waits, and passes after a person agreed', async () => {
  const { runtime, call } = openHookBench({ policies: asking, askWaitMs: 5_000 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const waiting = call('apply_patch', patch, { host: 'codex' })
  const query = { status: 'pending', runId, after: null, limit: 9 } as const
  await expect.poll(async () => (await runtime.listApprovals(query)).items.length).toBe(1)
  const id = (await runtime.listApprovals(query)).items[0]?.id ?? ''
  const yes = { granted: true, note: '', hash: null, edits: null }
  await runtime.resolve(id, yes, asPerson)
  expect(refusalIn(await waiting)).toBe('')
})

const patch = { command: '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n' }

test('where nobody answers, the call is refused, and passes once when it is approved', async () => {
  const { runtime, call } = openHookBench({ policies: asking })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const refused = await call('apply_patch', patch, { host: 'codex' })
  expect(refusalIn(refused)).not.toBe('')
  const id = /approval (\S+)\)/.exec(refusalIn(refused))?.[1] ?? ''
  await runtime.resolve(id, { granted: true, note: '', hash: null, edits: null }, asPerson)
  expect(refusalIn(await call('apply_patch', patch, { host: 'codex' }))).toBe('')
  expect(refusalIn(await call('apply_patch', patch, { host: 'codex' }))).not.toBe('')
})

test('a host that soon goes on is told of the approval before it does', async () => {
  const { runtime, hook } = openHookBench({ policies: asking, askWaitMs: 20_000 })
  const runId = await startRelease(runtime)
  await runtime.send(runId, say('READY'), asAgent)
  const tool_input = { path: 'a.txt', old_text: 'a', new_text: 'b' }
  const begun = performance.now()
  const fields = { tool_name: 'editor', tool_input, tool_use_id: 'c' }
  const refused = await hook('beforeTool', fields, { host: 'cline' })
  expect(refused.stderr).toMatch(/approval \S+\)/)
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test('a stop that may be that of a sub-agent sends nobody on', async () => {
  const { runtime, call, hook, lastKey } = openHookBench()
  const source = JSON.stringify({ id: 'free', initial: 'work', states: freeStates })
  await runtime.definitions.create({ source, format: 'json' })
  const request = { definition: 'free', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  const input = { description: 'x', prompt: 'do it' }
  for (const host of ['claude', 'kimi'] as const) {
    const where = { host, session: `${host}-1`, runId }
    expect(refusalIn(await call('Agent', input, where))).toBe('')
    const { stdout } = await hook('Stop', {}, where)
    expect(stdout === '', host).toBe(host === 'kimi')
    const fields = { tool_name: 'Agent', tool_input: input, tool_use_id: lastKey() }
    await hook('PostToolUse', { ...fields, tool_output: 'done' }, where)
    expect((await hook('Stop', {}, where)).stdout, host).toContain('not finished')
  }
})

test('a call behind the gateway is left to it, with whose it is, and counted there', async () => {
  const { runtime, call, hook } = openHookBench()
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
  expect(refusalIn(other)).not.toBe('')
})

test('Codex writes the name of the gateway its own way; elsewhere that is a stranger', async () => {
  const { runtime, call } = openHookBench()
  const runId = await startRelease(runtime)
  const name = 'mcp__pawl_gateway__fs__read'
  const { stdout, exit } = await call(name, { path: 'a' }, { host: 'codex', session: 'c1', runId })
  expect(exit).toBe(0)
  expect(JSON.parse(stdout).hookSpecificOutput.updatedInput._pawl).toMatchObject({ run: runId })
  expect(refusalIn(await call(name, { path: 'a' }, { session: 'c2', runId }))).not.toBe('')
})

test("a call of Pawl's own carries its session and run, whatever the agent wrote", async () => {
  const { runtime, call } = openHookBench()
  const runId = await startRelease(runtime)
  const input = { event: 'READY', _pawl: { run: 'other' } }
  const own = JSON.parse((await call('mcp__pawl__pawl_transition', input)).stdout)
  expect(own.hookSpecificOutput).toMatchObject({
    permissionDecision: 'allow',
    updatedInput: { event: 'READY', _pawl: { session: 'claude:s1', run: runId, agent: null } },
  })
  const fake = await call('mcp__pawl2__pawl_transition', input)
  expect(refusalIn(fake)).not.toBe('')
})

test('a job is judged once, where it is started, and not by the hook as well', async () => {
  const { runtime, call } = openHookBench()
  const runId = await startRelease(runtime)
  const job = JSON.parse((await call('mcp__pawl__process_run', { command: 'touch x' })).stdout)
  expect(job.hookSpecificOutput.updatedInput).toMatchObject({ _pawl: { run: runId } })
  const events = await runtime.readEvents(runId, { after: 0, limit: 99 })
  expect(events.filter(({ type }) => type.startsWith('call.'))).toEqual([])
})

test('hooks that were changed stay in force, and the run has it on record', async () => {
  const { runtime, hook, problems } = openHookBench()
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
  const { context, hook } = openHookBench()
  const ask = (host: string, payload: string) =>
    context.answer({ host, payload, workspace: '/work', runId: null })
  for (const payload of ['', 'x', '[]', 'null', '{}', '{"hook_event_name":"PreToolUse"}']) {
    expect(await ask('claude', payload), payload).toMatchObject({ exit: 2, stdout: '' })
  }
  expect(refusalIn(await hook('PreToolUseTwo'))).not.toBe('')
  expect(refusalIn(await hook('PreToolUse', { tool_name: 'Bash' }))).not.toBe('')
  expect(refusalIn(await hook('Stop', {}, { host: 'nobody' }))).not.toBe('')
  expect(refusalIn(await hook('Stop', {}, { host: 'constructor' }))).not.toBe('')
})

test('a fault of the store blocks calls and prompts, and lets everybody stop', async () => {
  const { store, again } = openBench()
  const down = async (): Promise<never> => {
    throw new Error('disk full')
  }
  const runtime = again({ ...store, claimsOf: down, listRuns: down })
  const log = (): void => undefined
  const settings = {
    askWaitMs: 0,
    orderWaitMs: 0,
    stopsMax: 2,
    otherSessions: 'refused',
    promptApprovals: false,
  } as const
  const guard = { of: () => null, namedIn: () => null }
  const around = { settings, checkHooks: () => [], guard, report: () => undefined, log }
  const context = openHookAnswerer({ runtime, ...around })
  const says = async (name: string, more: JsonObject = {}): Promise<HookOutput> => {
    const payload = JSON.stringify({ hook_event_name: name, session_id: 's', ...more })
    return context.answer({ host: 'claude', payload, workspace: '/work', runId: null })
  }
  const read = { tool_name: 'Read', tool_input: { file_path: 'a' }, tool_use_id: 't' }
  expect(refusalIn(await says('PreToolUse', read))).toContain('disk full')
  expect(refusalIn(await says('UserPromptSubmit', { prompt: 'x' }))).not.toBe('')
  expect(await says('Stop')).toEqual(passes)
})

const fixtures = join(import.meta.dirname, '../../../test/fixtures/hosts')
const recorded = Object.entries({
  claude: 'claude-code',
  codex: 'codex',
  gemini: 'gemini-cli',
  qwen: 'qwen-code',
  copilot: 'copilot-cli',
  kimi: 'kimi-code',
}).flatMap(([host, folder]) =>
  readdirSync(join(fixtures, folder)).map((file) => [host, join(folder, file)] as const),
)

test.each(recorded)('%s: %s is understood, and blocked where it is a call', async (host, file) => {
  const { runtime, context, call } = openHookBench()
  await startRelease(runtime)
  const payload = readFileSync(join(fixtures, file), 'utf8')
  // An agent that has not worked may stop.
  const { session_id: session } = JSON.parse(payload)
  expect(refusalIn(await call('Read', { file_path: '/work/a' }, { host, session }))).toBe('')
  const told = await context.answer({ host, payload, workspace: '/work', runId: null })
  const event = JSON.parse(payload)
  const isCall = /^(PreToolUse|BeforeTool)$/.test(event.hook_event_name)
  const isRead = /^(Read|view_image|read_file)$/.test(event.tool_name)
  // Copilot CLI tells of the stop of a sub-agent twice.
  const isStop = /^(Stop|AfterAgent)$/.test(event.hook_event_name) && !event.agent_id
  const free = [
    ...['TaskCreate', 'TaskUpdate', 'ToolSearch', 'todo_write', 'tool_search', 'sql'],
    ...['TodoList', 'TaskList', 'EnterPlanMode'],
    ...['read_bash', 'list_bash', 'stop_bash', 'read_agent', 'list_agents', 'write_agent'],
  ]
  const isFree = isCall && free.includes(event.tool_name)
  if (isFree) expect(refusalIn(told)).toBe('')
  // The paths of the recordings are outside of this workspace, so nothing may be read either.
  if (isCall && !isRead && !isFree) expect(refusalIn(told)).not.toBe('')
  if (!isCall) expect(told.exit).toBe(0)
  if (isStop) expect(told.stdout).toMatch(/"(?:d|permissionD)ecision":"(block|deny)"/)
})

test('whatever a host says, the answer is one of the two forms', async () => {
  const { context } = openHookBench()
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
  const hosts = fc.constantFrom(...agentHostIds, '__proto__')
  await fc.assert(
    fc.asyncProperty(hosts, payload, async (host, said) => {
      const question = { host, payload: JSON.stringify(said), workspace: '/work', runId: null }
      const { exit, stdout, stderr } = await context.answer(question)
      if (exit === 2) expect([stdout, stderr.trim() !== '']).toEqual(['', true])
      else expect(stdout === '' || typeof JSON.parse(stdout) === 'object').toBe(true)
    }),
    { numRuns: 300 },
  )
})
