import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome, type Home, openHome } from '../home/home.ts'
import { openRunner } from '../runner/open-runner.ts'
import { scratchSettings } from '../runner/scratch.contract.ts'
import { installJobHelper } from './install-job-helper.ts'
import { jobHelperProgram } from './native-programs.ts'
import { putPrebuilt } from './prebuilt.contract.ts'

const prebuilt = '/no/such/folder'

function openScratchHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-helper-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const env = { PAWL_HOME: join(folder, 'home') }
  const home = findHome({ env, platform: 'linux', userFolder: () => folder, cwd: folder, uid: 0 })
  openHome(home)
  return home
}

test('without a compiler there is no helper, and what to do is said', async () => {
  await expect(installJobHelper(openScratchHome(), { cc: [], prebuilt })).rejects.toMatchObject({
    error: {
      error_type: 'SpawnFailed',
      description: expect.stringContaining('no C compiler was found'),
      recovery_actions: expect.arrayContaining([
        expect.objectContaining({ action: 'install_compiler' }),
      ]),
      context: { level: 'none' },
    },
  })
})

test('a machine without a compiler has no isolation, says why, and has some later', async () => {
  const home = openScratchHome()
  const compilers: string[] = []
  const runner = openRunner({
    ...scratchSettings(home.folder),
    helper: () => installJobHelper(home, { cc: compilers, prebuilt }),
  })
  onTestFinished(runner.close)
  const none = await runner.isolation()
  expect(none).toMatchObject({ level: 'none', filesystem: 'no jobs are started' })
  expect(none.notes.join()).toMatch(/no C compiler was found.*apt install gcc/)
  compilers.push('/usr/bin/cc')
  expect((await runner.isolation()).level).not.toBe('none')
})

test('the helper is compiled once, and again when somebody has changed it', async () => {
  const home = openScratchHome()
  const path = await installJobHelper(home, { prebuilt })
  const { mtimeMs, mode } = statSync(path)
  expect(mode & 0o777).toBe(0o700)
  await installJobHelper(home, { prebuilt })
  expect(statSync(path).mtimeMs).toBe(mtimeMs)
  writeFileSync(path, '#!/bin/sh\nexit 0\n')
  await installJobHelper(home, { prebuilt })
  expect(statSync(path).size).toBeGreaterThan(10_000)
})

test('a prebuilt helper is used without a compiler, if it is the one that was packed', async () => {
  const home = openScratchHome()
  const content = '#!/bin/sh\necho "pawl-job 1 stand-in"\n'
  const folder = putPrebuilt(home, jobHelperProgram, { content })
  const path = await installJobHelper(home, { cc: [], prebuilt: folder })
  expect(statSync(path)).toMatchObject({ size: content.length })
  putPrebuilt(home, jobHelperProgram, { content: `${content}#`, sha256: '0'.repeat(64) })
  await expect(installJobHelper(home, { cc: [], prebuilt: folder })).rejects.toMatchObject({
    error: { description: expect.stringContaining('is not the file that was packed') },
  })
})
