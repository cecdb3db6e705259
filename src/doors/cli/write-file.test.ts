import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeFile } from './write-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-write-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file is written, with the folder it stands in, and replaced whole', () => {
  const path = join(folder, 'new', 'a.txt')
  writeFile(path, 'a.txt', 'one')
  writeFile(path, 'a.txt', 'two')
  expect(readFileSync(path, 'utf8')).toBe('two')
})

test('a link stays a link, and what it leads to is written', () => {
  const target = join(folder, 'target.txt')
  const link = join(folder, 'link.txt')
  writeFileSync(target, 'old')
  symlinkSync(target, link)
  writeFile(link, 'link.txt', 'new')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('new')
})

test.runIf(process.platform === 'linux')('a device stays a device, and a full disk is told', () => {
  // A link of our own: the test must never be able to harm the device itself.
  const link = join(folder, 'full')
  symlinkSync('/dev/full', link)
  expect(() => writeFile(link, 'full', 'x')).toThrow(/cannot write `full`/)
  expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
})
