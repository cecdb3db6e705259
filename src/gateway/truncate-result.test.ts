import { expect, test } from 'vitest'
import { truncateContents, truncateResult } from './truncate-result.ts'

const text = (words: string) => ({ type: 'text', text: words })
const mark = (bytes: number) =>
  text(`[cut by Pawl: only ${bytes} more bytes of results are allowed here]`)

test('what fits stays as it is', () => {
  const result = { content: [text('hello')], structuredContent: { a: 1 }, _meta: { b: 2 } }
  expect(truncateResult(result, 1_000)).toBe(result)
})

test('texts are cut where there is no more room, at whole letters, and marked', () => {
  const content = [text('abc'), { type: 'image', data: 'x'.repeat(99) }, text('dé€fg'), text('h')]
  expect(truncateResult({ content }, 7)).toEqual({ content: [text('abc'), text('dé'), mark(7)] })
  expect(truncateResult({ content }, 0)).toEqual({ content: [mark(0)] })
})

test('a result that lost the values of its schema is an error', () => {
  const result = { content: [text('abcdef')], structuredContent: { a: 'x'.repeat(99) } }
  expect(truncateResult(result, 3)).toEqual({ content: [text('abc'), mark(3)], isError: true })
})

test('what was read is cut like a result', () => {
  const contents = [
    { uri: 'a://1', text: 'abc', mimeType: 'text/html' },
    { uri: 'a://2', blob: 'x'.repeat(99) },
    { uri: 'a://3', text: 'def' },
  ]
  expect(truncateContents({ contents }, 1_000)).toEqual({ contents })
  expect(truncateContents({ contents }, 4)).toEqual({
    contents: [
      { uri: 'a://1', mimeType: 'text/plain', text: 'abc' },
      { uri: 'a://3', mimeType: 'text/plain', text: 'd' },
      { uri: 'a://1', mimeType: 'text/plain', text: mark(4).text },
    ],
  })
})
