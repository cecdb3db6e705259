import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { RunChange, Store } from '../../runtime/ports.ts'
import { changeOf, eventOf, outboxItemOf } from '../sample-records.contract.ts'
import { cannotMount, inFolder, onSmallDisk } from './scratch.contract.ts'
import { openSqliteStore, type SqliteOptions } from './sqlite-store.ts'

/** A run of one record with a text of this size. */
const large = (id: string, bytes: number): RunChange =>
  changeOf(id, 0, { events: [eventOf(1, { data: `"${'x'.repeat(bytes)}"` })] })

const inStore = (
  job: (store: Store, path: string) => Promise<void>,
  more: Partial<SqliteOptions> = {},
) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore({ path, ...more })
    try {
      await job(store, path)
    } finally {
      await store.close()
    }
  })

const lock = (path: string) => {
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  return () => other.close()
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error) => error.code,
  )

describe('the file of a store', () => {
  test('is for its owner only, with its log and its folder', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'a', 'b', 'pawl.db')
      const store = openSqliteStore({ path })
      await store.commit(changeOf('r_1', 0))
      const modes = [path, `${path}-wal`, `${path}-shm`].map((one) => statSync(one).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600, 0o600])
      expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700)
      await store.close()
    }))

  test('that others could read is closed to them', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'pawl.db')
      writeFileSync(path, '', { mode: 0o644 })
      const store = openSqliteStore({ path })
      expect(statSync(path).mode & 0o777).toBe(0o600)
      await store.close()
    }))

  test('has a log that stays small however much is written', () =>
    inStore(async (store, path) => {
      for (let n = 0; n < 60; n += 1) await store.commit(large(`r_${n}`, 1_000_000))
      expect(statSync(`${path}-wal`).size).toBeLessThan(20_000_000)
    }))

  test('gives space back to the disk when runs are removed', () =>
    inStore(async (store, path) => {
      for (let n = 0; n < 5; n += 1) await store.commit(large(`r_${n}`, 1_000_000))
      await store.removeRuns(['r_0', 'r_1', 'r_2', 'r_3'])
      await store.close()
      expect(statSync(path).size).toBeLessThan(2_000_000)
    }))

  test('is asked for in vain where a folder is', () =>
    inFolder(async (folder) => {
      expect(() => openSqliteStore({ path: folder })).toThrow(
        expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
      )
    }))
})

describe('another program at the same file', () => {
  test('may be a second store: each sees what the other wrote', () =>
    inStore(async (first, path) => {
      const second = openSqliteStore({ path })
      expect(await first.commit(changeOf('r_1', 0))).toBe('committed')
      expect(await second.commit(changeOf('r_1', 0))).toBe('conflict')
      expect(await second.commit(changeOf('r_1', 1))).toBe('committed')
      expect((await first.loadRun('r_1'))?.tail).toHaveLength(2)
      await second.close()
    }))

  test('is waited for while it writes, and everything else goes on', () =>
    inStore(async (store, path) => {
      const release = lock(path)
      const waiting = [store.commit(changeOf('r_1', 0)), store.commit(changeOf('r_2', 0))]
      let ticks = 0
      const clock = setInterval(() => (ticks += 1), 5)
      await sleep(300)
      clearInterval(clock)
      expect(ticks).toBeGreaterThan(3)
      expect(await store.readHead('r_1')).toBeNull()
      release()
      expect(await Promise.all(waiting)).toEqual(['committed', 'committed'])
    }))

  test('that never lets go ends in a fault, and nothing is kept', () =>
    inStore(
      async (store, path) => {
        const release = lock(path)
        const results = await Promise.all([
          codeOf(store.commit(changeOf('r_1', 0))),
          codeOf(store.createDefinition({} as never)),
          store.findTrouble(),
        ])
        expect(results.slice(0, 2)).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'])
        expect(results[2]).toContain('locked')
        expect(await codeOf(store.commit(changeOf('r_2', 0)))).toBe('STORE_UNAVAILABLE')
        release()
        expect(await store.readHead('r_1')).toBeNull()
        expect(await store.commit(changeOf('r_1', 0))).toBe('committed')
      },
      { lockedMaxMs: 150 },
    ))

  test('that holds a new file keeps a store from opening', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'pawl.db')
      const release = lock(path)
      expect(() => openSqliteStore({ path, lockedMaxMs: 50 })).toThrow(
        expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
      )
      release()
      await openSqliteStore({ path }).close()
    }))
})

