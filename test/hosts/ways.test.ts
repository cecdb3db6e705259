/**
 * Every way to start a session in a guarded repository: in another work tree, in a folder below,
 * through a link, or after the hooks of the folder were removed. With the hooks of the user, each
 * of them is held; a session in the folder itself is judged once.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import { agentHosts } from '../../src/core/hosts/registry.ts'
import { drive, type Transcript } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText, putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { runGit } from '../../src/runtime/sessions/repository.contract.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

type LogItem = { readonly type: string; readonly data?: unknown }

/** A project with a commit, another work tree, a folder below and a link. */
async function repository(host: ProvableHostId): Promise<SandboxEnv & Ways> {
  const world = await worldFor(host)
  putFile(world, 'sub/keep.txt', 'x\n')
  runGit(world.project, 'add', 'sub')
  runGit(world.project, 'commit', '-q', '-m', 'first')
  const tree = join(world.root, 'tree')
  const link = join(world.root, 'link')
  runGit(world.project, 'worktree', 'add', '-q', tree)
  symlinkSync(world.project, link)
  return { ...world, tree, link, sub: join(world.project, 'sub') }
}

type Ways = { readonly tree: string; readonly link: string; readonly sub: string }

/** A session in a folder that writes a file by the shell. */
async function writes(
  world: SandboxEnv,
  folder: string,
  isResumed = false,
): Promise<Transcript & Landed> {
  const { shell } = drivers[world.host].toolCalls
  const mark = join(folder, 'written.txt')
  // Qwen Code ignores a call whose id it has seen.
  const id = isResumed ? 'call_resumed' : 'call_first'
  const once = [{ tools: [{ ...shell(`echo x > ${mark}`), id }] }, { text: 'Done.' }]
  // The script goes by the conversation, which begins with the session before.
  const turns = isResumed ? [...once, ...once] : once
  const transcript = await drive({ ...world, project: folder, script: { turns }, isResumed })
  const hasLanded = fileText(mark) !== null
  rmSync(mark, { force: true })
  return { ...transcript, hasLanded }
}

type Landed = { readonly hasLanded: boolean }

async function logOf(world: SandboxEnv, run: string): Promise<readonly LogItem[]> {
  return JSON.parse(await world.mustPawl('log', run, '--json')).items
}

test.each(testedHosts)('%s: a session is held in every folder of the repository', async (host) => {
  const world = await repository(host)
  const { tree, link, sub } = world
  await world.mustPawl('init', host, '--yes')
  await world.mustPawl('init', '--user', host, '--yes')
  const run = await begin(world)
  for (const folder of [tree, sub, link, join(tree, 'sub')]) {
    const { hasLanded, output, calls } = await writes(world, folder)
    expect(hasLanded, `${folder}\n${output.slice(-2_000)}`).toBe(false)
    expect(calls[0]?.told, folder).toContain('Pawl')
    await world.pawl('release', run)
  }
  const denied = (await logOf(world, run)).filter(({ type }) => type === 'call.denied')
  expect(denied, JSON.stringify(denied, null, 1)).toHaveLength(4)
})

test.each(testedHosts)('%s: one call has one verdict, with both kinds of hooks', async (host) => {
  const world = await repository(host)
  await world.mustPawl('init', host, '--yes')
  await world.mustPawl('init', '--user', host, '--yes')
  const run = await begin(world, '--stage', 'free')
  const { hasLanded, output } = await writes(world, world.project)
  expect(hasLanded, output.slice(-2_000)).toBe(true)
  const types = (await logOf(world, run)).map(({ type }) => type)
  expect(types.filter((type) => type === 'call.allowed')).toHaveLength(1)
  expect(types.filter((type) => type === 'call.ended').length).toBeLessThanOrEqual(1)
})

test.each(testedHosts)(
  '%s: where nothing is guarded, the hooks of the user are silent',
  async (host) => {
    const world = await repository(host)
    await world.mustPawl('init', '--user', host, '--yes')
    await world.pawl('stop')
    const elsewhere = join(world.root, 'elsewhere')
    mkdirSync(elsewhere)
    const { hasLanded, output, exchanges } = await writes(world, elsewhere)
    expect(hasLanded, output.slice(-2_000)).toBe(true)
    expect(JSON.stringify(exchanges)).not.toContain('Pawl')
    expect(world.daemonPid(), 'no daemon was started').toBeNull()
  },
)

test.each(testedHosts)('%s: a folder whose hooks were removed stays guarded', async (host) => {
  const world = await repository(host)
  await world.mustPawl('init', host, '--yes')
  await world.mustPawl('init', '--user', host, '--yes')
  // Neither a run nor a policy: the folder is guarded all the same.
  runGit(world.project, 'clean', '-fdxq')
  const gone = await writes(world, world.project)
  expect(gone.hasLanded, gone.output.slice(-2_000)).toBe(false)
  expect(await world.mustPawl('status')).toContain('pawl init --restore')
  await world.mustPawl('init', '--restore')
  const back = await writes(world, world.project)
  expect(back.hasLanded, back.output.slice(-2_000)).toBe(true)
  await world.mustPawl('uninit', '--user', host, '--yes')
  const { userHooks } = agentHosts[host]
  const file = 'none' in userHooks ? '' : join(world.home, userHooks.folder, userHooks.file)
  expect(fileText(file) ?? '').not.toContain('pawl-hook')
  expect(dirname(file)).not.toBe('.')
})

test.each(testedHosts)('%s: a resumed session is held as before', async (host) => {
  const world = await repository(host)
  await world.mustPawl('init', host, '--yes')
  const run = await begin(world)
  const first = await writes(world, world.project)
  expect(first.hasLanded).toBe(false)
  const second = await writes(world, world.project, true)
  expect(second.hasLanded, second.output.slice(-2_000)).toBe(false)
  const denied = (await logOf(world, run)).filter(({ type }) => type === 'call.denied')
  expect(denied.length, second.output.slice(-2_000)).toBeGreaterThanOrEqual(2)
})
