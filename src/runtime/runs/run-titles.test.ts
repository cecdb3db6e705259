/** What runs are called. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { asAgent, asPerson, openBench, startRelease } from '../runtime.contract.ts'
import { openRunTitles, titleOfPrompt } from './run-titles.ts'

const session = 'claude:one'

function open() {
  const titles = openRunTitles({ store: openMemoryStore(), clock: { now: () => 1 } })
  const titleOf = async (runId: string) => (await titles.of([runId])).get(runId)?.title ?? null
  const hostOf = async (runId: string) => (await titles.of([runId])).get(runId)?.host ?? null
  return { ...titles, titleOf, hostOf }
}

function repository(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-title-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text.replaceAll('$FOLDER', folder))
  }
  return folder
}

const onBranch = { '.git/HEAD': 'ref: refs/heads/fix/login\n' }

test.each([
  ['Fix the login\nand then more', 'Fix the login'],
  ['\n\n  Fix   the\tlogin  ', 'Fix the login'],
  ['a\u001b[31mred\u0007\u202e \u009b2J', 'a [31mred 2J'],
  ['"Fix the login."', 'Fix the login.'],
  ['"a" and "b"', '"a" and "b"'],
  ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ['\u001b\n\u0000', ''],
])('the title of the prompt %j is %j', (prompt, title) => {
  expect(titleOfPrompt(prompt)).toBe(title)
})

test('a given title is not replaced by a prompt', async () => {
  const { begin, hear, titleOf } = open()
  await begin('r1', { title: 'Login bug', workspace: repository(onBranch) })
  await hear({ session, text: 'go on', runId: 'r1' })
  expect(await titleOf('r1')).toBe('Login bug')
})

test('the branch is the title until the first prompt, which stays', async () => {
  const { begin, hear, titleOf } = open()
  await begin('r1', { workspace: repository(onBranch) })
  expect(await titleOf('r1')).toBe('fix/login')
  await hear({ session, text: 'Fix the login', runId: 'r1' })
  await hear({ session, text: 'thanks', runId: 'r1' })
  expect(await titleOf('r1')).toBe('Fix the login')
})

test('a run that a session begins has the prompt before it', async () => {
  const { begin, hear, titleOf } = open()
  await hear({ session, text: 'Fix the login', runId: null })
  await begin('r1', { session, workspace: null })
  await begin('r2', { session: 'claude:two', workspace: null })
  expect([await titleOf('r1'), await titleOf('r2')]).toEqual(['Fix the login', null])
})

const worktree = {
  '.git/HEAD': 'x',
  'w/.git': 'gitdir: $FOLDER/g\n',
  'g/HEAD': 'ref: refs/heads/fix/login\n',
}

test.each([
  { place: 'a folder inside of it', files: { ...onBranch, 'a/b/c': '' }, below: 'a/b' },
  { place: 'a worktree', files: worktree, below: 'w' },
])('the branch is found in $place', async ({ files, below }) => {
  const { begin, titleOf } = open()
  await begin('r1', { workspace: join(repository(files), below) })
  expect(await titleOf('r1')).toBe('fix/login')
})

test.each([`${'0'.repeat(40)}\n`, 'secret\nref: refs/heads/a\n', 'ref: refs/tags/a\n', ''])(
  'the head %j is no branch',
  async (head) => {
    const { begin, titleOf } = open()
    await begin('r1', { workspace: repository({ '.git/HEAD': head }) })
    expect(await titleOf('r1')).toBe(null)
  },
)

test('a link in a repository brings nothing of another file into a title', async () => {
  const folder = repository({ 'secret.key': 'sk-12345', '.git/config': '' })
  symlinkSync(join(folder, 'secret.key'), join(folder, '.git', 'HEAD'))
  const { begin, titleOf } = open()
  await begin('r1', { workspace: folder })
  expect(await titleOf('r1')).toBe(null)
})

test('the runtime gives a run its title when it starts', async () => {
  const { runtime } = openBench()
  const first = await startRelease(runtime)
  const wish = { definition: 'release', task: null, stage: null, vars: {}, workspace: null }
  const second = await runtime.start({ ...wish, title: 'Ship 1.2' }, asPerson)
  await runtime.titles.hear({ session, text: 'Ship it', runId: first })
  await runtime.send(first, { kind: 'cancel', reason: '' }, asAgent)
  const titles = await runtime.titles.of([first, second.runId, 'unknown'])
  expect([...titles.values()].map(({ title }) => title).toSorted()).toEqual(['Ship 1.2', 'Ship it'])
})

test.each([
  ['the session that began it', { session }, 'claude'],
  ['a session without a host', { session: 'one' }, null],
  ['nobody', {}, null],
])('the host of a run is that of its session: %s', async (_, begun, host) => {
  const { begin, hostOf } = open()
  await begin('r1', { ...begun, workspace: null })
  expect(await hostOf('r1')).toBe(host)
})

test('a session that works on a run later gives it a host, and leaves its title', async () => {
  const { begin, hear, hostOf, titleOf } = open()
  await begin('r1', { title: 'Fix the login', workspace: null })
  await hear({ session, text: 'go on', runId: 'r1' })
  expect([await hostOf('r1'), await titleOf('r1')]).toEqual(['claude', 'Fix the login'])
})
