/**
 * Whichever door a call comes by, its run says the same: the verdict, the code, the rule and where
 * that rule is written.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { JobTool } from '../../src/core/tools/pawl-tool-names.ts'
import { openApi } from '../../src/doors/api/api.ts'
import { openHookAnswerer } from '../../src/doors/hook/answer-hook.ts'
import { judgeJob } from '../../src/jobs/judge-job.ts'
import { openRequestJudge } from '../../src/proxy/judge-request.ts'
import { asAgent, type Bench, openBench } from '../../src/runtime/runtime.contract.ts'

type DoorRequest = { readonly bench: Bench; readonly runId: string; readonly call: Called }
type Called = { readonly server: string; readonly tool: string; readonly input: JsonObject }
type Door = (asked: DoorRequest) => Promise<unknown>

const spelled = ({ server, tool }: Called): string => `mcp__${server}__${tool}`

/** One way in each: all that a door does for a call, without its wire. */
const doors: Readonly<Record<string, Door>> = {
  hook: async ({ bench, call }) => {
    const context = openHookAnswerer({
      runtime: bench.runtime,
      settings: {
        ...{ askWaitMs: 0, orderWaitMs: 0, stopsMax: 1 },
        ...{ otherSessions: 'refused', promptApprovals: false },
      },
      checkHooks: () => [],
      guard: { of: () => null, namedIn: () => null },
      report: () => undefined,
      log: () => undefined,
    })
    await context.answerHttp({
      ...{ host: 'claude', workspace: '/work', runId: null },
      payload: {
        ...{ hook_event_name: 'PreToolUse', session_id: 's', tool_use_id: 't' },
        ...{ cwd: '/work', tool_name: spelled(call), tool_input: call.input },
      },
    })
  },
  gateway: ({ bench, call }) => {
    const whose = { workspace: '/work', runId: null, mark: null, last: null, holder: 'one' }
    const { server, tool, input } = call
    const named = { server: { server, tool }, input, estimateMicroUsd: 0 }
    return bench.runtime.gateway.check({ ...whose, ...named }, asAgent)
  },
  job: ({ bench, runId, call }) => {
    const caller = { ...asAgent, runId, branch: null, workspace: '/work' }
    // WHY the cast: jobs have names of their own, and any name is judged the same way.
    const tool = spelled(call) as JobTool
    return judgeJob(bench.runtime, { tool, input: call.input, caller, waitMs: 0 }).catch(() => null)
  },
  proxy: ({ bench, runId, call }) => {
    const judge = openRequestJudge({ runtime: bench.runtime, askWaitMs: 0 })
    return judge(runId, { tool: spelled(call), input: call.input }).catch(() => null)
  },
  rest: ({ bench, runId, call }) => {
    const api = openApi({
      runtime: bench.runtime,
      tokens: () => null,
      about: { version: '0', found: [], elicitation: false },
      stop: () => undefined,
    })
    const input = { runId, tool: spelled(call), input: call.input, estimateMicroUsd: 0 }
    const signal = (): AbortSignal => new AbortController().signal
    const request = { door: 'http', input, commandId: null, signal, traceparent: null } as const
    return api.perform('runs.check', { role: 'agent', name: 'claude' }, request)
  },
}

/** What the run recorded of the only call that was made of it. */
async function verdictBy(door: Door, definition: object, call: Called): Promise<JsonObject> {
  const bench = openBench()
  const { runtime } = bench
  const source = JSON.stringify(definition)
  const kept = await runtime.definitions.create({ source, format: 'json' })
  expect(kept.findings.filter(({ severity }) => severity === 'error')).toEqual([])
  const request = { definition: 'doors', task: null, stage: null, vars: {}, workspace: '/work' }
  const { runId } = await runtime.start(request, asAgent)
  await runtime.send(runId, { kind: 'spend', spend, branch: null }, asAgent)
  await door({ bench, runId, call })
  const records = await runtime.readEvents(runId, { after: 0, limit: 99 })
  const verdicts = records.filter(({ type }) => /^call\.(allowed|asked|denied)$/.test(type))
  expect(verdicts).toHaveLength(1)
  const { type, code, reason, rule, document } = JSON.parse(verdicts[0]?.data ?? '{}')
  await runtime.close()
  return { type, code, reason, rule, document }
}

