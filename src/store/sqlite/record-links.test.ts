/**
 * Records that lie in the order they came in are found as if each log lay by itself, whatever
 * happened to the file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventRecord, Store } from '../../runtime/ports.ts'
import { approvalOf, changeOf, eventOf, headOf, replyOf } from '../records.contract.ts'
import { migrate, steps } from './migrations.ts'
import { walkedSql } from './record-links.ts'
import { inFolder } from './scratch.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const runIds = ['r_1', 'r_2', 'r_3'] as const
const recordsCount = 200

const eventsOf = (runId: string, count = recordsCount): readonly EventRecord[] =>
  Array.from({ length: count }, (_, index) => eventOf(index + 1, { member: runId }))

/** Three logs whose records came in turns. */
async function writeInTurns(store: Store): Promise<void> {
  for (let seq = 0; seq < recordsCount; seq += 2) {
    for (const runId of runIds) {
      const reply = replyOf(`c_${seq + 2}`, `{"seq":${seq + 2}}`)
      await store.commit(changeOf(runId, seq, { count: 2, reply }))
    }
  }
}

/** A file with three logs; what is done to it, and what is found then. */
function afterwards(
  act: (db: DatabaseSync) => void,
  look: (store: Store, path: string) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const before = openSqliteStore({ path, synchronous: 'NORMAL' })
    await writeInTurns(before)
    await before.close()
    const db = new DatabaseSync(path)
    act(db)
    db.close()
    const store = openSqliteStore({ path, synchronous: 'NORMAL' })
    await look(store, path)
    await store.close()
  })
}

const logOf = (runId: string): string => `(SELECT no FROM logs WHERE run_id = '${runId}')`
const readAll = (store: Store, runId: string) =>
  store.readEvents(runId, { after: 0, limit: 10 * recordsCount })

const place = fc.record({
  runId: fc.constantFrom(...runIds),
  after: fc.integer({ min: 0, max: recordsCount + 3 }),
  limit: fc.integer({ min: 1, max: recordsCount + 3 }),
})

test('any part of a log is found, and nothing of another', () =>
  afterwards(
    () => undefined,
    async (store) => {
      await fc.assert(
        fc.asyncProperty(place, async ({ runId, after, limit }) => {
          const expected = eventsOf(runId).slice(after, after + limit)
          expect(await store.readEvents(runId, { after, limit })).toEqual(expected)
        }),
      )
    },
  ))

const damages: readonly (readonly [what: string, sql: string])[] = [
  ['links that lead nowhere', 'UPDATE events SET before = before + 100000 WHERE seq % 7 = 0'],
  ['links that lead to another log', 'UPDATE events SET before = before - 1 WHERE seq % 5 = 0'],
  ['links that lead to themselves', 'UPDATE events SET before = no WHERE seq = 90'],
  ['marks on other records', 'UPDATE marks SET no = no + 1'],
  ['no marks', 'DELETE FROM marks'],
  ['heads that lead nowhere', 'UPDATE runs SET last_no = NULL'],
  ['heads that were lost', 'DELETE FROM runs'],
]

test.each(damages)('%s: every record is found, and rebuilding links them again', (_what, sql) =>
  afterwards(
    (db) => db.exec(sql),
    async (store, path) => {
      for (const runId of runIds) expect(await readAll(store, runId)).toEqual(eventsOf(runId))
      await store.withIndex(async () => {
        for (const runId of runIds) {
          await store.replaceProjections(headOf(runId, recordsCount), [], null)
        }
      })
      const db = new DatabaseSync(path, { readOnly: true })
      const unlinked = db.prepare(
        `SELECT count(*) AS count FROM events AS e WHERE before IS NOT
           (SELECT no FROM events AS b WHERE b.log = e.log AND b.seq = e.seq - 1)`,
      )
      const unmarked = db.prepare(
        `SELECT (SELECT count(*) FROM events WHERE seq % 64 = 1) -
           (SELECT count(*) FROM marks JOIN events USING (log, seq, no)) AS count`,
      )
      const lost = db.prepare(
        `SELECT count(*) AS count FROM runs LEFT JOIN events AS e ON e.no = last_no
         WHERE e.log IS NOT runs.log OR e.seq IS NOT runs.seq`,
      )
      for (const wrong of [unlinked, unmarked, lost]) {
        expect(wrong.get()).toMatchObject({ count: 0 })
      }
      db.close()
      for (const runId of runIds) {
        expect(await readAll(store, runId)).toEqual(eventsOf(runId))
        const reply = replyOf('c_10', '{}')
        expect(await store.commit(changeOf(runId, recordsCount, { reply }))).toBe('repeated')
        expect(await store.commit(changeOf(runId, recordsCount))).toBe('committed')
      }
    },
  ),
)

