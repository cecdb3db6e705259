/**
 * Real hosts in a box with a scripted model: an honest session finishes, and what code does below
 * the hook has no effect. Each attack is shown to have its effect without the box.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHosts, type ProvableHostId } from '../../src/core/hosts/registry.ts'
import { belowPaths } from '../../src/prove/below-hook.ts'
import { drive, type Transcript } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { findProgram } from '../../src/prove/hosts/find-host.ts'
import type { ScriptedCall } from '../../src/prove/model/script.ts'
import { proveBelow } from '../../src/prove/prove-below.ts'
import { fileText, hooksPathOf, putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { type Attack, attackScript, attacks } from '../box/attacks.ts'
import { pawlProgram, sessionStory, testedHosts, worldFor } from './hosts.ts'

const boxed: readonly ProvableHostId[] = testedHosts.filter(
  (host) => !('none' in agentHosts[host].box.settings),
)

/** Plans, tests and writes: files are read, scratch and write. */
const workflow = {
  id: 'boxed',
  initial: 'looking',
  states: {
    looking: { allowed_tools: ['Read', 'Glob'], on: { LOOKED: 'testing' } },
    testing: {
      allowed_tools: ['Read', 'Bash'],
      allowed_commands: ['node check.mjs'],
      on: { TESTED: 'writing' },
    },
    writing: { allowed_tools: ['Read', 'Write', 'Bash'], on: { WRITTEN: 'reviewing' } },
    reviewing: {
      allowed_tools: ['Read', 'Bash'],
      allowed_commands: ['node check.mjs', 'node attack.mjs'],
      files: 'read',
      on: { REVIEWED: 'done' },
    },
    done: { type: 'final' },
  },
}

async function beginRun(world: SandboxEnv, ...more: readonly string[]): Promise<string> {
  putFile(world, 'README.md', '# A project\n')
  const count = "import fs from 'node:fs'\nfs.appendFileSync('made.txt', 'x')\n"
  putFile(world, 'check.mjs', `${count}process.stdout.write('checked')\n`)
  const file = putFile(world, 'boxed.json', JSON.stringify(workflow))
  return JSON.parse(await world.mustPawl('start', file, '--json', ...more)).runId
}

function driveIn(world: SandboxEnv, runId: string, calls: readonly ScriptedCall[]) {
  return drive({
    ...world,
    box: { pawl: [process.execPath, pawlProgram], runId },
    script: { turns: [...calls.map((call) => ({ tools: [call] })), { text: 'All done.' }] },
    timeoutMs: 150_000,
  })
}

function tool(world: SandboxEnv, event: string): ScriptedCall {
  const { mcp } = drivers[world.host].toolCalls
  return mcp({ server: 'pawl', tool: 'pawl_transition', input: { event } })
}

test.each(boxed)('%s: an honest session in a box finishes', async (host) => {
  const world = await worldFor(host)
  const run = await beginRun(world)
  const hand = drivers[host].toolCalls
  const path = join(world.project, 'feature.txt')
  const write = hand.write?.(path, 'made\n') ?? hand.patch?.('feature.txt', 'made')
  const transcript = await driveIn(world, run, [
    tool(world, 'LOOKED'),
    hand.shell('node check.mjs'),
    tool(world, 'TESTED'),
    ...(write === undefined ? [] : [write]),
    tool(world, 'WRITTEN'),
    hand.shell('node check.mjs'),
    tool(world, 'REVIEWED'),
  ])
  const head = JSON.parse(await world.mustPawl('state', run, '--json')).head
  expect(head.status, sessionStory(transcript)).toBe('completed')
  expect(transcript.exitCode).toBe(0)
  expect(fileText(join(world.project, 'feature.txt'))).toBe('made\n')
  // The layer of `testing` went with it, and `reviewing` had none.
  expect(existsSync(join(world.project, 'made.txt'))).toBe(false)
  expect(toldOf(transcript, 'check.mjs')).toEqual([
    expect.stringContaining('checked'),
    expect.stringContaining('EROFS'),
  ])
  const left = spawnSync('git', ['status', '--porcelain', '--ignored'], { cwd: world.project })
  const names = ['README.md', 'boxed.json', 'check.mjs', 'feature.txt']
  expect(String(left.stdout).trim().split('\n')).toEqual(names.map((name) => `?? ${name}`))
})

