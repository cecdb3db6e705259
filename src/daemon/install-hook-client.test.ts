/** Installing the client of hooks, and the whole way from a host's shell to a daemon's answer. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome, type Home, openHome } from '../home/home.ts'
import { installHookClient } from './install-hook-client.ts'
import { hookClientProgram } from './native-programs.ts'
import { putPrebuilt } from './prebuilt.contract.ts'

const compiler = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang'].find(existsSync)
const means = { node: process.execPath, program: '/prog/pawl.js', prebuilt: '/no/such/folder' }

function homeIn(name = 'home'): Home {
  const root = mkdtempSync(join(tmpdir(), 'pawl-install-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const env = { PAWL_HOME: join(root, name) }
  const { platform } = process
  const uid = process.getuid?.() ?? 0
  const home = findHome({ env, platform, userFolder: () => root, cwd: root, uid })
  openHome(home)
  return home
}

function putProgram(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  return path
}

test.runIf(compiler !== undefined)('a compiled client is put beside its settings', async () => {
  const home = homeIn()
  const { path, kind, why } = await installHookClient(home, means)
  expect([path, why]).toEqual([join(home.bin, 'pawl-hook'), null])
  expect(kind).toMatch(/^(static|dynamic)$/)
  expect(statSync(home.bin).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(readFileSync(path).subarray(0, 2).toString()).not.toBe('#!')
  const conf = readFileSync(join(home.bin, 'hook.conf'), 'utf8')
  expect(conf.split('\n')).toEqual([
    `socket ${home.hookSocket}`,
    `secrets ${home.hookSecrets}`,
    `node ${process.execPath}`,
    'program /prog/pawl.js',
    `home ${home.folder}`,
    '',
  ])
  expect(readdirSync(home.bin).toSorted()).toEqual([
    ...['hook.conf', 'hook.secrets', 'hook.stamp', 'pawl-hook'],
  ])
  const { status, stderr } = spawnSync(path, [], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('pawl-hook HOST')])
})

test.runIf(compiler !== undefined)('what has not changed is not made again', async () => {
  const home = homeIn()
  const first = await installHookClient(home, means)
  const before = statSync(first.path)
  expect(await installHookClient(home, means)).toEqual(first)
  expect(statSync(first.path).ino).toBe(before.ino)
})

test.runIf(compiler !== undefined)('what somebody changed is made again', async () => {
  const home = homeIn()
  const { path, kind } = await installHookClient(home, means)
  const before = readFileSync(path)
  const changes = [
    () => writeFileSync(path, '#!/bin/sh\nexit 0\n'),
    () => rmSync(path),
    () => writeFileSync(join(home.bin, 'hook.stamp'), '{'),
    () => rmSync(join(home.bin, 'hook.stamp')),
  ]
  for (const change of changes) {
    change()
    expect(await installHookClient(home, means)).toMatchObject({ kind })
    expect(readFileSync(path).equals(before)).toBe(true)
  }
  writeFileSync(join(home.bin, 'hook.conf'), 'socket /tmp/mine\n')
  await installHookClient(home, means)
  expect(readFileSync(join(home.bin, 'hook.conf'), 'utf8')).toContain(home.hookSocket)
})

test('without a compiler that works, the client is a script, and why is told', async () => {
  const home = homeIn()
  const none = await installHookClient(home, { ...means, cc: [] })
  expect(none).toMatchObject({ kind: 'script', why: 'no C compiler was found' })
  expect(statSync(none.path).mode & 0o777).toBe(0o700)
  const broken = putProgram(join(home.folder, 'cc'), 'echo "no  headers\nhere" >&2; exit 1')
  expect(await installHookClient(home, { ...means, cc: [broken] })).toMatchObject({
    kind: 'script',
    why: `\`${broken}\` ended with 1: no headers here`,
  })
  const lie = 'while [ "$1" != -o ]; do shift; done; cp /bin/true "$2"'
  const lying = putProgram(join(home.folder, 'gcc'), lie)
  expect(await installHookClient(home, { ...means, cc: [lying] })).toMatchObject({
    kind: 'script',
    why: expect.stringContaining('does not run'),
  })
  expect(readdirSync(home.bin).toSorted()).toEqual([
    ...['hook.conf', 'hook.secrets', 'hook.stamp', 'pawl-hook'],
  ])
})

test.runIf(compiler !== undefined)('a compiler that comes later is used', async () => {
  const home = homeIn()
  expect(await installHookClient(home, { ...means, cc: [] })).toMatchObject({ kind: 'script' })
  const { kind } = await installHookClient(home, { ...means, cc: [compiler ?? ''] })
  expect(kind).not.toBe('script')
})

test.runIf(compiler !== undefined)(
  'where nothing static can be made, libraries are used',
  async () => {
    const home = homeIn()
    const script = `for one; do [ "$one" = -static ] && exit 1; done; exec ${compiler} "$@"`
    const cc = [putProgram(join(home.folder, 'cc'), script)]
    expect(await installHookClient(home, { ...means, cc })).toMatchObject({ kind: 'dynamic' })
  },
)

test('the script starts Node in the data directory, whatever their names', async () => {
  const home = homeIn("it's a $HOME `x`")
  const node = putProgram(join(home.folder, 'no de'), 'env; printf "%s|" "$@"; cat')
  const { path } = await installHookClient(home, { ...means, node, program: "/a 'b'/p.js", cc: [] })
  const { status, stdout } = spawnSync(path, ['claude', '/w x'], {
    encoding: 'utf8',
    input: '{}',
    env: { PATH: '/usr/bin:/bin', NODE_OPTIONS: '--x', LD_LIBRARY_PATH: '/x', PAWL_RUN: 'r' },
  })
  expect(status).toBe(0)
  expect(stdout).toContain(`PAWL_HOME=${home.folder}\n`)
  expect(stdout).toContain('PAWL_RUN=r\n')
  expect(stdout).not.toMatch(/NODE_OPTIONS|LD_LIBRARY_PATH/)
  expect(stdout.endsWith("/a 'b'/p.js|hook|claude|/w x|{}")).toBe(true)
})

test('a folder of somebody else, or one that others may enter, is closed or refused', async () => {
  const home = homeIn()
  await installHookClient(home, { ...means, cc: [] })
  chmodSync(home.bin, 0o755)
  await installHookClient(home, { ...means, cc: [] })
  expect(statSync(home.bin).mode & 0o777).toBe(0o700)
  const wrong = { ...means, program: '/a\nb' }
  await expect(installHookClient(home, wrong)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

/** Does what the client does without arguments, so that it passes for one. */
const standIn = '#!/bin/sh\necho "Pawl: blocked: stand-in" >&2\nexit 2\n'

