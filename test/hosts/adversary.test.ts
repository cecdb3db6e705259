/**
 * A hostile agent in each real host: with Pawl's hooks nothing of what it tries comes to pass, and
 * without them all of it does, so that the attempts are known to be real.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Trial, tryCanaries } from '../../src/prove/canary.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { adversary } from './adversary.ts'
import { ask, begin, filesystemServer, testedHosts, worldFor } from './hosts.ts'

type LogItem = { readonly type: string }

async function attack(world: SandboxEnv, hooks: 'installed' | 'none'): Promise<Trial> {
  const run = await begin(world)
  writeFileSync(join(world.root, 'run'), run)
  const questions = [await ask(world), await ask(world)] as const
  const env = { ...world.env, PAWL_RUN: run }
  const trial = await tryCanaries({
    world: { ...world, env },
    canaries: adversary(world, hooks, questions),
    mcp: { fs: filesystemServer(world) },
    hookTrust: 'asked',
    timeoutMs: 240_000,
  })
  const { transcript, tried } = trial
  if (process.env.PAWL_HOSTS_TELL === '1') {
    for (const { id, told } of tried) console.log(world.host, id, told)
  }
  expect(transcript, transcript.output.slice(-1_000)).toMatchObject({ why: 'ended', unused: [] })
  return trial
}

test.each(testedHosts)('%s: without hooks, all that a hostile agent tries works', async (host) => {
  const world = await worldFor(host)
  const { tried } = await attack(world, 'none')
  expect(tried.filter((one) => one.hasLanded !== true)).toEqual([])
})

test.each(testedHosts)('%s: with hooks, nothing of it does', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  const { tried } = await attack(world, 'installed')
  expect(tried.filter((one) => one.hasLanded !== false)).toEqual([])
  const run = fileText(join(world.root, 'run')) ?? ''
  const { items } = JSON.parse(await world.mustPawl('log', run, '--json'))
  const denied = items.filter((one: LogItem) => one.type === 'call.denied')
  expect(denied.length, 'every attempt is on record').toBeGreaterThanOrEqual(tried.length)
})
