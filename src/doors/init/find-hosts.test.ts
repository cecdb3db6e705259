import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findHosts } from './find-hosts.ts'
import { hostVersion } from './host-version.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-find-hosts-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A program under the root that a shell runs. */
function putProgram(path: string, body: string): string {
  const program = join(root, path)
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, `#!/bin/sh\n${body}\n`)
  chmodSync(program, 0o755)
  return program
}

/** A host as npm installs it: a package, and a link to its program on the PATH. */
function putPackage(name: string, version: string): void {
  const folder = join('node_modules', name)
  const program = putProgram(join(folder, 'bundle', 'start'), 'touch "$0.started"; exit 1')
  writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ name, version }))
  mkdirSync(join(root, 'bin'))
  symlinkSync(program, join(root, 'bin', 'gemini'))
}

test('the version of a host that npm installed is read, and the host is not started', async () => {
  putPackage('@google/gemini-cli', '0.61.0')
  const found = await findHosts(root, { PATH: join(root, 'bin') })
  expect(found.find(({ name }) => name === 'gemini')).toMatchObject({ version: '0.61.0' })
  expect(readdirSync(join(root, 'node_modules/@google/gemini-cli/bundle'))).toEqual(['start'])
})

test('a package of another name is not taken for the host', async () => {
  putPackage('somebody/wrapper', '9.9.9')
  const found = await findHosts(root, { PATH: join(root, 'bin') })
  expect(found.find(({ name }) => name === 'gemini')).toMatchObject({ version: null })
})

test('a version is found in whatever a program says; silence is no version', async () => {
  const said = putProgram('said', 'echo "WARNING: odd"; echo "2.1.325 (Claude Code)"')
  expect(await hostVersion(said, process.env)).toBe('2.1.325')
  expect(await hostVersion(putProgram('silent', 'exit 0'), process.env)).toBeNull()
  expect(await hostVersion(join(root, 'missing'), process.env)).toBeNull()
})