test.each(boxed)('%s: hooks of `pawl init` do not stop a session in a box', async (host) => {
  const world = await worldFor(host)
  await world.mustPawl('init', host, '--yes')
  await world.mustPawl('init', host, '--user', '--yes')
  const run = await beginRun(world, '--stage', 'reviewing')
  const settings = hooksPathOf(world)
  const before = readFileSync(settings, 'utf8')
  const hand = drivers[host].toolCalls
  const transcript = await driveIn(world, run, [
    hand.shell('node check.mjs'),
    hand.shell('node other.mjs'),
    tool(world, 'REVIEWED'),
  ])
  const story = sessionStory(transcript)
  expect(toldOf(transcript, 'check.mjs'), story).toEqual([expect.stringContaining('EROFS')])
  expect(toldOf(transcript, 'other.mjs'), story).toEqual([expect.stringContaining('list')])
  expect(JSON.parse(await world.mustPawl('state', run, '--json')).head.status).toBe('completed')
  // Each call was judged once, by the hooks of the box.
  const { items } = JSON.parse(await world.mustPawl('log', run, '--json'))
  const types = items.map((one: { type: string }) => one.type)
  const judged = types.filter((type: string) => /^call\.(?:allowed|denied)$/.test(type))
  expect(judged).toEqual(['call.allowed', 'call.denied'])
  expect(readFileSync(settings, 'utf8')).toBe(before)
})

test.each(boxed)('%s: what the kernel refuses is explained', async (host) => {
  const world = await worldFor(host)
  const run = await beginRun(world, '--stage', 'reviewing')
  const transcript = await driveIn(world, run, [
    drivers[host].toolCalls.shell('node check.mjs'),
    tool(world, 'REVIEWED'),
  ])
  const story = sessionStory(transcript)
  expect(toldOf(transcript, 'check.mjs'), story).toEqual([expect.stringContaining('EROFS')])
  const heard = transcript.exchanges.map((one) => JSON.stringify(one.body)).join('\n')
  expect(heard, story).toContain('the files of the workspace are read-only')
})

/** What the agent was told of its calls of this program. */
function toldOf({ calls }: Transcript, text: string): readonly (string | null)[] {
  return calls.filter(({ input }) => JSON.stringify(input).includes(text)).map(({ told }) => told)
}

/** Writes what the attacks need, and the program that makes them. */
function prepare(world: SandboxEnv, path: string): void {
  const { box } = agentHosts[world.host]
  const guides = box.guides.map((name) => join(world.home, name))
  const settings = guides.find((one) => one.endsWith('.json') || one.endsWith('.toml'))
  const folder = guides.find((one) => !basename(one).includes('.')) ?? world.home
  const place = {
    ...{ project: world.project, pawlHome: world.pawlHome },
    ...{ settings: settings ?? join(folder, 'settings.json'), commands: join(folder, 'x.md') },
  }
  putFile(world, 'attack.mjs', attackScript({ ...place, daemonPid: world.daemonPid() ?? 0, path }))
}

function effectsIn(path: string): readonly string[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  return lines.filter((line) => line !== '')
}

test.each(boxed)('%s: no attack below the hook has an effect in a box', async (host) => {
  const names = attacks.map(({ name }: Attack) => name)
  const isRoot = process.getuid?.() === 0
  const bareNames = attacks.filter(({ needsRoot }) => isRoot || needsRoot !== true)
  const bare = await worldFor(host)
  await beginRun(bare, '--stage', 'reviewing')
  const bareEffects = join(bare.root, 'effects.txt')
  prepare(bare, bareEffects)
  spawnSync(process.execPath, ['attack.mjs'], { cwd: bare.project, timeout: 60_000 })
  expect([...effectsIn(bareEffects)].sort()).toEqual(bareNames.map(({ name }) => name).sort())

  const world = await worldFor(host)
  const run = await beginRun(world, '--stage', 'reviewing')
  prepare(world, '/tmp/effects.txt')
  const transcript = await driveIn(world, run, [drivers[host].toolCalls.shell('node attack.mjs')])
  const [told = ''] = toldOf(transcript, 'attack.mjs')
  expect(told, transcript.output.slice(-900)).toContain('tried')
  expect(told).toContain(`${names.length} tried, 0 with an effect`)
})

test.each(boxed)('%s: what is open below the hook is stopped in a box', async (name) => {
  const program = findProgram(name, process.env) ?? name
  const [bare, inBox] = await proveBelow({
    found: { name, program, version: null },
    pawl: [process.execPath, pawlProgram],
    until: performance.now() + 200_000,
  })
  const outcomes = (column: typeof bare): readonly string[] =>
    Object.entries(column?.cells ?? {}).map(([id, { outcome }]) => `${id}: ${outcome}`)
  const ids = Object.keys(belowPaths)
  expect(outcomes(bare)).toEqual(ids.map((id) => `${id}: not enforceable`))
  expect(outcomes(inBox)).toEqual(ids.map((id) => `${id}: stopped`))
})
