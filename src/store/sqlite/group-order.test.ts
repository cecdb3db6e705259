import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openWriter } from './group-commit.ts'

test('changes keep their order when one of them fails and then the file is locked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-group-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'x.db')
  const db = new DatabaseSync(path, { timeout: 1 })
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)')
  const other = new DatabaseSync(path, { timeout: 1 })
  const add = db.prepare('INSERT INTO t VALUES (?)')
  const w = openWriter({ db, queuedMax: 100, lockedMaxMs: 5000 })
  // Another program takes the lock as soon as the faulty change has failed alone.
  let runs = 0
  const bad = {
    get code() {
      if (!db.isTransaction && runs >= 2 && !other.isTransaction) {
        other.exec('BEGIN IMMEDIATE')
        setTimeout(() => other.exec('COMMIT'), 50)
      }
      return 'X'
    },
  }
  const results = [
    w
      .write(() => {
        runs += 1
        throw bad
      })
      .catch(() => 'bad'),
    ...[1, 2, 3].map((n) =>
      w.write(() => {
        add.run(n)
        return n
      }),
    ),
  ]
  await Promise.all(results)
  const rows = db.prepare('SELECT n FROM t ORDER BY rowid').all()
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3])
})
