/**
 * The daemon is killed between two calls of an agent in a real host: the next call starts it again,
 * and neither the call nor one of Pawl's own tools is refused.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

test.each(testedHosts)('%s: after a crash of the daemon the next call passes', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  const run = await begin(world, '--stage', 'free')
  const { shell, mcp } = drivers[host].toolCalls
  const calls = [
    shell('echo first > first'),
    shell('echo second > second'),
    mcp({ server: 'pawl', tool: 'pawl_get_state', input: {} }),
    shell('echo third > third'),
  ]
  const killed = new Set<number | null>()
  const transcript = await drive({
    ...world,
    // The server needs a moment before its tools are on offer.
    script: {
      turns: [
        { tools: [shell('true')], delayMs: 4_000 },
        ...calls.map((call) => ({ tools: [call] })),
        { text: 'All done.' },
      ],
    },
    onTurn: ({ index }) => {
      if (index === null || index < 2 || index > 4) return
      killed.add(world.daemonPid())
      world.signalDaemon('SIGKILL')
    },
    timeoutMs: 120_000,
  })
  const told = transcript.calls.map((one) => `${one.name}: ${one.told}`).join('\n')
  expect([...killed].filter((pid) => pid !== null).length, told).toBe(3)
  for (const name of ['first', 'second', 'third']) {
    expect(fileText(join(world.project, name)), told).toBe(`${name}\n`)
  }
  expect(told).toContain(run)
  expect(told).not.toMatch(/blocked|denied/)
})
