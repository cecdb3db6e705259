import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { openBatchedWriter } from './batched-writer.ts'

function open() {
  const written: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (text, _, done) => {
      written.push(text)
      done()
    },
  })
  return { stream, written, ...openBatchedWriter(stream) }
}

test('the first text goes at once, and those behind it together, in their order', async () => {
  const { written, write } = open()
  write('a')
  expect(written).toEqual(['a'])
  for (const text of ['b', 'c']) Promise.resolve().then(() => write(text))
  write('d')
  await new Promise((resolve) => setImmediate(resolve))
  expect(written[0]).toBe('a')
  expect(written.join('')).toBe('adbc')
  write('e')
  expect(written.at(-1)).toBe('e')
})

test('many texts of one turn make two writes', async () => {
  const { written, write } = open()
  await Promise.all(Array.from({ length: 64 }, async (_, index) => write(`${index}\n`)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toHaveLength(2)
  expect(written.join('').split('\n')).toHaveLength(65)
})

test('what was written in the turn in which the stream is ended is not lost', async () => {
  const { stream, written, write, flush } = open()
  for (const text of ['a', 'b', 'c']) write(text)
  flush()
  stream.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(written.join('')).toBe('abc')
})
