/** Compiling the native programs: for the package, and for the tests on this machine only. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hookClientProgram, jobHelperProgram } from '../src/daemon/native-programs.ts'

const root = join(import.meta.dirname, '..')
const machine = `${process.platform}-${process.arch}`
const other = machine === 'linux-x64' ? 'linux-arm64' : 'linux-x64'
const sources = [hookClientProgram, jobHelperProgram]
  .flatMap((one) => [...one.sources, ...one.headers])
  .map((path) => path.slice(root.length + 1))
const parts = [
  ...['prebuild.mjs', 'checkout.mjs', 'ensure-program.mjs'].map((name) => join('scripts', name)),
  join('src', 'daemon', 'native-programs.ts'),
]

/** Makes what it is asked for, or does not; both are noted. */
const compilerScript = (log: string, isStatic: boolean): string => `#!/bin/sh
[ "$1" = --version ] && exit 0
case " $* " in *' -static '*) ${isStatic ? ':' : 'echo "cannot find -lc" >&2; exit 1'} ;; esac
while [ "$1" != -o ]; do shift; done
echo "$2" >> '${log}'
echo program > "$2"
`

/** A checkout as far as it is needed, on a machine with this compiler, or none. */
function openCheckout(libc: 'static' | 'dynamic' | 'none') {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-prebuild-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of [...parts, ...sources]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const [bin, log, installs] = ['bin', 'made', 'installs'].map((name) => join(folder, name))
  if (bin === undefined || log === undefined || installs === undefined) throw new Error('bug')
  mkdirSync(bin)
  const put = (name: string, text: string) => writeFileSync(join(bin, name), text, { mode: 0o755 })
  if (libc !== 'none') put('gcc', compilerScript(log, libc === 'static'))
  put('apt-get', `#!/bin/sh\necho "$*" >> '${installs}'\n`)
  const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const listPath = join(folder, 'prebuilt', 'hashes.json')
  return {
    installed: () => textOf(installs),
    made: () => textOf(log).split('\n').filter(Boolean).length,
    list: () => JSON.parse(textOf(listPath) || '{}'),
    keep: (list: object) => {
      mkdirSync(dirname(listPath), { recursive: true })
      writeFileSync(listPath, JSON.stringify(list))
    },
    run: (...args: readonly string[]) => {
      const words = [join(folder, 'scripts', 'prebuild.mjs'), ...args]
      const env = { PATH: bin }
      return spawnSync(process.execPath, words, { env, encoding: 'utf8' })
    },
  }
}

test('what this machine has is compiled once, and nothing is installed for others', () => {
  const { run, made, list, installed } = openCheckout('static')
  expect(run('--here')).toMatchObject({ status: 0 })
  expect(Object.keys(list())).toEqual([machine])
  expect(run('--here')).toMatchObject({ status: 0, stderr: '' })
  expect(made()).toBe(2)
  expect(installed()).toBe('')
})

test('programs for other machines stay as they are', () => {
  const { run, list, keep } = openCheckout('static')
  const kept = { 'pawl-hook': { sha256: 'a', madeOf: 'b' } }
  keep({ [other]: kept })
  expect(run('--here')).toMatchObject({ status: 0 })
  expect(list()).toMatchObject({ [other]: kept, [machine]: { 'pawl-job': {} } })
})

test.each([
  ['dynamic', /cannot find -lc/],
  ['none', /no C compiler/],
] as const)('with a C library that is %s, tests are run all the same', (libc, why) => {
  const { run, list, keep } = openCheckout(libc)
  keep({ [machine]: { 'pawl-hook': { sha256: 'a', madeOf: 'b' } } })
  const here = run('--here')
  expect(here).toMatchObject({ status: 0, stderr: expect.stringMatching(why) })
  expect(here.stderr).toContain('compiled for each data directory')
  expect(list()).toEqual({})
})

test('a package is not made with a compiler that makes no static programs', () => {
  expect(openCheckout('dynamic').run()).toMatchObject({ status: 2 })
})

test('without the compiler for another machine, this one is compiled once', () => {
  const { run, made, list } = openCheckout('static')
  expect(run()).toMatchObject({ status: 0, stderr: expect.stringContaining('without programs') })
  expect(run()).toMatchObject({ status: 0, stderr: expect.stringContaining('without programs') })
  expect(made()).toBe(2)
  expect(Object.keys(list())).toEqual([machine])
})
