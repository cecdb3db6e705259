/**
 * Blocked variables are gone from what really runs: the rewritten input is run by a real bash with
 * the variable in its environment, and so are its children.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { guardedRun } from './guarded-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-variables-'))
afterAll(() => rmSync(folder, { recursive: true }))
// What the text itself does not show: files that read the environment when they run.
const files = {
  'show.sh': 'test -v SECRET || echo "sh:gone"\nprintenv SECRET || echo "child:gone"\n',
  'show.mjs': 'console.log("node:" + (process.env.SECRET ?? "gone"))\n',
  'profile.sh': 'readonly SECRET\n',
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)

const stage = { blocked_env: ['SECRET'], env_overrides: { MODE: 'safe' } }
const ask = guardedRun(stage)

function run(words: readonly string[], extra: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, SECRET: 's3cret', ...extra }
  const { stdout, stderr, status } = spawnSync(words[0] ?? '', words.slice(1), {
    cwd: folder,
    env,
    encoding: 'utf8',
    // WHY: with a socket as its input bash takes itself for a remote shell and skips BASH_ENV.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { out: stdout, err: stderr, status }
}

function runAllowed(command: string, ...options: readonly string[]) {
  const { verdict, input } = ask('Bash', { command })
  expect(verdict).toBe('allow')
  return run(['bash', ...options, '-c', String(input?.command)])
}

test('without the guard the variable is there', () => {
  expect(run(['bash', 'show.sh']).out).toBe('s3cret\n')
})

test.each([
  ['bash show.sh', 'sh:gone\nchild:gone\n'],
  [`${process.execPath} show.mjs`, 'node:gone\n'],
  ['# a remark first\nbash show.sh', 'sh:gone\nchild:gone\n'],
  ['\n\nbash show.sh &&\n  echo done', 'sh:gone\nchild:gone\ndone\n'],
  ['set -euo pipefail; bash show.sh', 'sh:gone\nchild:gone\n'],
  ['cat <<E | cat\na\nE\nbash show.sh', 'a\nsh:gone\nchild:gone\n'],
  ['for i in 1; do (bash show.sh); done', 'sh:gone\nchild:gone\n'],
  ['echo "$MODE"; bash -c "bash show.sh"', 'safe\nsh:gone\nchild:gone\n'],
])('it is gone from %j and its children', (command, out) => {
  expect(runAllowed(command)).toMatchObject({ out, status: 0 })
  expect(runAllowed(command, '-eu')).toMatchObject({ out, status: 0 })
})

test('it is gone where a host passes words, also behind a profile that sets it', () => {
  writeFileSync(join(folder, '.bash_profile'), 'export SECRET=again\n')
  const { input } = ask('Bash', { command: ['bash', '-lc', 'bash show.sh'] })
  const { out } = run(input?.command as readonly string[])
  expect(out).toBe('sh:gone\nchild:gone\n')
})

test('nothing runs where it cannot be removed', () => {
  const { input } = ask('Bash', { command: 'bash show.sh' })
  const script = String(input?.command)
  const { out, err, status } = run(['bash', '-c', script], { BASH_ENV: join(folder, 'profile.sh') })
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(err).toContain('SECRET')
})

test('a form without a text to change is denied, as it is for what is set', () => {
  for (const rule of [{ blocked_env: ['SECRET'] }, { env_overrides: { SECRET: 'x' } }]) {
    const reply = guardedRun(rule)('Bash', { command: ['make', 'all'] })
    expect(reply).toMatchObject({ verdict: 'deny', code: 'ENV_BLOCKED' })
    expect(reply.reason).toContain('`SECRET` cannot be')
  }
})
