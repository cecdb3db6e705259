/** Documents beside the runs, written together or not at all. */
import { describe, expect, test } from 'vitest'
import type { DocumentChange } from '../runtime/ports.ts'
import { allPages, type Subject } from './store-under-test.contract.ts'

function changeTo(key: string, more: Partial<DocumentChange> = {}): DocumentChange {
  return { collection: 'memory', key, expected: null, data: `{"of":"${key}"}`, at: 1, ...more }
}

export function cardsContract({ store, reopen }: Subject): void {
  describe('documents', () => {
    test('are kept with a version that grows, and removed', async () => {
      expect(await store().readDocument('memory', 'a')).toBeNull()
      expect(await store().writeDocuments([changeTo('a')])).toBe('written')
      expect(await store().writeDocuments([changeTo('a', { data: '{}', at: 2 })])).toBe('written')
      const again = await reopen()
      const document = { collection: 'memory', key: 'a', version: 2, data: '{}', at: 2 }
      expect(await again.readDocument('memory', 'a')).toEqual(document)
      expect(await again.readDocument('tasks', 'a')).toBeNull()
      expect(await again.writeDocuments([changeTo('a', { data: null })])).toBe('written')
      expect(await again.writeDocuments([changeTo('a', { data: null })])).toBe('written')
      expect(await again.readDocument('memory', 'a')).toBeNull()
      expect(await again.writeDocuments([])).toBe('written')
    })

    test('are read by their keys, those that there are, each once and in order', async () => {
      await store().writeDocuments(['b', 'a', 'c'].map((key) => changeTo(key)))
      await store().writeDocuments([changeTo('x', { collection: 'tasks' })])
      const found = await store().readDocuments('memory', ['c', 'a', 'x', 'c', "'"])
      expect(found.map((one) => one.key)).toEqual(['a', 'c'])
      expect(found[0]).toEqual(await store().readDocument('memory', 'a'))
      expect(await store().readDocuments('memory', [])).toEqual([])
    })

    test('of which one is stale are not written, none of them', async () => {
      await store().writeDocuments([changeTo('a'), changeTo('b')])
      await store().writeDocuments([changeTo('b')])
      const batch = [
        changeTo('a', { expected: 1, data: '"new"' }),
        changeTo('b', { expected: 1, data: null }),
        changeTo('c', { expected: 0 }),
      ]
      expect(await store().writeDocuments(batch)).toBe('conflict')
      expect(await store().readDocument('memory', 'a')).toMatchObject({ version: 1 })
      expect(await store().readDocument('memory', 'b')).toMatchObject({ version: 2 })
      expect(await store().readDocument('memory', 'c')).toBeNull()
      expect(await store().writeDocuments([changeTo('a', { expected: 0 })])).toBe('conflict')
      expect(await store().writeDocuments([changeTo('z', { expected: 1 })])).toBe('conflict')
      const right = batch.map((one) => (one.key === 'b' ? { ...one, expected: 2 } : one))
      expect(await store().writeDocuments(right)).toBe('written')
      expect(await store().countDocuments('memory', '')).toBe(2)
    })

    test('that many want at once are had by one, and counts lose nothing', async () => {
      const first = await Promise.all(
        Array.from({ length: 20 }, () =>
          store().writeDocuments([changeTo('lock', { expected: 0 }), changeTo('other')]),
        ),
      )
      expect(first.filter((one) => one === 'written')).toHaveLength(1)
      const add = async () => {
        for (let tries = 0; tries < 200; tries += 1) {
          const document = await store().readDocument('memory', 'count')
          const data = String(Number(document?.data ?? 0) + 1)
          const change = changeTo('count', { expected: document?.version ?? 0, data })
          if ((await store().writeDocuments([change])) === 'written') return
        }
        throw new Error('never had its turn')
      }
      await Promise.all(Array.from({ length: 8 }, add))
      expect((await store().readDocument('memory', 'count'))?.data).toBe('8')
    })

    test('are listed by the beginning of their key, in order, page by page', async () => {
      const keys = ['a/1', 'a/2', 'a/3', 'a', 'ab', 'b/1', 'a/\u{1F600}', 'a/ü']
      await store().writeDocuments(keys.map((key) => changeTo(key)))
      await store().writeDocuments([changeTo('a/1', { collection: 'tasks' })])
      const pages = await allPages(
        (query) => store().listDocuments({ ...query, collection: 'memory', prefix: 'a/' }),
        2,
      )
      const listed = pages.flat().map((document) => document.key)
      expect(listed).toEqual(['a/1', 'a/2', 'a/3', 'a/ü', 'a/\u{1F600}'])
      expect(await store().countDocuments('memory', 'a/')).toBe(5)
      expect(await store().countDocuments('memory', '')).toBe(keys.length)
      expect(await store().countDocuments('nothing', '')).toBe(0)
    })
  })
}
