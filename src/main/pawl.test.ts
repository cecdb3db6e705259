/** The program as it is started: a process of its own, with real inputs and outputs. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeProblem } from './node-version.ts'

const program = join(import.meta.dirname, 'pawl.ts')
// WHY: by hand, vitest may run on a Node that can't run the program; see vitest.config.ts.
const isOurs = nodeProblem(process.version) === null

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PAWL_DEBUG: _, ...rest } = process.env
  const ended = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { ...rest, ...env },
  })
  return { code: ended.status, out: ended.stdout, err: ended.stderr }
}

function folderWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-main-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'a.json')
  writeFileSync(path, text)
  return path
}

test.runIf(isOurs)('the program tells its version', () => {
  const { code, out, err } = start(['--version'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^\d+\.\d+\.\d+/)
})

test.runIf(isOurs)('the exit code and both outputs reach the outside, without colours', () => {
  const path = folderWith('{"name": "x", "initial": "gone", "states": {}}')
  const { code, out } = start(['check', path, '--quiet'])
  expect(code).toBe(1)
  expect(out).toContain('error')
  expect(out).not.toContain('\u001b')
  const fault = start(['check', `${path}.gone`])
  expect(fault.code).toBe(2)
  expect(fault.err).toMatch(/^pawl: there is no `.*`\n {2}→ .+\n$/)
})

test.runIf(isOurs)('an old Node is told before anything else is loaded', () => {
  const path = folderWith('x')
  const lie = `${path}.mjs`
  writeFileSync(lie, `Object.defineProperty(process, 'version', { value: 'v18.0.0' })`)
  const ended = spawnSync(process.execPath, ['--import', lie, program, '--help'], {
    encoding: 'utf8',
  })
  expect([ended.status, ended.stdout]).toEqual([2, ''])
  expect(ended.stderr).toContain('v18.0.0')
})

test.runIf(isOurs)('a bug is one line, and with PAWL_DEBUG=1 the way to it', () => {
  const path = folderWith('x')
  const lie = `${path}.mjs`
  writeFileSync(lie, `process.cwd = () => { throw new Error('the floor\\nis gone') }`)
  const options = { encoding: 'utf8' } as const
  const args = ['--import', lie, program, '--help']
  const quiet = spawnSync(process.execPath, args, options)
  expect(quiet.status).toBe(2)
  expect(quiet.stderr).toMatch(/^pawl: internal error: the floor is gone .+\n$/)
  const env = { ...process.env, PAWL_DEBUG: '1' }
  const loud = spawnSync(process.execPath, args, { ...options, env })
  expect(loud.stderr).toContain('    at ')
})

test.runIf(isOurs && process.platform === 'linux')('a folder that is gone is no bug', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-gone-'))
  const command = `cd "${folder}" && rmdir "${folder}" && "${process.execPath}" "${program}" status`
  const ended = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
  expect(ended.stderr).toContain('pawl: the current folder was removed; `cd` to another one\n')
  expect(ended.status).toBe(2)
})

test.runIf(isOurs && process.platform !== 'win32')('a reader that goes away is no fault', () => {
  const states = Array.from({ length: 3000 }, (_, i) => `"s${i}": {"on": {"GO": "gone${i}"}}`)
  const path = folderWith(`{"id": "x", "initial": "s0", "states": {${states.join(',')}}}`)
  const command = `"${process.execPath}" "${program}" check "${path}"`
  const line = `${command} | head -n 1; echo "\${PIPESTATUS[0]}"`
  const ended = spawnSync('bash', ['-c', line], { encoding: 'utf8' })
  expect(ended.stderr).toBe('')
  expect(ended.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('1')
})
