/** Which word calls a Pawl, by where it is and what is on the PATH. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCommand } from './find-pawl-command.ts'

function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-command-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

function put(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

function link(target: string, path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
  return dirname(path)
}

test('installed by npm and linked from the PATH, it is `pawl`', () => {
  const root = scratchFolder()
  const PATH = link(put(join(root, 'pawl-package', 'bin', 'pawl.mjs')), join(root, 'b', 'pawl'))
  const program = join(root, 'pawl-package', 'dist', 'main', 'pawl.js')
  expect(findCommand({ program, env: { PATH } })).toEqual({ text: 'pawl', remark: null })
})

test('called by npx, whose folder will be gone, it is `npx pawl`', () => {
  const root = scratchFolder()
  const modules = join(root, '_npx', 'abc', 'node_modules')
  const PATH = link(put(join(modules, 'pawl', 'bin', 'pawl.mjs')), join(modules, '.bin', 'pawl'))
  const program = join(modules, 'pawl', 'dist', 'main', 'pawl.js')
  expect(findCommand({ program, env: { PATH } })).toMatchObject({ text: 'npx pawl' })
})

test('in a checkout it is the whole path, and how to shorten it is said', () => {
  const root = scratchFolder()
  const script = put(join(root, 'checkout', 'pawl'))
  const program = join(root, 'checkout', 'dist', 'main', 'pawl.js')
  const other = dirname(put(join(root, 'other', 'pawl')))
  expect(findCommand({ program, env: { PATH: other } })).toEqual({
    text: script,
    remark: `to type \`pawl\` instead, put it on your PATH: \`ln -s ${script} ~/.local/bin/pawl\``,
  })
  const PATH = link(script, join(root, 'home', 'bin', 'pawl'))
  expect(findCommand({ program, env: { PATH } })).toEqual({ text: 'pawl', remark: null })
})
