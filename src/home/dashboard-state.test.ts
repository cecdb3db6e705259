/** Sign-ins in the data directory: kept over a restart, and those that do not count any more. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSignInFile } from './dashboard-state.ts'
import { findHome, type Home } from './home.ts'

function openFolder(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-sign-ins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const system = { platform: 'linux', userFolder: () => folder, cwd: folder, uid: 1000 } as const
  return findHome({ ...system, env: { PAWL_HOME: folder } })
}

function enter(home: Home): string {
  const signIns = openSignInFile(home, 'ada')
  const signed = signIns.redeem(signIns.invite('admin').code)
  if (signed === null || signed === 'busy') throw new Error('nobody was signed in')
  return signed.key
}

test('a sign-in is found again by the next daemon', () => {
  const home = openFolder()
  const key = enter(home)
  expect(openSignInFile(home, 'ada').find(key)).toMatchObject({ name: 'ada', access: 'admin' })
})

const edits: readonly [string, (one: Record<string, unknown>) => unknown][] = [
  [
    'from when it was a cookie and a key',
    ({ hash, ...more }) => ({ cookieHash: hash, keyHash: hash, ...more }),
  ],
  ['without an end', ({ expiresAt: _, ...more }) => more],
  ['whose end is a text', (one) => ({ ...one, expiresAt: '9' })],
  ['with an unknown role', (one) => ({ ...one, access: 'root' })],
  ['that is not an object', () => null],
]

test.each(edits)('a sign-in %s has to be made again, and the others count', (_, edit) => {
  const home = openFolder()
  const [bent, good] = [enter(home), enter(home)]
  const [first, second] = JSON.parse(readFileSync(home.signIns, 'utf8'))
  writeFileSync(home.signIns, JSON.stringify([edit(first), second]))
  const signIns = openSignInFile(home, 'ada')
  expect(signIns.find(bent)).toBeNull()
  expect(signIns.find(good)).not.toBeNull()
})
