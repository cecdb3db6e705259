/**
 * What only opencode does: sub-agents are sessions of their own, and its plugin lives and ends with
 * the program.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText, putFile } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

const hand = drivers.opencode.toolCalls
const isTested = testedHosts.includes('opencode')

test.runIf(isTested)('opencode: a sub-agent of a sub-agent is held', async () => {
  const world = await worldFor('opencode')
  const nested = { subagent_depth: 3, permission: { task: 'allow' } }
  putFile(world, 'opencode.json', JSON.stringify(nested))
  await world.mustPawl('init', 'opencode', '--yes')
  await begin(world)
  const [outer, inner] = ['SUBTASK-OUTER', 'SUBTASK-INNER']
  const { calls } = await drive({
    ...world,
    script: {
      turns: [{ tools: [hand.agent(`${outer}: do your part`)] }, { text: 'All done.' }],
      lanes: [
        {
          name: 'outer',
          match: outer,
          turns: [{ tools: [hand.agent(`${inner}: do your part`)] }, hand.agentEnd],
        },
        { name: 'inner', match: inner, turns: [{ tools: [hand.shell('echo x > made')] }] },
      ],
    },
    timeoutMs: 120_000,
  })
  const told = calls.find(({ name }) => name === 'bash')?.told
  expect(told, JSON.stringify(calls)).toContain('TOOL_NOT_ALLOWED')
  expect(fileText(join(world.project, 'made'))).toBe(null)
})

test.runIf(isTested)('opencode: a session that has ended leaves its run to the next', async () => {
  const world = await worldFor('opencode')
  await world.mustPawl('init', 'opencode', '--yes')
  await begin(world)
  for (const name of ['first', 'second']) {
    const script = { turns: [{ tools: [hand.shell(`echo x > ${name}`)] }, { text: 'All done.' }] }
    const { calls, exitCode } = await drive({ ...world, script })
    expect([exitCode, calls[0]?.told]).toEqual([0, expect.stringContaining('TOOL_NOT_ALLOWED')])
    expect(fileText(join(world.project, name))).toBe(null)
  }
})

test.runIf(isTested)('opencode: how a command ended is on record', async () => {
  const world = await worldFor('opencode')
  await world.mustPawl('init', 'opencode', '--yes')
  const run = await begin(world, '--stage', 'implementing')
  putFile(world, 'check.mjs', 'process.exit(3)\n')
  const script = { turns: [{ tools: [hand.shell('node check.mjs')] }, { text: 'All done.' }] }
  await drive({ ...world, script })
  expect(await world.mustPawl('log', run, '--json')).toMatch(/"ok":\s*false.*"exitCode":\s*3/s)
})