test('a record that is missing leaves all others, and is missed', () =>
  afterwards(
    (db) => db.exec(`DELETE FROM events WHERE seq = 77 AND log = ${logOf('r_2')}`),
    async (store) => {
      const left = eventsOf('r_2').filter(({ seq }) => seq !== 77)
      expect(await readAll(store, 'r_2')).toEqual(left)
      expect(await store.countStrays('r_2')).toBe(0)
      expect(await readAll(store, 'r_3')).toEqual(eventsOf('r_3'))
    },
  ))

test('a record that no log leads to is counted, and never read', () =>
  afterwards(
    (db) =>
      db.exec(`INSERT INTO events SELECT NULL, log, seq + 1, no, member, type, data, at, actor,
        command_id, hash, NULL FROM events WHERE seq = ${recordsCount} AND log = ${logOf('r_1')}`),
    async (store) => {
      expect(await store.countStrays('r_1')).toBe(1)
      expect(await store.withIndex(() => store.countStrays('r_1'))).toBe(1)
      expect(await store.countStrays('r_3')).toBe(0)
      expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
      expect(await store.countStrays('r_none')).toBe(0)
    },
  ))

test.each([
  ['whole', 'SELECT 1'],
  ['without its links', 'UPDATE events SET before = NULL'],
  ['without its head', `DELETE FROM runs WHERE id = 'r_2'`],
  [
    'with its head put back',
    `UPDATE runs SET (seq, last_no) = (SELECT seq, no FROM events
       WHERE log = ${logOf('r_2')} AND seq = 150) WHERE id = 'r_2'`,
  ],
])('a log that is removed %s leaves no record behind, and takes no other along', (_what, sql) =>
  afterwards(
    (db) => db.exec(sql),
    async (store, path) => {
      await store.removeRuns(['r_2'])
      const db = new DatabaseSync(path, { readOnly: true })
      const count = (table: string) =>
        db.prepare(`SELECT count(*) AS count FROM ${table} WHERE log = 2`).get()
      for (const table of ['events', 'marks', 'runs']) {
        expect(count(table)).toMatchObject({ count: 0 })
      }
      db.close()
      expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
      expect(await store.commit(changeOf('r_2', 0, { count: 3 }))).toBe('committed')
      expect(await readAll(store, 'r_2')).toEqual(eventsOf('r_2', 3))
    },
  ),
)

test('a log whose head was lost is not begun a second time', () =>
  afterwards(
    (db) => db.exec(`DELETE FROM runs WHERE id = 'r_1'; DELETE FROM marks`),
    async (store) => {
      expect(await store.commit(changeOf('r_1', 0))).toBe('conflict')
      const copy = {
        head: headOf('r_1', 1),
        events: eventsOf('r_1', 1),
        approvals: [],
        machines: [],
      }
      expect(await store.importRun(copy)).toBe('exists')
      expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
    },
  ))

test.each([
  ['alone', `UPDATE runs SET seq = 150, hash = 'hash-150' WHERE id = 'r_1'`],
  [
    'with its links, past a mark',
    `UPDATE runs SET (seq, hash, last_no) = (SELECT seq, hash, no FROM events
       WHERE log = ${logOf('r_1')} AND seq = 150) WHERE id = 'r_1'`,
  ],
])('a head that was put back %s does not hide what came after it', (_what, sql) =>
  afterwards(
    (db) => db.exec(sql),
    async (store) => {
      const run = await store.loadRun('r_1')
      expect(run?.head.seq).toBe(150)
      expect(run?.tail).toEqual(eventsOf('r_1'))
      expect(await store.findReply('r_1', 'c_180')).toBe('{"seq":180}')
      const reply = replyOf('c_180', '{}')
      expect(await store.commit(changeOf('r_1', 150, { reply }))).toBe('repeated')
    },
  ),
)

test('a head that was put back to where replies are indexed hides none of them', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const before = openSqliteStore({ path, synchronous: 'NORMAL' })
    for (let seq = 0; seq < 310; seq += 1) {
      await before.commit(changeOf('r_1', seq, { reply: replyOf(`c_${seq + 1}`, `${seq + 1}`) }))
    }
    await before.close()
    const db = new DatabaseSync(path)
    db.exec('UPDATE runs SET seq = (SELECT indexed_seq FROM logs)')
    const seq = Number(db.prepare('SELECT seq FROM runs').get()?.seq)
    db.close()
    expect(seq).toBeGreaterThan(200)
    const store = openSqliteStore({ path })
    expect(await store.findReply('r_1', 'c_305')).toBe('305')
    expect(await store.commit(changeOf('r_1', seq, { reply: replyOf('c_305', '') }))).toBe(
      'repeated',
    )
    await store.close()
  }))

