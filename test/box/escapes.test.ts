/**
 * Ways out of a job, as root and as a plain user. The same program outside of a box shows that each
 * way is one; which of them a machine has differs.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'pawl-escapes-'))
const program = join(folder, 'escapes')
const nobody = 65_534

beforeAll(() => {
  chmodSync(folder, 0o755)
  const source = join(import.meta.dirname, 'escapes.c')
  execFileSync('cc', [
    '-std=gnu11',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-static',
    '-o',
    program,
    source,
  ])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Tried = { readonly level: string; readonly tried: string; readonly notes: readonly string[] }

function tryAs(uid: number, strongest: string): Tried | string {
  const script = join(import.meta.dirname, 'run-escapes.ts')
  const { stdout, stderr, error } = spawnSync(process.execPath, [script, program, strongest], {
    ...(uid === process.getuid?.() ? {} : { uid, gid: uid }),
    ...{ encoding: 'utf8', timeout: 60_000, cwd: folder, env: { PATH: process.env.PATH } },
  })
  // That user may not reach the program, in a home of somebody else.
  if (error !== undefined) return error.message
  return stdout.startsWith('{') ? JSON.parse(stdout) : stderr.slice(-300)
}

const self = process.getuid?.() ?? nobody
const users = self === 0 ? [0, nobody] : [self]

function openWays({ tried }: Tried): readonly string[] {
  return tried.split('\n').filter((line) => line.startsWith('open '))
}

test.for(users)('as user %i no way out of a job is open', (uid, { skip }) => {
  const tried = tryAs(uid, 'full')
  if (typeof tried === 'string') return skip(`user ${uid} cannot start a job here: ${tried}`)
  if (!['full', 'isolated'].includes(tried.level)) return skip(tried.notes.join('; '))
  expect(tried.tried.split('\n').length).toBeGreaterThan(250)
  expect(openWays(tried)).toEqual([])
})

test('without a box they are ways: the program does find them', ({ skip }) => {
  const tried = tryAs(self, 'contained')
  if (typeof tried === 'string') return skip(tried)
  const found = openWays(tried).map((line) => line.split(':')[0])
  expect(found).toEqual(expect.arrayContaining(['open secret', 'open socket']))
  expect(openWays(tried).length).toBeGreaterThan(40)
})
