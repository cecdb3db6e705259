import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PawlError } from '../pawl-error.ts'
import { fileBytesMax, formatOf, readDefinition, readText } from './read-definition.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-read-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function faultOf(action: () => unknown): PawlError {
  try {
    action()
  } catch (fault) {
    if (fault instanceof PawlError) return fault
    throw fault
  }
  throw new Error('there was no fault')
}

test('the format follows the name, else the text', () => {
  expect(['a.json', 'a.JSONC', 'a.yaml', 'a.yml'].map(formatOf)).toEqual([
    'json',
    'json',
    'yaml',
    'yaml',
  ])
  expect(['a', 'a.txt', '.json', 'json'].map(formatOf)).toEqual(Array(4).fill(undefined))
  const folder = newFolder()
  writeFileSync(join(folder, 'a.yaml'), '{a: 1}')
  writeFileSync(join(folder, 'a.json'), '{a: 1}')
  writeFileSync(join(folder, 'a'), '{"a": 1} // a remark')
  expect(readDefinition(join(folder, 'a.yaml')).root?.kind).toBe('object')
  expect(readDefinition(join(folder, 'a.json')).root).toBeNull()
  expect(readDefinition(join(folder, 'a')).root?.kind).toBe('object')
})

test('the path in the result is the one that is shown', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a.json'), '{}')
  expect(readDefinition(join(folder, 'a.json'), 'my/a.json').path).toBe('my/a.json')
})

test('what is not there, a folder, or behind a file is unreadable', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a.json'), '{}')
  symlinkSync('self', join(folder, 'self'))
  for (const name of ['gone.json', 'a.json/b', '', 'self', 'x'.repeat(5000), 'nul\0']) {
    const fault = faultOf(() => readText(name === '' ? folder : `${folder}/${name}`, 'shown'))
    expect(fault.code, name.slice(0, 20)).toBe('FILE_UNREADABLE')
    expect(fault.message).toContain('shown')
    expect(fault.hint).not.toBe('')
  }
})

test.skipIf(process.platform === 'win32')('a pipe is refused without waiting for it', () => {
  const path = join(newFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  expect(faultOf(() => readText(path)).message).toContain('not a regular file')
})

test('a file beyond the limit is refused, one at the limit is read', () => {
  const path = join(newFolder(), 'a.json')
  writeFileSync(path, ' '.repeat(fileBytesMax))
  expect(readText(path)).toHaveLength(fileBytesMax)
  truncateSync(path, fileBytesMax + 1)
  expect(faultOf(() => readText(path)).message).toContain(`${fileBytesMax + 1} bytes`)
})

test('only UTF-8 is read, and a mark at its beginning is dropped', () => {
  const path = join(newFolder(), 'a.json')
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xff, 0xfe, 0x7b, 0], [0xc0, 0x80]]) {
    writeFileSync(path, new Uint8Array(bytes))
    expect(faultOf(() => readText(path)).message).toContain('not UTF-8')
  }
  writeFileSync(path, '\uFEFFä€😀')
  expect(readText(path)).toBe('ä€😀')
})