describe('writes in one group', () => {
  test('land without the one that the database refuses', () =>
    inStore(async (store) => {
      const outbox = [outboxItemOf('o_1', 'r_2')]
      await store.commit(changeOf('r_2', 0, { outbox }))
      const results = await Promise.all([
        codeOf(store.commit(changeOf('r_1', 0))),
        codeOf(store.commit(changeOf('r_2', 1, { outbox, reply: { commandId: 'c', text: '{}' } }))),
        codeOf(store.commit(changeOf('r_3', 0))),
      ])
      expect(results).toEqual(['committed', 'INTERNAL', 'committed'])
      expect((await store.readHead('r_2'))?.seq).toBe(1)
      expect(await store.findReply('r_2', 'c')).toBeNull()
    }))

  test('that fail leave nothing behind for the next look', () =>
    inStore(async (store) => {
      const outbox = [outboxItemOf('o_1', 'r_1')]
      await store.commit(changeOf('r_1', 0, { outbox }))
      const refused = changeOf('r_1', 1, { outbox, reply: { commandId: 'c', text: '{}' } })
      expect(await codeOf(store.commit(refused))).toBe('INTERNAL')
      expect(await store.findReply('r_1', 'c')).toBeNull()
      expect((await store.loadRun('r_1'))?.tail).toHaveLength(1)
    }))

  test('are limited in number, and what is too much is refused at once', () =>
    inStore(
      async (store) => {
        const ids = Array.from({ length: 14 }, (_, n) => `r_${n}`)
        const results = await Promise.all(ids.map((id) => codeOf(store.commit(changeOf(id, 0)))))
        expect(results.filter((one) => one === 'committed')).toHaveLength(10)
        expect(results.slice(10)).toEqual(Array(4).fill('OVERLOADED'))
        expect(await store.commit(changeOf('r_13', 0))).toBe('committed')
      },
      { queuedMax: 10 },
    ))

  test('may be more than fit into one transaction', () =>
    inStore(async (store) => {
      const ids = Array.from({ length: 1_000 }, (_, n) => `r_${n}`)
      const results = await Promise.all(ids.map((id) => store.commit(changeOf(id, 0))))
      expect(new Set(results)).toEqual(new Set(['committed']))
      expect((await store.readSeqs(ids)).size).toBe(1_000)
    }))
})

describe('a disk', () => {
  test('that is full keeps what was acknowledged, and is used again later', async ({ skip }) => {
    // Without its ballast the disk has room for the log and for what is carried over from it.
    const result = await onSmallDisk(12, async ({ folder }) => {
      const ballast = join(folder, 'ballast')
      writeFileSync(ballast, Buffer.alloc(7 * 1_048_576))
      const store = openSqliteStore({ path: join(folder, 'pawl.db') })
      const kept: string[] = []
      const lost: string[] = []
      for (let n = 0; n < 60; n += 1) {
        const id = `r_${n}`
        const result = await codeOf(store.commit(large(id, 100_000)))
        expect(['committed', 'STORE_UNAVAILABLE']).toContain(result)
        if (result === 'committed') kept.push(id)
        else lost.push(id)
      }
      expect(kept.length).toBeGreaterThan(5)
      expect(lost.length).toBeGreaterThan(5)
      expect([...(await store.readSeqs([...kept, ...lost])).keys()].sort()).toEqual(kept.sort())
      expect(await store.commit(large('r_huge', 3_000_000)).catch(() => null)).toBeNull()
      rmSync(ballast)
      expect(await store.commit(changeOf('r_after', 0))).toBe('committed')
      expect(await store.findTrouble()).toBeNull()
      await store.close()
      const again = openSqliteStore({ path: join(folder, 'pawl.db') })
      expect([...(await again.readSeqs([...kept, ...lost])).keys()].sort()).toEqual(kept.sort())
      for (const id of kept) expect((await again.loadRun(id))?.tail).toHaveLength(1)
      await again.close()
    })
    if (result === null) skip(cannotMount)
  })

  test('that has no room for one change still takes the small ones beside it', async ({ skip }) => {
    const result = await onSmallDisk(4, async ({ folder }) => {
      const store = openSqliteStore({ path: join(folder, 'pawl.db') })
      const results = await Promise.all([
        codeOf(store.commit(changeOf('r_1', 0))),
        codeOf(store.commit(large('r_huge', 6_000_000))),
        codeOf(store.commit(changeOf('r_2', 0))),
      ])
      expect(results).toEqual(['committed', 'STORE_UNAVAILABLE', 'committed'])
      await store.close()
    })
    if (result === null) skip(cannotMount)
  })

  test('that is read-only is a fault when it is opened', async ({ skip }) => {
    const result = await onSmallDisk(4, async ({ folder, remount }) => {
      const path = join(folder, 'pawl.db')
      const store = openSqliteStore({ path })
      await store.commit(changeOf('r_1', 0))
      await store.close()
      remount('ro')
      const fault = expect.objectContaining({ code: 'STORE_UNAVAILABLE' })
      expect(() => openSqliteStore({ path })).toThrow(fault)
      expect(() => openSqliteStore({ path: join(folder, 'new', 'pawl.db') })).toThrow(fault)
      remount('rw')
      const again = openSqliteStore({ path })
      expect(await again.readHead('r_1')).not.toBeNull()
      await again.close()
    })
    if (result === null) skip(cannotMount)
  })
})

