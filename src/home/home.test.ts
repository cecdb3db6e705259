/** Where the data directory is, and that nobody else gets into it. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PawlError } from '../runtime/pawl-error.ts'
import { findHome, type HomeSettings, openHome } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'
import { ensureTokens, readToken } from './tokens.ts'

const settings: HomeSettings = {
  env: {},
  platform: 'linux',
  userFolder: () => '/home/ada',
  cwd: '/work',
  uid: 1000,
}
const isRoot = process.getuid?.() === 0

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function homeIn(folder: string) {
  return findHome({ ...settings, env: { PAWL_HOME: folder } })
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

function faultOf(act: () => unknown): PawlError {
  try {
    act()
  } catch (fault) {
    if (fault instanceof PawlError) return fault
    throw fault
  }
  throw new Error('there was no fault')
}

test('the data directory is PAWL_HOME, else by the XDG rules, else the place of the system', () => {
  const folderBy = (env: HomeSettings['env'], platform: NodeJS.Platform = 'linux') =>
    findHome({ ...settings, env, platform }).folder
  expect(folderBy({ PAWL_HOME: '/a', XDG_DATA_HOME: '/b' })).toBe('/a')
  expect(folderBy({ PAWL_HOME: 'data' })).toBe('/work/data')
  expect(folderBy({ PAWL_HOME: '', XDG_DATA_HOME: '/b' })).toBe('/b/pawl')
  expect(folderBy({ XDG_DATA_HOME: 'relative' })).toBe('/home/ada/.local/share/pawl')
  expect(folderBy({})).toBe('/home/ada/.local/share/pawl')
  expect(folderBy({}, 'darwin')).toBe('/home/ada/Library/Application Support/pawl')
})

test('a socket whose path would be too long for the system is kept elsewhere', () => {
  expect(homeIn('/short').socket).toBe('/short/daemon.sock')
  const long = homeIn(`/${'x'.repeat(100)}`)
  expect(long.socket).toMatch(/^\/tmp\/pawl-1000\/[0-9a-f]{16}\.sock$/)
  expect(homeIn(`/${'y'.repeat(100)}`).socket).not.toBe(long.socket)
})

test('the data directory is made for its owner only, and closed again when it stands open', () => {
  const home = homeIn(join(tempFolder(), 'a', 'b'))
  openHome(home)
  expect(modeOf(home.folder)).toBe(0o700)
  chmodSync(home.folder, 0o755)
  openHome(home)
  expect(modeOf(home.folder)).toBe(0o700)
})

test.runIf(isRoot)('a data directory of another user is refused, and left as it is', () => {
  const folder = join(tempFolder(), 'theirs')
  mkdirSync(folder, { mode: 0o755 })
  chownSync(folder, 12_345, 12_345)
  const fault = faultOf(() => openHome(homeIn(folder)))
  expect(fault.code).toBe('NOT_PERMITTED')
  expect(fault.message).toContain('12345')
  expect(fault.hint).toContain('PAWL_HOME')
  expect(modeOf(folder)).toBe(0o755)
})

test('a file in the place of the data directory is refused', () => {
  const path = join(tempFolder(), 'file')
  writeFileSync(path, '')
  expect(faultOf(() => openHome(homeIn(path))).code).toBe('FILE_UNWRITABLE')
})

test('a link in the place of the folder for sockets is refused, its target untouched', () => {
  const folder = tempFolder()
  const target = join(folder, 'target')
  mkdirSync(target, { mode: 0o755 })
  const socketFolder = join(folder, 'link')
  symlinkSync(target, socketFolder)
  const home = { ...homeIn(join(folder, 'data')), socketFolder }
  expect(faultOf(() => openHome(home)).code).toBe('FILE_UNWRITABLE')
  expect(modeOf(target)).toBe(0o755)
})

test('private files are closed when written and closed again when read', () => {
  const path = join(tempFolder(), 'secret')
  expect(readPrivate(path)).toBeNull()
  writePrivate(path, 'one')
  expect(modeOf(path)).toBe(0o600)
  chmodSync(path, 0o644)
  expect(readPrivate(path)).toBe('one')
  expect(modeOf(path)).toBe(0o600)
})

test.runIf(isRoot)('a private file that belongs to another user is not believed', () => {
  const path = join(tempFolder(), 'secret')
  writePrivate(path, 'forged')
  chownSync(path, 12_345, 12_345)
  expect(faultOf(() => readPrivate(path)).code).toBe('NOT_PERMITTED')
})

test('tokens are made once, differ, are closed, and an emptied one is made anew', () => {
  const home = homeIn(join(tempFolder(), 'data'))
  openHome(home)
  expect(faultOf(() => readToken(home, 'person')).code).toBe('TOKEN_INVALID')
  const first = ensureTokens(home)
  expect(first.agent).toMatch(/^[\w-]{43}$/)
  expect(first.agent).not.toBe(first.person)
  expect(modeOf(home.tokens.person)).toBe(0o600)
  expect(ensureTokens(home)).toEqual(first)
  expect(readToken(home, 'agent')).toBe(first.agent)
  writeFileSync(home.tokens.agent, '')
  const second = ensureTokens(home)
  expect(second.person).toBe(first.person)
  expect(second.agent).toMatch(/^[\w-]{43}$/)
  expect(second.agent).not.toBe(first.agent)
})
