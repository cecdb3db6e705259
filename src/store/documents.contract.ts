/**
 * Small things beside the runs, written together or not at all.
 */
import { describe, expect, test } from 'vitest'
import type { DocumentChange } from '../runtime/ports.ts'
import { allPages, type Subject } from './subject.contract.ts'

function changeTo(key: string, more: Partial<DocumentChange> = {}): DocumentChange {
  return { drawer: 'memory', key, expected: null, data: `{"of":"${key}"}`, at: 1, ...more }
}

export function cardsContract({ store, reopen }: Subject): void {
  describe('cards', () => {
    test('are kept with a version that grows, and removed', async () => {
      expect(await store().readCard('memory', 'a')).toBeNull()
      expect(await store().writeCards([changeTo('a')])).toBe('written')
      expect(await store().writeCards([changeTo('a', { data: '{}', at: 2 })])).toBe('written')
      const again = await reopen()
      const card = { drawer: 'memory', key: 'a', version: 2, data: '{}', at: 2 }
      expect(await again.readCard('memory', 'a')).toEqual(card)
      expect(await again.readCard('tasks', 'a')).toBeNull()
      expect(await again.writeCards([changeTo('a', { data: null })])).toBe('written')
      expect(await again.writeCards([changeTo('a', { data: null })])).toBe('written')
      expect(await again.readCard('memory', 'a')).toBeNull()
      expect(await again.writeCards([])).toBe('written')
    })

    test('of which one is stale are not written, none of them', async () => {
      await store().writeCards([changeTo('a'), changeTo('b')])
      await store().writeCards([changeTo('b')])
      const batch = [
        changeTo('a', { expected: 1, data: '"new"' }),
        changeTo('b', { expected: 1, data: null }),
        changeTo('c', { expected: 0 }),
      ]
      expect(await store().writeCards(batch)).toBe('conflict')
      expect(await store().readCard('memory', 'a')).toMatchObject({ version: 1 })
      expect(await store().readCard('memory', 'b')).toMatchObject({ version: 2 })
      expect(await store().readCard('memory', 'c')).toBeNull()
      expect(await store().writeCards([changeTo('a', { expected: 0 })])).toBe('conflict')
      expect(await store().writeCards([changeTo('z', { expected: 1 })])).toBe('conflict')
      const right = batch.map((one) => (one.key === 'b' ? { ...one, expected: 2 } : one))
      expect(await store().writeCards(right)).toBe('written')
      expect(await store().countCards('memory', '')).toBe(2)
    })

    test('that many want at once are had by one, and counts lose nothing', async () => {
      const first = await Promise.all(
        Array.from({ length: 20 }, () =>
          store().writeCards([changeTo('lock', { expected: 0 }), changeTo('other')]),
        ),
      )
      expect(first.filter((one) => one === 'written')).toHaveLength(1)
      const add = async () => {
        for (let tries = 0; tries < 200; tries += 1) {
          const card = await store().readCard('memory', 'count')
          const data = String(Number(card?.data ?? 0) + 1)
          const change = changeTo('count', { expected: card?.version ?? 0, data })
          if ((await store().writeCards([change])) === 'written') return
        }
        throw new Error('never had its turn')
      }
      await Promise.all(Array.from({ length: 8 }, add))
      expect((await store().readCard('memory', 'count'))?.data).toBe('8')
    })

    test('are listed by the beginning of their key, in order, page by page', async () => {
      const keys = ['a/1', 'a/2', 'a/3', 'a', 'ab', 'b/1', 'a/\u{1F600}', 'a/ü']
      await store().writeCards(keys.map((key) => changeTo(key)))
      await store().writeCards([changeTo('a/1', { drawer: 'tasks' })])
      const pages = await allPages(
        (query) => store().listCards({ ...query, drawer: 'memory', prefix: 'a/' }),
        2,
      )
      const listed = pages.flat().map((card) => card.key)
      expect(listed).toEqual(['a/1', 'a/2', 'a/3', 'a/ü', 'a/\u{1F600}'])
      expect(await store().countCards('memory', 'a/')).toBe(5)
      expect(await store().countCards('memory', '')).toBe(keys.length)
      expect(await store().countCards('nothing', '')).toBe(0)
    })
  })
}
