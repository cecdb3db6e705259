import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Install } from '../doors/init/install.ts'
import { homeOf } from '../home/home.ts'
import { writeInstalls } from '../home/installs.ts'
import { openBench } from '../runtime/runtime.contract.ts'
import { openGuardAlarms } from './guard-alarms.ts'
import { switchedOff } from './guard-integrity.ts'
import { hashOfText } from './native-programs.ts'
import { openHookWatch } from './watch-hooks.ts'

function openWatch(...workspaces: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'pawl-watch-'))
  const { runtime } = openBench()
  onTestFinished(async () => {
    await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  const home = homeOf({ PAWL_HOME: join(root, 'home') }, root)
  mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  const folders = workspaces.map((name) => join(root, name))
  for (const folder of folders) mkdirSync(join(folder, '.codex'), { recursive: true })
  const files = [{ path: '.codex/hooks.json', sha256: '0' }]
  const installs = folders.map((workspace) => ({ workspace, host: 'codex', files, folders: [] }))
  writeInstalls(home, installs as unknown as readonly Install[])
  const sent: string[] = []
  const announce = async ({ title }: { readonly title: string }) => sent.push(title) > 0
  const alarms = openGuardAlarms({ announce, now: () => 0, log: () => undefined })
  const watch = openHookWatch({ home, runtime, alarms, log: () => undefined })
  onTestFinished(watch.close)
  return { watch, folders, sent, home }
}

test.each(['a folder', 'a pipe'])(
  'hooks that are %s are a problem of their folder, and others are looked at',
  async (what) => {
    const { watch, folders, sent } = openWatch('a', 'b')
    const [first = '', second = ''] = folders
    const hooks = join(first, '.codex', 'hooks.json')
    if (what === 'a folder') mkdirSync(hooks)
    else execFileSync('mkfifo', [hooks])
    await watch.look()
    expect(watch.brokenAt(first).join()).toContain('cannot be read')
    expect(watch.brokenAt(second).join()).toContain('no longer has')
    expect(sent).toHaveLength(2)
  },
)

test('what is wrong in one work tree is wrong in the others', async () => {
  const { watch, folders } = openWatch('a')
  const [main = ''] = folders
  const git = (...words: readonly string[]) => execFileSync('git', ['-C', main, ...words])
  git('init', '-q')
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'first')
  git('worktree', 'add', '-q', `${main}-tree`)
  await watch.look()
  expect(watch.brokenAt(`${main}-tree`).join()).toContain('no longer has')
})

test('a record of installs that is lost is told once, and the list of folders stays', async () => {
  const { watch, sent, home } = openWatch('a')
  rmSync(home.installs)
  await watch.look()
  await watch.look()
  expect(sent).toEqual([expect.stringContaining('is gone, but folders are guarded')])
  expect(existsSync(join(home.bin, 'guarded'))).toBe(true)
})

test('a client that is gone, replaced or not executable is told, and its return too', async () => {
  const { watch, folders, home } = openWatch('a')
  const [folder = ''] = folders
  const client = join(home.bin, 'pawl-hook')
  const real = '#!/bin/sh\nexit 2\n'
  writeFileSync(client, real, { mode: 0o700 })
  const stamp = { madeOf: '', sha256: hashOfText(real), kind: 'script', why: null }
  writeFileSync(join(home.bin, 'hook.stamp'), JSON.stringify(stamp), { mode: 0o600 })
  const told = async (): Promise<string> => {
    await watch.look()
    return watch.brokenAt(folder).join()
  }
  expect(await told()).not.toContain('the hook client')
  writeFileSync(client, '#!/bin/sh\nexit 0\n')
  expect(await told()).toContain('was replaced')
  expect(watch.known().join()).toContain('was replaced')
  writeFileSync(client, real)
  expect(await told()).not.toContain('the hook client')
  chmodSync(client, 0o600)
  expect(await told()).toContain('cannot be run')
  rmSync(client)
  expect(await told()).toContain('is gone')
})

test('a setting of another scope that switches hooks off is told', () => {
  const install = { host: 'claude', workspace: '/work' } as const
  const files = new Map([['/work/.claude/settings.json', '{"disableAllHooks": true}']])
  const read = (path: string) => files.get(path) ?? null
  expect(switchedOff(install, read)).toEqual(['`.claude/settings.json` has `disableAllHooks`'])
  expect(switchedOff({ ...install, host: 'codex' }, read)).toEqual([])
  const user = join(homedir(), '.claude/settings.json')
  expect(
    switchedOff(install, (path) => (path === user ? '{"disableAllHooks":true}' : null)),
  ).toEqual([`\`${user}\` has \`disableAllHooks\``])
})

test('a change is looked at as soon as it happens, without waiting for the next look', async () => {
  const { watch, folders, sent } = openWatch('a')
  const [folder = ''] = folders
  await watch.look()
  const before = sent.length
  mkdirSync(join(folder, '.codex', 'hooks.json'))
  await expect.poll(() => sent.length).toBeGreaterThan(before)
  expect(watch.brokenAt(folder).join()).toContain('cannot be read')
})