describe('a damaged file', () => {
  const fault = expect.objectContaining({ code: 'STORE_CORRUPT' })

  test('is told from a database when it is opened', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'pawl.db')
      writeFileSync(path, 'this is a diary, not a database. '.repeat(500))
      expect(() => openSqliteStore({ path })).toThrow(fault)
      expect(readFileSync(path, 'utf8')).toMatch(/^this is a diary/)
    }))

  test('of another program is left alone', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'other.db')
      const other = new DatabaseSync(path)
      other.exec('CREATE TABLE bookmarks (url TEXT)')
      other.close()
      expect(() => openSqliteStore({ path })).toThrow(fault)
    }))

  test('is a fault where the damage is met, and never an answer', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'pawl.db')
      const store = openSqliteStore({ path })
      for (let n = 0; n < 40; n += 1) await store.commit(changeOf(`r_${n}`, 0, { count: 30 }))
      await store.close()
      const db = new DatabaseSync(path)
      const pages = db.prepare(`SELECT pgoffset, pgsize FROM dbstat WHERE name = 'events'`).all()
      db.close()
      const file = openSync(path, 'r+')
      for (const { pgoffset, pgsize } of pages.slice(pages.length / 2)) {
        writeSync(file, Buffer.alloc(Number(pgsize), 0xa5), 0, Number(pgsize), Number(pgoffset))
      }
      closeSync(file)
      const again = openSqliteStore({ path })
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, n) => codeOf(again.loadRun(`r_${n}`))),
      )
      const whole = results.filter((one) => one !== 'STORE_CORRUPT')
      expect(whole.length).toBeGreaterThan(0)
      expect(whole.length).toBeLessThan(40)
      for (const run of whole) expect(run.tail).toHaveLength(30)
      await again.close()
    }))
})

test('a head that was lost is found by its log and put back', () =>
  inStore(async (store, path) => {
    const change = changeOf('r_1', 0, { count: 3 })
    await store.commit(change)
    const other = new DatabaseSync(path)
    other.exec('DELETE FROM runs')
    other.close()
    expect(await store.readHead('r_1')).toBeNull()
    expect((await store.listRunIds({ after: null, limit: 9 })).items).toEqual(['r_1'])
    await store.replaceProjections(change.head, [], null)
    expect(await store.loadRun('r_1')).toEqual({
      head: change.head,
      snapshot: null,
      tail: change.events,
    })
  }))

test('a number that is too large to be read is read as the largest, with all other runs', () =>
  inStore(async (store, path) => {
    await store.commit(changeOf('r_1', 0))
    await store.commit(changeOf('r_2', 0))
    const other = new DatabaseSync(path)
    other.exec(`UPDATE runs SET cost_micro_usd = 9007199255550991 WHERE id = 'r_1'`)
    other.close()
    const query = { after: null, limit: 9, statuses: null, workspace: null, definition: null }
    expect((await store.listRuns(query)).items).toHaveLength(2)
    expect((await store.loadRun('r_1'))?.head.costMicroUsd).toBe(Number.MAX_SAFE_INTEGER)
  }))
