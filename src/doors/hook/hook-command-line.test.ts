import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { clientName, hookCommand } from './hook-command-line.ts'

const words = 'Pawl: the hook could not run, so this is blocked; run `pawl doctor`\n'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-command-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder whose client is this script. */
function binWith(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, clientName)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o700)
  return folder
}

function runSh(command: string, input = '') {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    encoding: 'utf8',
    input,
    env: { PATH: '/usr/bin:/bin' },
  })
  return { status, stdout, stderr }
}

const odd = fc
  .string({
    unit: fc.constantFrom(...' \'"$`\\()&;|<>*?[]{}~#!%=éü漢😀-a.xy\t'),
    minLength: 1,
  })
  .filter((name) => name !== '.' && name !== '..' && !name.includes('/') && name.length < 40)

test('a real shell starts the client by its path and hands it the workspace, however odd', () => {
  const root = scratch()
  const script = 'printf "%s\\n" "$0" "$#" "$1" "$2"; cat'
  fc.assert(
    fc.property(odd, odd, (home, work) => {
      const bin = binWith(join(root, home), script)
      const workspace = `/no such/${work}`
      const ended = runSh(
        hookCommand({ bin, host: 'claude', workspace, failure: 'blocks' }),
        'payload',
      )
      const stdout = `${join(bin, clientName)}\n2\nclaude\n${workspace}\npayload`
      expect(ended).toEqual({ status: 0, stdout, stderr: '' })
    }),
    { numRuns: 80 },
  )
})

test('a refusal of the client stays as it is', () => {
  const bin = binWith(scratch(), 'echo no >&2; exit 2')
  const ended = runSh(hookCommand({ bin, host: 'codex', workspace: '/w', failure: 'blocks' }))
  expect(ended).toEqual({ status: 2, stdout: '', stderr: 'no\n' })
})

test('a client that is missing, broken or killed blocks with words, or lets the agent stop', () => {
  const root = scratch()
  const closed = binWith(join(root, 'closed'), 'exit 0')
  chmodSync(join(closed, clientName), 0o600)
  const garbage = binWith(join(root, 'garbage'), 'exit 0')
  writeFileSync(join(garbage, clientName), '\x7fELF garbage')
  const bins = [
    join(root, 'gone'),
    ...(process.getuid?.() === 0 ? [] : [closed]),
    garbage,
    ...['exit 1', 'exit 3', 'exit 127', 'kill -9 $$', 'kill -15 $$', 'kill -11 $$'].map(
      (script, i) => binWith(join(root, `${i}`), script),
    ),
  ]
  for (const bin of bins) {
    const hook = { bin, host: 'gemini', workspace: '/w' }
    const { status, stderr, stdout } = runSh(hookCommand({ ...hook, failure: 'blocks' }))
    expect([status, stdout], bin).toEqual([2, ''])
    expect(stderr.endsWith(words), stderr).toBe(true)
    const passed = runSh(hookCommand({ ...hook, failure: 'passes' }))
    expect([passed.status, passed.stdout], bin).toEqual([0, ''])
  }
})

test('what a shell or a host could read otherwise is a fault', () => {
  const good = { bin: '/home/x/bin', host: 'claude', workspace: '/w', failure: 'blocks' } as const
  const wrong = [
    ...['', 'claude; rm', 'Claude', '-x', '--help', 'a'.repeat(33)].map((host) => ({ host })),
    ...['', 'w', './w', '-', '/w\n', '/w\0', '/w\r'].map((workspace) => ({ workspace })),
    ...['', 'bin', '/b\nin'].map((bin) => ({ bin })),
  ]
  for (const one of wrong) {
    const make = (): string => hookCommand({ ...good, ...one })
    expect(make, JSON.stringify(one)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  }
})
