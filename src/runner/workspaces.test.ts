/** Which workspaces a job may have, and what of a workspace it cannot get behind. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findJobPlace } from './job-workspace.ts'
import { waitForEnd } from './running-job.ts'
import { compileHelper, supervisorOf } from './scratch.contract.ts'
import { openScratches } from './scratches.contract.ts'

const open = openScratches()

const outOfScope = { error: { error_type: 'PathOutOfScope' } }

test.for(['/', '/proc', '/sys', '/dev', '/etc', '/etc/ssl', '/usr', '/usr/lib', '/var', '/bin'])(
  'the folder %s of the system is no workspace',
  (workspace) => {
    const find = () => findJobPlace({ workspace, folder: undefined, own: [] })
    expect(find).toThrow(/system folder/)
  },
)

test('a link to the root is no workspace either, and nothing is started there', async () => {
  const { folder, run, runner } = open()
  const link = join(folder, 'link')
  symlinkSync('/', link)
  await expect(run({ command: 'true' }, { workspace: link })).rejects.toMatchObject(outOfScope)
  expect(runner.all()).toEqual([])
})

test('a workspace neither contains the data directory nor lies in it', async () => {
  const { folder, run } = open()
  const inside = join(folder, 'home', 'inside')
  mkdirSync(inside)
  for (const workspace of [folder, join(folder, 'home'), inside]) {
    await expect(run({ command: 'true' }, { workspace })).rejects.toMatchObject(outOfScope)
  }
})

test('the helper itself refuses the root as a workspace', async () => {
  const words = ['inner', 'box=1', 'tmp=65536', 'workspace=/', '--', '/bin/true']
  const pipe = 'pipe' as const
  const helper = spawn(compileHelper(), words, { stdio: ['ignore', pipe, pipe, pipe, pipe] })
  let said = ''
  helper.stderr?.on('data', (part) => {
    said += String(part)
  })
  const code = await new Promise((resolve) => helper.once('close', resolve))
  expect([code, said]).not.toEqual([0, ''])
  expect(said).toMatch(/workspace/)
})

test.for(['spaces', 'bubblewrap'] as const)(
  'a folder around a secret or a guide is not renamed by a job held by %s',
  async (kind, { skip }) => {
    const leaveOut = kind === 'spaces' ? [] : (['spaces'] as const)
    const scratch = open({ leaveOut })
    const user = join(scratch.folder, 'user')
    mkdirSync(join(user, '.config', 'gh'), { recursive: true })
    mkdirSync(join(user, '.git', 'hooks'), { recursive: true })
    writeFileSync(join(user, '.config', 'gh', 'hosts.yml'), 'PRIVATE')
    writeFileSync(join(user, '.config', 'other'), 'old')
    writeFileSync(join(user, '.git', 'config'), '[core]\n')
    const { isolation } = await scratch.run({ command: 'true' })
    if (!isolation.filesystem.includes(kind === 'spaces' ? 'namespace' : kind)) {
      return skip(`${kind} is not to be had: ${isolation.filesystem}`)
    }
    const here = { workspace: user }
    await scratch.run({ command: 'mv .config moved; mv .git gone; echo new > .config/other' }, here)
    expect(existsSync(join(user, 'moved')) || existsSync(join(user, 'gone'))).toBe(false)
    expect(readFileSync(join(user, '.config', 'other'), 'utf8')).toBe('new\n')
    await scratch.run({ command: 'echo "fsmonitor = ./evil" >> .git/config; touch .git/new' }, here)
    expect(readFileSync(join(user, '.git', 'config'), 'utf8')).toBe('[core]\n')
    expect(existsSync(join(user, '.git', 'new'))).toBe(true)
    const spy = await scratch.run({ command: 'cat */gh/hosts.yml .*/gh/hosts.yml' }, here)
    expect(spy.stdout_summary).not.toContain('PRIVATE')
  },
)

test('where nothing can be covered, a workspace that holds a secret is refused', async () => {
  const scratch = open({ strongest: 'restricted' })
  const user = join(scratch.folder, 'user')
  mkdirSync(join(user, '.ssh'), { recursive: true })
  if ((await scratch.runner.isolation()).level !== 'restricted') return
  const work = scratch.run({ command: 'cat .ssh/id_rsa' }, { workspace: user })
  await expect(work).rejects.toMatchObject(outOfScope)
})

test('a daemon outlives a job whose folder and supervisor are gone', async () => {
  const scratch = open({ strongest: 'contained' })
  const sleep = `sleep 5.${process.pid}`
  const job = await scratch.start({ command: sleep, background: true })
  const supervisor = supervisorOf(sleep)
  rmSync(job.folder, { recursive: true })
  // An exception that nobody catches would fail this test.
  process.kill(supervisor, 'SIGKILL')
  await waitForEnd(job, 5_000)
  expect(scratch.runner.result(job)).toMatchObject({ state: 'killed', exit_code: null })
})

test('a workspace in a hidden folder is refused, and links in a circle harm nothing', async () => {
  const scratch = open()
  const inside = join(scratch.folder, 'user', '.ssh', 'work')
  mkdirSync(inside, { recursive: true })
  const work = scratch.run({ command: 'true' }, { workspace: inside })
  await expect(work).rejects.toMatchObject(outOfScope)
  symlinkSync('.claude', join(scratch.workspace, '.claude'))
  expect(await scratch.run({ command: 'true' })).toMatchObject({ state: 'completed' })
})
