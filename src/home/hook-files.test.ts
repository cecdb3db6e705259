import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Install } from '../doors/init/install.ts'
import { homeOf } from './home.ts'
import { openHookFiles } from './hook-files.ts'
import { writeInstalls } from './installs.ts'

test('hooks of a user are known wherever a variable has put them, as soon as they are', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hooks-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const home = homeOf({ PAWL_HOME: join(root, 'home') }, root)
  mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  const hookFiles = openHookFiles(home)
  expect(hookFiles()).toEqual([])
  mkdirSync(join(root, 'real'))
  symlinkSync('real', join(root, 'link'))
  writeFileSync(join(root, 'real/config.toml'), '')
  const installAt = (path: string, scope: object) =>
    ({
      workspace: root,
      host: 'kimi',
      files: [{ path }],
      folders: [],
      ...scope,
    }) as unknown as Install
  const user = { scope: 'user' }
  writeInstalls(home, [
    installAt(join(root, 'link/config.toml'), user),
    installAt('gone/config.toml', user),
    installAt('.kimi-code/config.toml', user),
    installAt('.kimi-code/mcp.json', {}),
  ])
  const found = ['link', 'real', 'gone'].map((name) => join(root, name, 'config.toml'))
  expect(hookFiles()).toEqual(found)
  writeFileSync(home.installs, 'damaged')
  expect(hookFiles()).toEqual(found)
})
