import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPolicies } from './policies.ts'

function folders(): { readonly home: string; readonly workspace: string } {
  const root = mkdtempSync(join(tmpdir(), 'pawl-policies-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [home, workspace] = [join(root, 'home'), join(root, 'work')]
  mkdirSync(home)
  mkdirSync(join(workspace, '.pawl'), { recursive: true })
  return { home, workspace }
}

const denyAll = JSON.stringify({ deny: [{ capability: '*' }] })

test("the organisation's policy comes before the workspace's", () => {
  const { home, workspace } = folders()
  writeFileSync(join(home, 'policy.json'), denyAll)
  writeFileSync(join(workspace, '.pawl', 'policy.yaml'), 'ask:\n  - capability: bash\n')
  const policies = openPolicies(home, () => 0)
  expect(policies(workspace)).toHaveLength(2)
  expect(JSON.stringify(policies(workspace)[0])).toContain(home)
  expect(policies(null)).toHaveLength(1)
})

test('a change is seen within a second', () => {
  const { home } = folders()
  let now = 0
  const policies = openPolicies(home, () => now)
  expect(policies(null)).toEqual([])
  writeFileSync(join(home, 'policy.json'), denyAll)
  expect(policies(null)).toEqual([])
  now = 1_000
  expect(policies(null)).toHaveLength(1)
})

test('a policy with errors is a fault each time, never an empty policy', () => {
  const { home } = folders()
  writeFileSync(join(home, 'policy.json'), '{"deny": [{"capabilty": "*"}')
  let now = 0
  const policies = openPolicies(home, () => now)
  for (now of [0, 10, 2_000]) expect(() => policies(null)).toThrow(/has errors/)
})

test('a policy that is a link out of the workspace is a fault that quotes nothing of it', () => {
  const { home, workspace } = folders()
  writeFileSync(join(home, 'person.token'), 'secret-of-a-person')
  symlinkSync(join(home, 'person.token'), join(workspace, '.pawl', 'policy.json'))
  const policies = openPolicies(null, () => 0)
  expect(() => policies(workspace)).toThrow(/is a link out of/)
  rmSync(join(workspace, '.pawl'), { recursive: true })
  symlinkSync(home, join(workspace, '.pawl'))
  writeFileSync(join(home, 'policy.json'), 'secret-of-a-person')
  expect(() => openPolicies(null, () => 0)(workspace)).toThrow(/is a link out of/)
})

test('the fault of a policy with errors quotes nothing of the file', () => {
  const { workspace } = folders()
  writeFileSync(join(workspace, '.pawl', 'policy.json'), '{"secret-word": 1, "deny": 7}')
  const read = (): unknown => openPolicies(null, () => 0)(workspace)
  expect(read).toThrow(/has errors/)
  expect(read).not.toThrow(/secret-word/)
})

test('a link to a file of the workspace that the agent may write is not followed', () => {
  const { workspace } = folders()
  writeFileSync(join(workspace, 'shared.json'), denyAll)
  symlinkSync(join(workspace, 'shared.json'), join(workspace, '.pawl', 'policy.json'))
  expect(() => openPolicies(null, () => 0)(workspace)).toThrow(/is a link out of/)
})

test("only the organisation's policy observes everything below it", () => {
  const { home, workspace } = folders()
  for (const folder of [home, join(workspace, '.pawl')]) {
    writeFileSync(join(folder, 'policy.json'), '{"observe": true}')
  }
  const found = openPolicies(home, () => 0)(workspace)
  expect(found.map(({ observe }) => observe)).toEqual(['below', 'own'])
})
