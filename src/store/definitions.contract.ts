/**
 * Machines and definitions.
 */
import { describe, expect, test } from 'vitest'
import { definitionOf, machineOf, versionOf } from './sample-records.contract.ts'
import { allPages, type Subject } from './store-under-test.contract.ts'

export function definitionsContract({ store, reopen }: Subject): void {
  describe('a machine', () => {
    test('is found by its hash, and the first one stays', async () => {
      const machine = machineOf('m_1', { compiled: '{"stages":{}}', format: 3 })
      await store().putMachines([machine, machineOf('m_2')], 1)
      await store().putMachines([machineOf('m_1', { compiled: 'other' }), machineOf('m_3')], 2)
      await store().putMachines([], 3)
      expect(await store().readMachine('m_1')).toEqual(machine)
      expect(await store().readMachine('m_3')).toEqual(machineOf('m_3'))
      expect(await store().readMachine('m_none')).toBeNull()
      expect(await (await reopen()).readMachine('m_1')).toEqual(machine)
    })

    test('may be put by many at once', async () => {
      const put = () => store().putMachines([machineOf('m_1'), machineOf('m_2')], 1)
      await Promise.all(Array.from({ length: 20 }, put))
      expect(await store().readMachine('m_2')).toEqual(machineOf('m_2'))
    })
  })

  describe('a definition', () => {
    test('is found by its id and by its name', async () => {
      const row = definitionOf('d_1', 'release', {
        dialect: 'steps',
        latest: versionOf(1, { format: 'yaml', machines: { a: 'm_1', b: 'm_2' } }),
      })
      expect(await store().createDefinition(row)).toEqual(row)
      expect(await store().readDefinition('d_1')).toEqual(row)
      expect(await store().findDefinition('release', '')).toEqual(row)
      expect(await store().findDefinition('Release', '')).toBeNull()
      expect(await store().readDefinition('d_2')).toBeNull()
      expect(await store().listVersions('d_1')).toEqual([row.latest])
      expect(await store().listVersions('d_2')).toEqual([])
      const again = await reopen()
      expect(await again.readDefinition('d_1')).toEqual(row)
    })

    test('is refused when its name is taken, and nothing is changed', async () => {
      const row = definitionOf('d_1', 'release')
      await store().createDefinition(row)
      expect(await store().createDefinition(definitionOf('d_2', 'release'))).toBeNull()
      expect(await store().readDefinition('d_2')).toBeNull()
      expect(await store().listVersions('d_2')).toEqual([])
      expect(await store().findDefinition('release', '')).toEqual(row)
    })

    test('shares its name with those of other workspaces', async () => {
      const stored = definitionOf('d_1', 'release')
      const filed = definitionOf('d_2', 'release', { workspace: '/work/app' })
      expect(await store().createDefinition(stored)).toEqual(stored)
      expect(await store().createDefinition(filed)).toEqual(filed)
      expect(await store().findDefinition('release', '')).toEqual(stored)
      expect(await store().findDefinition('release', '/work/app')).toEqual(filed)
      expect(await store().findDefinition('release', '/work')).toBeNull()
    })

    test('gets a version when the latest one is the expected', async () => {
      const row = definitionOf('d_1', 'release')
      await store().createDefinition(row)
      const second = versionOf(2)
      const wanted = { ...row, updatedAt: second.createdAt, latest: second }
      expect(await store().addVersion('d_1', 1, second)).toEqual(wanted)
      expect(await store().readDefinition('d_1')).toEqual(wanted)
      expect(await store().addVersion('d_1', 1, versionOf(2, { source: 'late' }))).toBeNull()
      expect(await store().addVersion('d_1', 3, versionOf(4))).toBeNull()
      expect(await store().addVersion('d_none', 1, second)).toBeNull()
      expect(await store().listVersions('d_none')).toEqual([])
      expect(await store().readDefinition('d_1')).toEqual(wanted)
      const versions = await store().listVersions('d_1')
      expect([...versions].sort((a, b) => a.version - b.version)).toEqual([row.latest, second])
    })

    test('gets one version when many are added to the same one', async () => {
      await store().createDefinition(definitionOf('d_1', 'release'))
      const race = Array.from({ length: 20 }, (_, n) =>
        store().addVersion('d_1', 1, versionOf(2, { source: `${n}` })),
      )
      const won = (await Promise.all(race)).filter((row) => row !== null)
      expect(won).toHaveLength(1)
      expect(await store().readDefinition('d_1')).toEqual(won[0])
      expect(await store().listVersions('d_1')).toHaveLength(2)
    })

    test('is created once when many try the same name', async () => {
      const race = Array.from({ length: 20 }, (_, n) =>
        store().createDefinition(definitionOf(`d_${n}`, 'release')),
      )
      expect((await Promise.all(race)).filter((row) => row !== null)).toHaveLength(1)
    })

    test('is listed by name, in pages', async () => {
      const names = ['b', 'a', 'Z', 'é', 'a-b', 'a_b', 'ab']
      for (const [n, name] of names.entries()) {
        await store().createDefinition(definitionOf(`d_${n}`, name))
      }
      await store().createDefinition(definitionOf('d_w', 'a', { workspace: '/w' }))
      const pages = await allPages((query) => store().listDefinitions(query), 3)
      expect(pages.map((page) => page.map((row) => row.name))).toEqual([
        ['Z', 'a', 'a'],
        ['a-b', 'a_b', 'ab'],
        ['b', 'é'],
      ])
      expect(new Set(pages.flat().map((row) => row.id)).size).toBe(8)
      const { items } = await store().listDefinitions({ after: null, limit: 1 })
      expect(items).toEqual([definitionOf('d_2', 'Z')])
    })

    test('can be deleted, and its name is free again', async () => {
      const { latest, ...rest } = definitionOf('d_1', 'release')
      await store().putMachines([machineOf('machine-1')], 1)
      await store().createDefinition({ ...rest, latest })
      await store().addVersion('d_1', 1, versionOf(2))
      expect(await store().deleteDefinition('d_1')).toBe('deleted')
      expect(await store().deleteDefinition('d_1')).toBe('unknown')
      expect(await store().readDefinition('d_1')).toBeNull()
      expect(await store().findDefinition('release', '')).toBeNull()
      expect(await store().listVersions('d_1')).toEqual([])
      expect(await store().addVersion('d_1', 2, versionOf(3))).toBeNull()
      expect((await store().listDefinitions({ after: null, limit: 9 })).items).toEqual([])
      expect(await store().readMachine('machine-1')).not.toBeNull()
      const again = definitionOf('d_2', 'release')
      expect(await store().createDefinition(again)).toEqual(again)
      expect(await store().listVersions('d_2')).toEqual([again.latest])
    })
  })
}
