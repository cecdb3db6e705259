import { expect, test } from 'vitest'
import { openBench } from '../runtime.contract.ts'
import { memoriesMax, openMemories, valueCharsMax } from './memories.ts'

const scope = { workspace: '/work', definition: 'backup' }
const by = { run: 'r1', source: 'process' }

test('what is noted down is found again, by key, by its beginning and by words', async () => {
  const { runtime, pass, again } = openBench()
  const { memories } = runtime
  await memories.set(scope, { key: 'disk/size', value: { gb: 40, note: 'Half full' } }, by)
  pass(1_000)
  await memories.set(scope, { key: 'disk/name', value: 'Vault' }, by)
  await memories.set(scope, { key: 'owner', value: 'Ada has half' }, by)
  const kept = again().memories
  expect(await kept.get(scope, 'disk/size')).toMatchObject({ value: { gb: 40 }, version: 1, by })
  expect((await kept.list(scope, 'disk/')).map(({ key }) => key)).toEqual([
    'disk/name',
    'disk/size',
  ])
  expect((await kept.search(scope, 'HALF')).map(({ key }) => key)).toEqual(['owner', 'disk/size'])
  expect(await kept.search(scope, 'half vault')).toEqual([])
  const second = await kept.set(scope, { key: 'owner', value: null }, by)
  expect(second).toMatchObject({ version: 2, value: null })
  expect(await kept.remove(scope, 'owner')).toBe(true)
  expect(await kept.remove(scope, 'owner')).toBe(false)
  expect(await kept.get(scope, 'owner')).toBeNull()
})

test('scopes do not see each other, whatever they are called', async () => {
  const { memories } = openBench().runtime
  const scopes = [
    scope,
    { ...scope, definition: null },
    { ...scope, workspace: '/work2' },
    { workspace: '/work', definition: 'backup"]x' },
  ]
  for (const [i, one] of scopes.entries()) await memories.set(one, { key: 'k', value: i }, by)
  for (const [i, one] of scopes.entries()) {
    expect((await memories.list(one, '')).map(({ value }) => value)).toEqual([i])
  }
})

test('one that is too large, or one too many, is refused', async () => {
  const { store } = openBench()
  const memories = openMemories({ store, clock: { now: () => 1 } })
  const large = { key: 'k', value: 'x'.repeat(valueCharsMax) }
  await expect(memories.set(scope, large, by)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  const prefix = JSON.stringify(['/work', 'backup'])
  const data = JSON.stringify({ value: 1, by })
  await store.writeDocuments(
    Array.from({ length: memoriesMax }, (_, i) => ({
      ...{ collection: 'memory', key: `${prefix}k${i}`, expected: null, data, at: 1 },
    })),
  )
  const more = memories.set(scope, { key: 'more', value: 1 }, by)
  await expect(more).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  expect(await memories.set(scope, { key: 'k1', value: 2 }, by)).toMatchObject({ version: 2 })
})
