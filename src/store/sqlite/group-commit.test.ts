import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type GroupWriter, openWriter } from './group-commit.ts'
import { inFolder } from './scratch.contract.ts'

type WriterBench = {
  readonly writer: GroupWriter
  readonly db: DatabaseSync
  /** Another program at the same file. */
  readonly other: DatabaseSync
  readonly add: (n: number) => Promise<number>
}

const inWriter = (act: (opened: WriterBench) => Promise<void>) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 1; CREATE TABLE one (n UNIQUE)')
    const writer = openWriter({ db, queuedMax: 1_000, lockedMaxMs: 400 })
    const other = new DatabaseSync(path)
    const insert = db.prepare('INSERT INTO one VALUES (?)')
    const add = (n: number) =>
      writer.write(() => {
        insert.run(n)
        return n
      })
    await act({ writer, db, other, add })
    await writer.close()
    other.close()
    db.close()
  })

const numbersIn = (db: DatabaseSync) =>
  db
    .prepare('SELECT n FROM one ORDER BY rowid')
    .all()
    .map((row) => row.n)

test('jobs of one turn share a transaction, and each gets its own value', () =>
  inWriter(async ({ writer, db, other, add }) => {
    const seen = writer.write(() => numbersIn(other).length)
    const values = [add(1), add(2), writer.write(() => numbersIn(db).length)]
    const late = writer.write(() => numbersIn(other).length)
    expect(await Promise.all(values)).toEqual([1, 2, 2])
    // Nobody else sees anything of a group before all of it is there.
    expect([await seen, await late]).toEqual([0, 0])
    expect(numbersIn(other)).toEqual([1, 2])
  }))

test('a job that fails fails alone, and leaves nothing behind', () =>
  inWriter(async ({ writer, other, add }) => {
    await add(2)
    const failing = writer.write(() => {
      throw new Error('a bug')
    })
    const results = await Promise.allSettled([add(1), add(2), failing, add(3)])
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(numbersIn(other)).toEqual([2, 1, 3])
  }))

test('jobs that found the file locked are written in the order in which they came', () =>
  inWriter(async ({ other, add }) => {
    // More than fit into one transaction.
    const numbers = Array.from({ length: 600 }, (_, n) => n)
    other.exec('BEGIN IMMEDIATE')
    const waiting = numbers.map(add)
    await sleep(60)
    other.exec('ROLLBACK')
    expect(await Promise.all(waiting)).toEqual(numbers)
    expect(numbersIn(other)).toEqual(numbers)
  }))

test('a lock that is over takes nothing from the time of the next who waits', () =>
  inWriter(async ({ other, add }) => {
    for (const n of [1, 2]) {
      other.exec('BEGIN IMMEDIATE')
      const waiting = add(n)
      await sleep(250)
      other.exec('ROLLBACK')
      expect(await waiting).toBe(n)
    }
  }))

test('closing finishes what was queued, also behind a lock, and takes nothing more', () =>
  inWriter(async ({ writer, other, add }) => {
    other.exec('BEGIN IMMEDIATE')
    const waiting = [add(1), add(2)]
    const closing = writer.close()
    await expect(add(3)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await sleep(50)
    other.exec('ROLLBACK')
    await closing
    expect(numbersIn(other)).toEqual([1, 2])
    expect(await Promise.all(waiting)).toEqual([1, 2])
  }))
