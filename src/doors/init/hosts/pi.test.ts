import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { piSetup } from './pi.ts'

/** What Pi is said to think of `/work/shop` with such decisions of its user. */
async function problemsWith(decisions: string, folder = join('.pi', 'agent')) {
  const home = mkdtempSync(join(tmpdir(), 'pawl-pi-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, folder, 'trust.json'), decisions)
  const moved = folder.startsWith('.pi') ? {} : { PI_CODING_AGENT_DIR: join(home, folder) }
  const env = { HOME: home, ...moved }
  return piSetup.trust?.problems({ program: null, workspace: '/work/shop', env })
}

test.each([
  ['the folder itself', '{"/work/shop":true}'],
  ['a folder above', '{"/work":true}'],
  ['it, though not what is above', '{"/work":false,"/work/shop":true}'],
])('whoever trusts %s trusts the folder', async (_, decisions) => {
  expect(await problemsWith(decisions)).toEqual([])
})

test.each([
  ['nothing', '{}'],
  ['a folder beside it', '{"/work/sho":true,"/work/shop2":true}'],
  ['a folder above, but not it', '{"/work":true,"/work/shop":false}'],
  ['what cannot be read', '{"/work/shop":true'],
  ['something that is no decision', '{"/work/shop":"true"}'],
])('a folder is not trusted by %s', async (_, decisions) => {
  expect(await problemsWith(decisions)).toEqual([expect.stringContaining('SKIPPED')])
})

test('the decisions are where `PI_CODING_AGENT_DIR` says', async () => {
  expect(await problemsWith('{"/work/shop":true}', 'elsewhere')).toEqual([])
})
