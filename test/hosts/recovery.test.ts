/**
 * The daemon is killed between two calls of an agent in a real host: the next call starts it again,
 * and neither the call nor one of Pawl's own tools is refused.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
import { begin, sessionStory, testedHosts, worldFor } from './hosts.ts'

test.each(testedHosts)('%s: after a crash of the daemon the next call passes', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  await begin(world, '--stage', 'free')
  const { shell, mcp } = drivers[host].toolCalls
  const state = mcp({ server: 'pawl', tool: 'pawl_get_state', input: {} })
  const calls = [
    shell('echo first > first'),
    shell('echo second > second'),
    state,
    shell('echo third > third'),
  ]
  const killed = new Set<number | null>()
  const transcript = await drive({
    ...world,
    script: {
      turns: [
        // The server needs a moment before its tools are on offer.
        { tools: [state], until: 'Do what you like' },
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
  const told = sessionStory(transcript)
  expect([...killed].filter((pid) => pid !== null).length, told).toBe(3)
  for (const name of ['first', 'second', 'third']) {
    expect(fileText(join(world.project, name)), told).toBe(`${name}\n`)
  }
  expect(transcript.calls.at(-2)?.told, told).toContain('Do what you like')
  expect(transcript.calls.map((one) => one.told).join('\n')).not.toMatch(/blocked|denied/)
})