test('a prebuilt client is used before any compiler', async () => {
  const home = homeIn()
  const prebuilt = putPrebuilt(home, hookClientProgram, { content: standIn })
  const { path, kind, why } = await installHookClient(home, { ...means, prebuilt })
  expect([kind, why]).toEqual(['prebuilt', null])
  expect(readFileSync(path, 'utf8')).toBe(standIn)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  const { ino } = statSync(path)
  await installHookClient(home, { ...means, prebuilt })
  expect(statSync(path).ino).toBe(ino)
})

test.each([
  ['was changed after it was packed', { content: standIn, sha256: '0'.repeat(64) }, 'not the file'],
  ['does not run here', { content: '#!/bin/sh\nexit 126\n' }, 'the program does not run: 126'],
  ['is missing', { content: null }, 'is missing from the package'],
])('a prebuilt client that %s is not used, and why is told', async (_, put, why) => {
  const home = homeIn()
  const prebuilt = putPrebuilt(home, hookClientProgram, put)
  expect(await installHookClient(home, { ...means, prebuilt, cc: [] })).toMatchObject({
    kind: 'script',
    why: expect.stringContaining(why),
  })
})

test('a prebuilt client of other sources is not used', async () => {
  const home = homeIn()
  const put = { content: standIn, madeOf: 'other sources' }
  const prebuilt = putPrebuilt(home, hookClientProgram, put)
  const made = await installHookClient(home, { ...means, prebuilt, cc: [] })
  expect(made).toMatchObject({ kind: 'script', why: 'no C compiler was found' })
})
