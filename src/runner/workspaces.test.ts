/** Which workspaces a job may have, and what of a workspace it cannot get behind. */
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findPlace } from './find-workspace.ts'
import { compileHelper, openScratch, type Scratch } from './scratch.contract.ts'

const opened: Scratch[] = []
afterAll(async () => {
  for (const one of opened) await one.remove()
})

function open(more: Parameters<typeof openScratch>[0] = {}): Scratch {
  const scratch = openScratch(more)
  opened.push(scratch)
  return scratch
}

const outOfScope = { error: { error_type: 'PathOutOfScope' } }

test.for(['/', '/proc', '/sys', '/dev', '/etc', '/etc/ssl', '/usr', '/usr/lib', '/var', '/bin'])(
  'the folder %s of the system is no workspace',
  (workspace) => {
    const find = () => findPlace({ workspace, folder: undefined, own: [] })
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