type Stage = { readonly allowed_tools?: readonly string[]; readonly max_iterations?: number }

function definitionOf(stage: Stage, more: object = {}): object {
  const work = { ...stage, on: { DONE: 'end' } }
  return { id: 'doors', initial: 'work', states: { work, end: { type: 'final' } }, ...more }
}

const write: Called = { server: 'fs', tool: 'write_file', input: { path: 'a.md', content: 'x' } }
const [name, capability] = ['mcp__fs__write_file', 'mcp:fs:write_file']

const spend = { source: 'test', model: null, tokens: null, costMicroUsd: 5_000_000 }

type Case = {
  readonly of: string
  readonly definition: object
  readonly call?: Called
  readonly verdict: 'call.allowed' | 'call.asked' | 'call.denied'
}

const cases: readonly Case[] = [
  {
    of: 'what the stage lists',
    definition: definitionOf({ allowed_tools: [name] }),
    verdict: 'call.allowed',
  },
  {
    of: 'what the stage does not list',
    definition: definitionOf({ allowed_tools: ['Read'] }),
    verdict: 'call.denied',
  },
  {
    of: 'what a policy denies',
    definition: definitionOf({}, { policy: { deny: [{ capability }] } }),
    verdict: 'call.denied',
  },
  {
    of: 'what a policy asks about',
    definition: definitionOf({}, { policy: { ask: [{ capability }] } }),
    verdict: 'call.asked',
  },
  {
    of: 'a policy whose default denies',
    definition: definitionOf({}, { policy: { default: 'deny' } }),
    verdict: 'call.denied',
  },
  {
    of: 'a protected file',
    definition: definitionOf({}),
    call: { ...write, input: { path: '/work/.claude/settings.json', content: '{}' } },
    verdict: 'call.denied',
  },
  {
    of: 'a budget that is used up',
    definition: definitionOf({}, { session_budget_usd: 5 }),
    verdict: 'call.denied',
  },
]

test.each(cases)('every door says the same of $of', async ({ definition, call, verdict }) => {
  const ways = Object.values(doors)
  const said = await Promise.all(ways.map((door) => verdictBy(door, definition, call ?? write)))
  expect(said[0]?.type).toBe(verdict)
  for (const one of said) expect(one).toEqual(said[0])
})

test('every door says the same of any call under any stage and policy', async () => {
  const listed = fc.constantFrom(name, 'Read', 'mcp__fs__*', 'mcp__git__log')
  const rule = fc.constantFrom(capability, 'mcp:fs:*', 'mcp:*', 'bash').map((one) => ({
    capability: one,
  }))
  const definition = fc
    .record({
      tools: fc.option(fc.uniqueArray(listed, { maxLength: 3 })),
      ...{ ask: fc.array(rule, { maxLength: 2 }), deny: fc.array(rule, { maxLength: 1 }) },
      ...{ allow: fc.array(rule, { maxLength: 2 }), otherwise: fc.constantFrom('allow', 'deny') },
    })
    .map(({ tools, ask, deny, allow, otherwise }) =>
      definitionOf(tools === null ? {} : { allowed_tools: tools }, {
        policy: { ask, deny, allow, default: otherwise },
      }),
    )
  const input = fc.record({
    path: fc.constantFrom('a.md', '../a', '/etc/passwd', '.pawl/policy.json'),
  })
  await fc.assert(
    fc.asyncProperty(definition, input, async (one, given) => {
      const call = { ...write, input: given }
      const said = await Promise.all(Object.values(doors).map((door) => verdictBy(door, one, call)))
      for (const other of said) expect(other).toEqual(said[0])
    }),
    { numRuns: 60 },
  )
})
