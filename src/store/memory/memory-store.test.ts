import { expect, test } from 'vitest'
import { changeOf } from '../sample-records.contract.ts'
import { storeContract } from '../store.contract.ts'
import { openMemoryStore } from './memory-store.ts'

storeContract('memory', async () => {
  const store = openMemoryStore()
  // What is in memory is not left behind: the same store goes on.
  return { store, reopen: async () => store }
})

test('hints reach every listener, after the caller is done', async () => {
  const store = openMemoryStore()
  const heard: string[] = []
  store.onChange((runId, seq) => heard.push(`${runId}:${seq}`))
  store.tellChange('r_1', 4)
  expect(heard).toEqual([])
  await store.commit(changeOf('r_1', 0))
  expect(heard).toEqual(['r_1:4'])
})
