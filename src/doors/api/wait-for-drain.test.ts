import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { waitForDrain } from './wait-for-drain.ts'

function full(): PassThrough {
  const reader = new PassThrough({ highWaterMark: 10 })
  expect(reader.write('x'.repeat(100))).toBe(false)
  return reader
}

test('a reader that catches up is written to again', async () => {
  const reader = full()
  setTimeout(() => reader.resume(), 10)
  expect(await waitForDrain(reader, new AbortController().signal)).toBe(true)
})

test('a reader that takes nothing, breaks or leaves is not waited for', async () => {
  const never = new AbortController().signal
  expect(await waitForDrain(full(), never, 10)).toBe(false)
  const broken = full()
  setTimeout(() => broken.destroy(new Error('reset')), 10)
  expect(await waitForDrain(broken, never)).toBe(false)
  expect(await waitForDrain(full(), AbortSignal.abort())).toBe(false)
  const gone = full()
  gone.destroy()
  expect(await waitForDrain(gone, never)).toBe(false)
})
