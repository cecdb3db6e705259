/**
 * A rule over a session, in real hosts: what a session did in its first run counts in the next one
 * that it takes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import { drive, type Transcript } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { turnOf } from '../../src/prove/hosts/tool-calls.ts'
import { putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { sessionStory, testedHosts, worldFor } from './hosts.ts'

const definition = {
  id: 'pay',
  initial: 'working',
  states: {
    working: { instructions: 'Pay.', max_iterations: 50, on: { DONE: 'done' } },
    done: { type: 'final' },
  },
  policy: {
    role: 'agent',
    allow: [
      {
        capability: 'bash',
        when: { commands: ['node pay.mjs'] },
        count: { max: 2, scope: 'session' },
      },
    ],
  },
}

/** Pays as often as it is told to; its run is at its end before the last two. */
async function payThrice(world: SandboxEnv, file: string): Promise<Transcript> {
  const { shell, mcp } = drivers[world.host].toolCalls
  const own = (tool: string, input = {}) => mcp({ server: 'pawl', tool, input })
  const pay = turnOf(shell('node pay.mjs'))
  // WHY until: some hosts begin before the tools of a server are there.
  const look = { tools: [own('pawl_get_state')], until: 'working' }
  const next = turnOf(own('pawl_transition', { event: 'DONE' }))
  const script = { turns: [look, pay, next, pay, pay, { text: 'Done.' }], exhausted: 'Done.' }
  let isNext = false
  return drive({
    ...{ ...world, script, timeoutMs: 240_000 },
    onTurn: async ({ told }) => {
      if (isNext || !told.some(({ text }) => /\bdone\b/.test(text) && /completed/.test(text)))
        return
      isNext = true
      await world.mustPawl('start', file)
    },
  })
}

async function holdSession(host: ProvableHostId): Promise<void> {
  const world = await worldFor(host)
  putFile(world, 'pay.mjs', "console.log('paid')\n")
  const file = join(world.root, 'definition.json')
  writeFileSync(file, JSON.stringify(definition))
  await world.mustPawl('init', host, '--yes')
  await world.mustPawl('start', file)
  const transcript = await payThrice(world, file)
  const paid = transcript.calls.flatMap(({ input, told }) =>
    JSON.stringify(input).includes('node pay.mjs') ? [told ?? ''] : [],
  )
  const story = sessionStory(transcript)
  expect(paid, story).toHaveLength(3)
  expect(paid[0], story).toContain('paid')
  expect(paid[1], story).toContain('paid')
  expect(paid[2], story).toContain('COUNT_EXHAUSTED')
  const runs = JSON.parse(await world.mustPawl('runs', '--all', '--json')).items
  expect(runs, story).toHaveLength(2)
}

// WHY these two: one has hooks, and the other one a plugin.
for (const host of ['claude', 'opencode'] as const) {
  test.runIf(testedHosts.includes(host))(`${host}: what a session did counts in its next run`, () =>
    holdSession(host),
  )
}
