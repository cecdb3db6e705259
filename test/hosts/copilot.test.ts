/**
 * What only Copilot CLI does: it runs the hooks of Claude Code in a folder as well, skips those of
 * a folder that its user does not trust, and gives some models a patch as a text.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import type { ScriptedCall } from '../../src/prove/model/script.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

const isTested = testedHosts.includes('copilot')
const { shell } = drivers.copilot.toolCalls

function session(world: SandboxEnv, call: ScriptedCall, env: Record<string, string> = {}) {
  const script = { turns: [{ tools: [call] }, { text: 'All done.' }] }
  return drive({ ...world, script, env: { ...world.env, ...env }, timeoutMs: 60_000 })
}

async function verdictsOf(world: SandboxEnv, run: string): Promise<readonly string[]> {
  const { items } = JSON.parse(await world.mustPawl('log', run, '--json'))
  const types: readonly string[] = items.map(({ type }: { type: string }) => type)
  return types.filter((type) => type === 'call.allowed' || type === 'call.denied')
}

test.runIf(isTested)('copilot: the hooks of Claude Code hold it too', async () => {
  const world = await worldFor('copilot')
  await world.mustPawl('init', 'claude', '--yes')
  const run = await begin(world)
  const { calls, output } = await session(world, shell('echo x > held.txt'))
  expect(calls[0]?.told, output.slice(-1_000)).toContain('Pawl')
  expect(fileText(join(world.project, 'held.txt'))).toBe(null)
  expect(await verdictsOf(world, run)).toEqual(['call.denied'])
})

test.runIf(isTested)(
  'copilot: beside the hooks of Claude Code a call has one verdict',
  async () => {
    const world = await worldFor('copilot')
    await world.mustPawl('init', 'claude', 'copilot', '--yes')
    await world.mustPawl('init', '--user', 'copilot', '--yes')
    const run = await begin(world, '--stage', 'free')
    const { calls } = await session(world, shell('echo x > free.txt'))
    expect(fileText(join(world.project, 'free.txt')), JSON.stringify(calls)).toBe('x\n')
    expect(await verdictsOf(world, run)).toEqual(['call.allowed'])
  },
)

test.runIf(isTested)(
  'copilot: a folder that nobody trusts needs the hooks of the user',
  async () => {
    const world = await worldFor('copilot')
    rmSync(join(world.home, '.copilot', 'config.json'))
    const { out } = await world.pawl('init', 'copilot', '--yes')
    expect(out).toContain('SKIPPED')
    await begin(world)
    await session(world, shell('echo x > skipped.txt'))
    expect(fileText(join(world.project, 'skipped.txt')), 'its hooks were skipped').toBe('x\n')
    await world.mustPawl('init', '--user', 'copilot', '--yes')
    const { calls } = await session(world, shell('echo x > held.txt'))
    expect(calls[0]?.told).toContain('Pawl')
    expect(fileText(join(world.project, 'held.txt'))).toBe(null)
  },
)

test.runIf(isTested)('copilot: a patch is judged, whichever model makes it', async () => {
  const world = await worldFor('copilot')
  const text = (name: string): string =>
    ['*** Begin Patch', `*** Add File: ${name}`, '+x', '*** End Patch'].join('\n')
  const patch = (name: string): ScriptedCall => ({
    ...{ name: 'apply_patch', input: { input: text(name) } },
  })
  const model = { COPILOT_MODEL: 'gpt-5.4' }
  await session(world, patch('free.txt'), model)
  expect(fileText(join(world.project, 'free.txt')), 'without hooks it is made').toBe('x\n')
  await world.mustPawl('init', 'copilot', '--yes')
  await begin(world)
  const { calls } = await session(world, patch('held.txt'), model)
  expect(calls[0]?.told).toContain('Pawl')
  expect(fileText(join(world.project, 'held.txt'))).toBe(null)
})