test('a mark that leads to an earlier record leads to no wrong answer', () =>
  afterwards(
    (db) =>
      db.exec(
        `UPDATE marks SET no = (SELECT no FROM marks AS m WHERE m.log = marks.log AND seq = 1)`,
      ),
    async (store) => {
      expect(await store.readEvents('r_1', { after: 59, limit: 1 })).toEqual([
        eventOf(60, { member: 'r_1' }),
      ])
      expect(await store.findReply('r_1', 'c_60')).toBe('{"seq":60}')
    },
  ))

test('a record that was put back elsewhere is linked where it belongs', () =>
  afterwards(
    (db) => db.exec(`UPDATE events SET no = 99999 WHERE seq = 77 AND log = ${logOf('r_1')}`),
    async (store) => {
      for (let count = 0; count < 3; count += 1) {
        await store.replaceProjections(headOf('r_1', recordsCount), [], null)
      }
      expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
      expect((await store.loadRun('r_1'))?.tail.at(-1)?.seq).toBe(recordsCount)
      expect(await store.commit(changeOf('r_1', recordsCount))).toBe('committed')
      expect((await store.loadRun('r_1'))?.tail.at(-1)?.seq).toBe(recordsCount + 1)
    },
  ))

test('a file that somebody had analysed is not gone through for each record', () =>
  afterwards(
    (db) => db.exec('ANALYZE'),
    async (_store, path) => {
      const db = new DatabaseSync(path, { readOnly: true })
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${walkedSql('e.seq')}`)
      const steps = plan.all({ log: 1, after: 0, upTo: 9 }).map((row) => String(row.detail))
      db.close()
      expect(steps.filter((step) => /^SCAN (e|events|marks|runs)\b/.test(step))).toEqual([])
    },
  ))

test('nothing is kept of projections of a run that has no log', () =>
  afterwards(
    () => undefined,
    async (store) => {
      await store.replaceProjections(headOf('r_none', 3), [approvalOf('a_1', 'r_none')], null)
      expect(await store.readApproval('a_1')).toBeNull()
    },
  ))

test('an index that a killed rebuild has left behind is taken away', () =>
  afterwards(
    (db) => db.exec('CREATE INDEX events_by_log ON events (log, seq)'),
    async (_store, path) => {
      const db = new DatabaseSync(path, { readOnly: true })
      const left = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events_by_log'`).get()
      db.close()
      expect(left).toBeUndefined()
    },
  ))

test('logs that an older Pawl has written in turns are linked when the file is opened', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const db = new DatabaseSync(path)
    migrate(db, steps.slice(0, 3))
    for (const [at, runId] of runIds.entries()) {
      db.prepare('INSERT INTO logs VALUES (?, ?, 0)').run(at + 1, runId)
      // WHY not the last: its head was lost.
      if (runId === 'r_3') continue
      db.prepare(
        `INSERT INTO runs VALUES
          (?, ?, 'm', 'd', 'workflow', 'running', 's', ?, '', NULL, 0, 0, 1, 1, 1, NULL, 0)`,
      ).run(at + 1, runId, recordsCount)
    }
    const add = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)')
    for (let seq = 1; seq <= recordsCount; seq += 1) {
      for (const [at, runId] of runIds.entries()) {
        const e = eventOf(seq, { member: runId })
        add.run(at + 1, seq, e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash)
      }
    }
    db.close()
    const store = openSqliteStore({ path })
    for (const runId of runIds) {
      expect(await readAll(store, runId)).toEqual(eventsOf(runId))
      const page = await store.readEvents(runId, { after: 99, limit: 5 })
      expect(page).toEqual(eventsOf(runId).slice(99, 104))
    }
    expect(await store.commit(changeOf('r_1', recordsCount))).toBe('committed')
    await store.close()
  }))

test('the fixture of this version has what the migrations make', () => {
  const fixture = new URL(`./fixtures/version-${steps.length}.sql`, import.meta.url)
  const [made, kept] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]
  migrate(made)
  kept.exec(readFileSync(fixture, 'utf8'))
  const tables = (db: DatabaseSync) =>
    db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  expect(tables(kept)).toEqual(tables(made))
})
