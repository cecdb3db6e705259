import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { homeOf } from './home.ts'
import { keepingProof, readProof } from './proof-file.ts'

test('what was proved last is kept, and what is no proof counts as none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-proof-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = homeOf({ PAWL_HOME: folder }, folder)
  expect(readProof(home)).toBeNull()
  const cells = { shell: { outcome: 'stopped', note: '' } } as const
  const column = { host: 'claude', version: '2', ms: 5, cells, fault: null }
  const proof = { paths: { shell: 'a shell command' }, hosts: [column] }
  const door = keepingProof({ provable: ['claude'], prove: async () => proof }, home)
  const wish = { hosts: [], secondsMax: 1 }
  expect(await door.prove({ ...wish, about: 'below the hook' })).toEqual(proof)
  expect(readProof(home)).toBeNull()
  expect(await door.prove({ ...wish, about: 'hooks' })).toEqual(proof)
  expect(readProof(home)).toEqual({ ...proof, at: expect.any(Number) })
  writeFileSync(home.proof, 'nonsense')
  expect(readProof(home)).toBeNull()
})
