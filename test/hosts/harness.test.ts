/**
 * The harness itself: it must tell what was executed from what was stopped, on every host, by a
 * hook that has nothing to do with Pawl. What can not fail proves nothing.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callCanaries, typedCanary } from '../../src/prove/canaries.ts'
import { tryCanaries } from '../../src/prove/canary.ts'
import { openLocalWeb } from '../../src/prove/local-web.ts'
import type { SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { plainHosts, putDenyingHook, testedHosts, worldFor } from './hosts.ts'

const server = join(import.meta.dirname, '..', '..', 'src', 'prove', 'mcp-canary.ts')
async function tryCalls(world: SandboxEnv): Promise<ReadonlyMap<string, boolean | null>> {
  const typed = typedCanary(world)
  const web = await openLocalWeb()
  onTestFinished(() => web.close())
  // Some hosts fetch nothing from this machine, with or without a hook.
  const left = plainHosts.has(world.host) ? ['fetch', 'subagent', 'mcp'] : ['fetch']
  const calls = callCanaries(world, web).filter(({ id }) => !left.includes(id))
  const { tried, transcript } = await tryCanaries({
    world,
    canaries: [...calls, ...(typed === null ? [] : [typed])],
    mcp: { canary: { command: process.execPath, args: [server] } },
    hookTrust: 'skipped',
    timeoutMs: 120_000,
  })
  expect(transcript.unused, transcript.output.slice(-1_000)).toEqual([])
  return new Map(tried.map(({ id, hasLanded }) => [id, hasLanded]))
}

test.each(testedHosts)('%s: without a hook every canary sings', async (host) => {
  const tried = await tryCalls(await worldFor(host))
  expect(tried.size).toBeGreaterThanOrEqual(6)
  expect([...tried].filter(([, hasLanded]) => hasLanded !== true)).toEqual([])
})

test.each(testedHosts)('%s: with a hook that denies, none does', async (host) => {
  const world = await worldFor(host)
  putDenyingHook(world)
  const tried = await tryCalls(world)
  expect([...tried].filter(([, hasLanded]) => hasLanded !== false)).toEqual([])
})
