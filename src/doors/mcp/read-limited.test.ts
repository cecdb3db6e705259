import { expect, test } from 'vitest'
import { readLimited } from './read-limited.ts'

const megabyte = 1024 * 1024

async function* partsOf(count: number, taken: { count: number }): AsyncIterable<Uint8Array> {
  for (; taken.count < count; taken.count += 1) yield new Uint8Array(megabyte)
}

test.each([
  { name: 'what fits is given', parts: 2, max: 2, given: 2, read: 2 },
  {
    name: 'what is too much is read to its end and dropped',
    parts: 3,
    max: 2,
    given: null,
    read: 3,
  },
  { name: 'what does not end is given up', parts: 100, max: 2, given: null, read: 18 },
])('$name', async ({ parts, max, given, read }) => {
  const taken = { count: 0 }
  const bytes = await readLimited({ parts: partsOf(parts, taken), length: null }, max * megabyte)
  expect(bytes === null ? null : bytes.length / megabyte).toBe(given)
  expect(taken.count).toBe(read)
})

test('what says itself that it is too much is answered at once, and dropped', async () => {
  const taken = { count: 0 }
  const body = { parts: partsOf(100, taken), length: String(100 * megabyte) }
  expect(await readLimited(body, megabyte)).toBeNull()
  await expect.poll(() => taken.count).toBe(16)
})
