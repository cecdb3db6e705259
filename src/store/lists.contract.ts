/**
 * Lists of runs: order, filters and pages.
 */
import { describe, expect, test } from 'vitest'
import type { PageQuery, RunQuery } from '../runtime/ports.ts'
import { changeOf, startedAt } from './sample-records.contract.ts'
import { allPages, type Subject } from './store-under-test.contract.ts'

const everything = { statuses: null, workspace: null, definition: null }

export function listsContract({ store }: Subject): void {
  const begin = async (id: string, head: Parameters<typeof changeOf>[2]) =>
    expect(await store().commit(changeOf(id, 0, head))).toBe('committed')
  const list = async (query: Partial<RunQuery>) =>
    (await store().listRuns({ ...everything, after: null, limit: 100, ...query })).items.map(
      (head) => head.id,
    )
  const runsByPage = (query: PageQuery) => store().listRuns({ ...everything, ...query })

  describe('a list of runs', () => {
    test('is empty at first', async () => {
      expect(await store().listRuns({ ...everything, after: null, limit: 10 })).toEqual({
        items: [],
        next: null,
      })
    })

    test('shows whole heads, the latest change first', async () => {
      await begin('r_1', { head: { updatedAt: startedAt + 1 } })
      await begin('r_2', { head: { updatedAt: startedAt + 3 } })
      await begin('r_3', { head: { updatedAt: startedAt + 2 } })
      expect(await list({})).toEqual(['r_2', 'r_3', 'r_1'])
      const moved = changeOf('r_1', 1, { head: { updatedAt: startedAt + 9 } })
      await store().commit(moved)
      expect(await list({})).toEqual(['r_1', 'r_2', 'r_3'])
      const { items } = await store().listRuns({ ...everything, after: null, limit: 1 })
      expect(items).toEqual([moved.head])
    })

    test('can be narrowed to statuses, a workspace and a definition', async () => {
      await begin('r_1', { head: { status: 'running', workspace: '/a', definition: 'x' } })
      await begin('r_2', { head: { status: 'waiting', workspace: '/a', definition: 'y' } })
      await begin('r_3', { head: { status: 'failed', workspace: '/b', definition: 'x' } })
      await begin('r_4', { head: { status: 'running', workspace: null, definition: 'x' } })
      expect((await list({ statuses: ['running'] })).sort()).toEqual(['r_1', 'r_4'])
      expect((await list({ statuses: ['waiting', 'failed'] })).sort()).toEqual(['r_2', 'r_3'])
      expect((await list({ workspace: '/a' })).sort()).toEqual(['r_1', 'r_2'])
      expect((await list({ definition: 'x' })).sort()).toEqual(['r_1', 'r_3', 'r_4'])
      expect(await list({ statuses: ['running'], workspace: '/a', definition: 'x' })).toEqual([
        'r_1',
      ])
      expect(await list({ statuses: [] })).toEqual([])
      expect(await list({ statuses: ['runnin'] })).toEqual([])
      expect(await list({ definition: '' })).toEqual([])
    })

    test('can be narrowed to a stage and to words that stand somewhere in it', async () => {
      await begin('r_1', { head: { stage: 'reading', workspace: '/a/Shop', definition: 'fix' } })
      await begin('r_2', { head: { stage: 'writing', workspace: null, definition: 'Fix_it%' } })
      await begin('r_3', { head: { stage: 'Éditing', workspace: "/b'--", definition: 'deploy' } })
      const found = async (...words: readonly string[]) => (await list({ words })).sort()
      expect(await list({ stage: 'reading' })).toEqual(['r_1'])
      expect(await list({ stage: 'Reading' })).toEqual([])
      expect(await found()).toEqual(['r_1', 'r_2', 'r_3'])
      expect(await found('FIX')).toEqual(['r_1', 'r_2'])
      expect(await found('fix', 'shop')).toEqual(['r_1'])
      expect(await found('shop', 'writing')).toEqual([])
      expect(await found('_')).toEqual(['r_1', 'r_2', 'r_3'])
      expect(await found('it%')).toEqual(['r_2'])
      expect(await found("'--")).toEqual(['r_3'])
      expect(await found('éditing')).toEqual([])
      expect(await found('Édit')).toEqual(['r_3'])
      expect(await found('R_2')).toEqual(['r_2'])
      expect(await list({ words: ['fix'], stage: 'writing' })).toEqual(['r_2'])
    })

    test('finds words also in a field of documents that are called like the runs', async () => {
      await begin('r_1', { head: { definition: 'fix' } })
      await begin('r_2', { head: { definition: 'fix' } })
      const put = (collection: string, key: string, data: object) =>
        store().writeDocuments([
          { collection, key, expected: 0, data: JSON.stringify(data), at: startedAt },
        ])
      await put('titles', 'r_1', { title: 'Login "bug" Édith', from: 'prompt' })
      await put('titles', 'r_9', { title: 'Login' })
      await put('others', 'r_2', { title: 'Login' })
      const beside = { collection: 'titles', field: 'title' }
      const found = async (...words: readonly string[]) => (await list({ words, beside })).sort()
      expect(await found('login')).toEqual(['r_1'])
      expect(await found('LOGIN', 'fix')).toEqual(['r_1'])
      expect(await found('"bug"')).toEqual(['r_1'])
      expect(await found('Édith')).toEqual(['r_1'])
      expect(await found('édith')).toEqual([])
      expect(await found('prompt')).toEqual([])
      expect(await found('fix')).toEqual(['r_1', 'r_2'])
      expect(await list({ words: ['login'] })).toEqual([])
    })

    test('keeps its words over pages', async () => {
      for (let n = 0; n < 9; n += 1) {
        await begin(`r_${n}`, { head: { definition: n % 3 === 0 ? 'odd-job' : 'other' } })
      }
      const find = (query: PageQuery) =>
        store().listRuns({ ...everything, words: ['odd'], ...query })
      expect((await allPages(find, 2)).map((page) => page.length)).toEqual([2, 1])
    })

    test('can be narrowed to a folder with those above and below it', async () => {
      const folders = ['/a', '/a/b', '/a/b/c', '/a/bc', '/A/b', '/', '/a/_', null]
      for (const [n, workspace] of folders.entries()) await begin(`r_${n}`, { head: { workspace } })
      const near = async (folder: string) => (await list({ near: folder })).sort()
      expect(await near('/a/b')).toEqual(['r_0', 'r_1', 'r_2', 'r_5'])
      expect(await near('/a/b/')).toEqual(['r_0', 'r_1', 'r_2', 'r_5'])
      expect(await near('/a/b/c/d')).toEqual(['r_0', 'r_1', 'r_2', 'r_5'])
      expect(await near('/')).toEqual(['r_0', 'r_1', 'r_2', 'r_3', 'r_4', 'r_5', 'r_6'])
      expect(await near('/x')).toEqual(['r_5'])
    })

    test('comes in pages that lose and repeat nothing, also among equal times', async () => {
      const ids = Array.from({ length: 25 }, (_, n) => `r_${n}`)
      for (const [n, id] of ids.entries()) {
        await begin(id, { head: { updatedAt: startedAt + Math.floor(n / 10) } })
      }
      const pages = await allPages(runsByPage, 4)
      expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 4, 4, 1])
      const heads = pages.flat()
      expect(heads.map((head) => head.id).sort()).toEqual([...ids].sort())
      const times = heads.map((head) => head.updatedAt)
      expect(times).toEqual([...times].sort((a, b) => b - a))
      expect(pages).toEqual(await allPages(runsByPage, 4))
    })

    test('says on a full last page that there is no other', async () => {
      for (const id of ['r_1', 'r_2']) await begin(id, {})
      expect((await allPages(runsByPage, 1)).map((page) => page.length)).toEqual([1, 1])
      expect((await allPages(runsByPage, 2)).map((page) => page.length)).toEqual([2])
    })

    test('keeps its filter over pages', async () => {
      for (let n = 0; n < 9; n += 1) {
        await begin(`r_${n}`, { head: { status: n % 3 === 0 ? 'waiting' : 'running' } })
      }
      const pages = await allPages(
        (query) => store().listRuns({ ...everything, statuses: ['waiting'], ...query }),
        2,
      )
      expect(pages.map((page) => page.length)).toEqual([2, 1])
    })

    test('refuses a cursor that it did not give', async () => {
      for (const after of ['', 'x', 'bnVsbA', 'WzEsMl0', 'W10', "' OR 1=1 --"]) {
        await expect(
          store().listRuns({ ...everything, after, limit: 3 }),
          after,
        ).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
      }
    })
  })

  test('ids of all runs come in order of the id', async () => {
    const ids = ['b', 'a', 'r_10', 'r_9', 'Z', 'r_1']
    for (const id of ids) await begin(id, { count: 3 })
    const pages = await allPages((query) => store().listRunIds(query), 4)
    expect(pages).toEqual([
      ['Z', 'a', 'b', 'r_1'],
      ['r_10', 'r_9'],
    ])
  })
}
