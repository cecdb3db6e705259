import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../runtime/ports.ts'
import { changeOf, definitionOf, eventOf, owedOf } from '../records.contract.ts'
import { storeContract } from '../store.contract.ts'
import { openWriteThread, type WriteThread } from './open-write-thread.ts'
import { cannotMount, inFolder, onSmallDisk, openThread } from './scratch.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

type Threaded = {
  readonly store: Store
  readonly thread: WriteThread
  /** Changes that were handed over to the thread, group by group. */
  readonly groups: number[]
}

/** A store on an empty file that has its thread write every change. */
async function openThreaded(path: string, lockedMaxMs = 5_000): Promise<Threaded> {
  const thread = await openThread(path, { synchronous: 'FULL', lockedMaxMs })
  const groups: number[] = []
  const write: WriteThread['write'] = (changes) => {
    groups.push(changes.length)
    return thread.write(changes)
  }
  const options = { path, lockedMaxMs, crowdMin: 1 }
  return { store: openSqliteStore(options, { ...thread, write }), thread, groups }
}

const inThreaded = (
  job: (threaded: Threaded, path: string) => Promise<void>,
  lockedMaxMs = 5_000,
) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const threaded = await openThreaded(path, lockedMaxMs)
    try {
      await job(threaded, path)
    } finally {
      await threaded.store.close()
    }
  })

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error) => error.code,
  )

const ids = (count: number) => Array.from({ length: count }, (_, n) => `r_${n}`)

storeContract('SQLite (with a thread that writes)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-thread-'))
  const path = join(folder, 'pawl.db')
  const { store } = await openThreaded(path)
  return {
    store,
    reopen: async () => {
      await store.close()
      return openSqliteStore({ path })
    },
    dispose: () => rm(folder, { recursive: true }),
  }
})

describe('a crowd of commands', () => {
  test('is written by the thread in parts, and each is read as soon as it is answered', () =>
    inThreaded(async ({ store, groups }) => {
      const results = ids(64).map(async (id) => {
        expect(await store.commit(changeOf(id, 0))).toBe('committed')
        expect((await store.readHead(id))?.seq).toBe(1)
        expect(await store.commit(changeOf(id, 1))).toBe('committed')
        expect((await store.loadRun(id))?.tail).toHaveLength(2)
      })
      await Promise.all(results)
      expect(groups.slice(0, 2)).toEqual([32, 32])
      expect(groups.reduce((sum, count) => sum + count, 0)).toBe(128)
    }))

  test('takes turns with what is written here', () =>
    inThreaded(async ({ store, groups }) => {
      const results = await Promise.all([
        store.commit(changeOf('r_1', 0)),
        store.createDefinition(definitionOf('d_1', 'release')),
        store.commit(changeOf('r_1', 1)),
        store.removeRuns(['r_1']),
        store.commit(changeOf('r_2', 0)),
      ])
      expect([results[0], results[2], results[4]]).toEqual(Array(3).fill('committed'))
      expect(await store.readHead('r_1')).toBeNull()
      expect(groups.length).toBeGreaterThan(0)
    }))

  test('is as good as none while the thread is not there', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'pawl.db')
      const none = openWriteThread({ path: folder, synchronous: 'FULL', lockedMaxMs: 10 })
      const store = openSqliteStore({ path, crowdMin: 1 }, none)
      for (const id of ids(20)) expect(await store.commit(changeOf(id, 0))).toBe('committed')
      expect(none.isReady()).toBe(false)
      await store.close()
    }))

  test('is finished before the store is closed', () =>
    inThreaded(async ({ store }, path) => {
      const results = ids(100).map((id) => store.commit(changeOf(id, 0)))
      await store.close()
      expect(new Set(await Promise.all(results))).toEqual(new Set(['committed']))
      const again = openSqliteStore({ path })
      expect((await again.readSeqs(ids(100))).size).toBe(100)
      await again.close()
    }))
})

describe('a thread that writes', () => {
  test('tells a refused change alone, and what was wrong with it', () =>
    inThreaded(async ({ store }) => {
      const owed = [owedOf('o_1', 'r_2')]
      await store.commit(changeOf('r_2', 0, { owed }))
      const results = await Promise.all([
        codeOf(store.commit(changeOf('r_1', 0))),
        codeOf(store.commit(changeOf('r_2', 1, { owed }))),
        codeOf(store.commit(changeOf('r_3', 0))),
        codeOf(store.commit(changeOf('r_3', 0))),
      ])
      expect(results).toEqual(['committed', 'INTERNAL', 'committed', 'conflict'])
      const gap = changeOf('r_1', 1, { events: [eventOf(9)] })
      await expect(store.commit(gap)).rejects.toThrow('without gaps')
      expect((await store.readHead('r_1'))?.seq).toBe(1)
    }))

  test('waits while another program writes', () =>
    inThreaded(async ({ store, groups }, path) => {
      const other = new DatabaseSync(path)
      other.exec('BEGIN IMMEDIATE')
      const waiting = ids(10).map((id) => store.commit(changeOf(id, 0)))
      await sleep(200)
      expect(await store.readHead('r_1')).toBeNull()
      other.close()
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['committed']))
      expect(groups.length).toBeGreaterThan(0)
    }))

  test('gives up on a lock that is never let go, and nothing is kept', () =>
    inThreaded(async ({ store }, path) => {
      const other = new DatabaseSync(path)
      other.exec('BEGIN IMMEDIATE')
      const results = ids(10).map((id) => codeOf(store.commit(changeOf(id, 0))))
      expect(new Set(await Promise.all(results))).toEqual(new Set(['STORE_UNAVAILABLE']))
      other.close()
      expect((await store.readSeqs(ids(10))).size).toBe(0)
      expect(await store.commit(changeOf('r_1', 0))).toBe('committed')
    }, 100))

  test('says that the disk is full, and goes on with what there is room for', async ({ skip }) => {
    const result = await onSmallDisk(4, async ({ folder }) => {
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(1_048_576))
      const { store, groups } = await openThreaded(join(folder, 'pawl.db'))
      const large = { events: [eventOf(1, { data: `"${'x'.repeat(6_000_000)}"` })] }
      const results = await Promise.all([
        codeOf(store.commit(changeOf('r_1', 0))),
        codeOf(store.commit(changeOf('r_huge', 0, large))),
        codeOf(store.commit(changeOf('r_2', 0))),
      ])
      expect(results).toEqual(['committed', 'STORE_UNAVAILABLE', 'committed'])
      expect(groups.length).toBeGreaterThan(0)
      await store.close()
    })
    if (result === null) skip(cannotMount)
  })

  test('that has ended over its groups fails them, and everything else is written here', () =>
    inThreaded(async ({ store, thread, groups }) => {
      // In the turn in which they are handed over, and just before.
      const closing = turn().then(() => thread.close())
      const results = ids(8).map((id) => codeOf(store.commit(changeOf(id, 0))))
      const job = store.createDefinition(definitionOf('d_1', 'release'))
      const later = store.commit(changeOf('r_9', 0))
      await closing
      expect(new Set(await Promise.all(results))).toEqual(new Set(['STORE_UNAVAILABLE']))
      await job
      expect([await later, groups]).toEqual(['committed', [5, 3]])
      expect(await store.commit(changeOf('r_0', 0))).toBe('committed')
      expect(thread.isReady()).toBe(false)
    }))
})
