import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PawlError } from '../../runtime/pawl-error.ts'
import { readWorkspaceFile, removeFolders, secretMode, writeWorkspaceFiles } from './write-files.ts'

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-files-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const plain = { before: null, mode: null } as const

test('files and their folders are made, and the folders can go again', () => {
  const folder = newFolder()
  const { folders } = writeWorkspaceFiles(folder, [
    { ...plain, path: 'a/b/c.json', after: 'c' },
    { ...plain, path: 'a/secret', after: 's', mode: secretMode },
  ])
  expect(folders).toEqual(['a', 'a/b'])
  expect(statSync(join(folder, 'a/secret')).mode & 0o777).toBe(0o600)
  writeWorkspaceFiles(folder, [{ ...plain, path: 'a/b/c.json', before: 'c', after: null }])
  removeFolders(folder, folders)
  expect(readdirSync(join(folder, 'a'))).toEqual(['secret'])
})

test('a file keeps its permissions, unless it has to be secret', () => {
  const folder = newFolder()
  for (const name of ['x', 'y']) {
    writeFileSync(join(folder, name), name)
    chmodSync(join(folder, name), 0o640)
  }
  const { modes } = writeWorkspaceFiles(folder, [
    { path: 'x', before: 'x', after: 'X', mode: null },
    { path: 'y', before: 'y', after: 'Y', mode: secretMode },
  ])
  expect(statSync(join(folder, 'x')).mode & 0o777).toBe(0o640)
  expect(statSync(join(folder, 'y')).mode & 0o777).toBe(0o600)
  expect([...modes]).toEqual([['y', 0o640]])
})

test.each([
  ['a folder is in its way', (folder: string) => mkdirSync(join(folder, 'last'))],
  [
    'a link leads out of the workspace',
    (folder: string) => symlinkSync('/etc/x', join(folder, 'last')),
  ],
  ['it has changed', (folder: string) => writeFileSync(join(folder, 'last'), 'other')],
])('when one file can not be written because %s, none is', (_, spoil) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'first'), 'before')
  spoil(folder)
  const changes = [
    { path: 'first', before: 'before', after: 'after', mode: null },
    { ...plain, path: 'new/file', after: 'after' },
    { ...plain, path: 'last', after: 'after' },
  ]
  expect(() => writeWorkspaceFiles(folder, changes)).toThrow(PawlError)
  expect(readFileSync(join(folder, 'first'), 'utf8')).toBe('before')
  expect(readdirSync(folder).sort()).toEqual(['first', 'last'])
})

test('what was written already is put back when the system fails half-way', () => {
  const folder = newFolder()
  for (const name of ['first', 'twice']) writeFileSync(join(folder, name), 'before')
  // It can not be removed a second time, which shows only when it is tried.
  const twice = { path: 'twice', before: 'before', after: null, mode: null }
  const changes = [
    { path: 'first', before: 'before', after: 'after', mode: null },
    { ...plain, path: 'new/file', after: 'after' },
    ...[twice, twice],
  ]
  expect(() => writeWorkspaceFiles(folder, changes)).toThrow(PawlError)
  expect(readdirSync(folder).sort()).toEqual(['first', 'twice'])
  for (const name of ['first', 'twice']) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe('before')
  }
})

test('a file where a folder should be is a fault, and nothing else is written', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  const changes = [
    { ...plain, path: 'new/file', after: 'after' },
    { ...plain, path: 'file/below', after: 'after' },
  ]
  expect(() => writeWorkspaceFiles(folder, changes)).toThrow(PawlError)
  expect(existsSync(join(folder, 'new'))).toBe(false)
})

test('what is no text is not read as one', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'x'), Buffer.from([0x7b, 0xff, 0x7d]))
  expect(() => readWorkspaceFile(folder, 'x')).toThrow('cannot read `x`')
  writeFileSync(join(folder, 'y'), '\uFEFF{}')
  expect(readWorkspaceFile(folder, 'y')).toBe('\uFEFF{}')
  symlinkSync('nowhere', join(folder, 'z'))
  expect(() => readWorkspaceFile(folder, 'z')).toThrow('broken symlink')
  expect(readWorkspaceFile(folder, 'not/there')).toBeNull()
})
