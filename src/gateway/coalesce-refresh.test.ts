import { expect, test } from 'vitest'
import { coalesced } from './coalesce-refresh.ts'

test('200,000 changes during one reading lead to one more', async () => {
  let count = 0
  let release: () => void = () => undefined
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  const refresh = coalesced<'tools' | 'prompts'>(async () => {
    count += 1
    if (count === 1) await first
  })
  const done = refresh('tools')
  for (let index = 0; index < 200_000; index += 1) void refresh('tools')
  release()
  await done
  expect(count).toBe(2)
  await refresh('tools')
  await refresh('prompts')
  expect(count).toBe(4)
})

test('a reading that fails does not keep the next one away', async () => {
  let count = 0
  const refresh = coalesced<'tools'>(async () => {
    count += 1
    if (count === 1) throw new Error('gone')
  })
  await expect(refresh('tools')).rejects.toThrow('gone')
  await refresh('tools')
  expect(count).toBe(2)
})
