import { expect, test } from 'vitest'
import { startRelease } from '../../runtime/runtime.contract.ts'
import { openDaemon } from './daemon.contract.ts'

test('calls and refusals are counted once, however often somebody looks', async () => {
  const { client, runtime } = await openDaemon()
  const runId = await startRelease(runtime)
  const pawl = client('socket')
  const { reply } = await pawl.runs.check({ runId, tool: 'Read', input: { file_path: 'a' } })
  await pawl.runs.report({ runId, callId: reply.callId ?? '', ok: true })
  await pawl.runs.check({ runId, tool: 'Bash', input: { command: 'ls' } })
  await pawl.stats.read()
  await pawl.runs.check({ runId, tool: 'Bash', input: { command: 'ls' } })
  const stats = await pawl.stats.read()
  expect(stats).toMatchObject({ runsCount: 1, isPartial: false })
  expect(stats.tools.toSorted((a, b) => (a.tool < b.tool ? -1 : 1))).toEqual([
    { tool: 'Bash', calls: 0, denied: 2, asked: 0 },
    { tool: 'Read', calls: 1, denied: 0, asked: 0 },
  ])
  const rule = '/states/plan/allowed_tools'
  const { items } = await pawl.runs.events({ runId })
  const { seq, at } = { ...items.findLast(({ type }) => type === 'call.denied') }
  const denied = { definition: 'release', rule, code: 'TOOL_NOT_ALLOWED', says: 'deny', count: 2 }
  expect(stats.rules).toEqual([{ ...denied, last: { runId, seq, at } }])
  expect(stats.days).toHaveLength(1)
  expect(stats.definitions).toEqual([{ name: 'release', runs: 1, open: 1, wrong: 0 }])
})

test('a policy of a definition is listed with the rules that can never speak', async () => {
  const { client } = await openDaemon()
  const pawl = client('socket')
  await pawl.definitions.create({
    definition: {
      id: 'guarded',
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { type: 'final' } },
      policy: { deny: [{ capability: 'mcp:x:*' }], allow: [{ capability: 'mcp:x:read' }] },
    },
  })
  const { items } = await pawl.policies.list()
  expect(items).toMatchObject([
    {
      level: 'definition',
      name: 'guarded',
      rules: [
        { tier: 'deny', capability: 'mcp:x:*', shadowed: null },
        { tier: 'allow', capability: 'mcp:x:read', shadowed: expect.stringContaining('no effect') },
      ],
      problem: null,
    },
  ])
})
