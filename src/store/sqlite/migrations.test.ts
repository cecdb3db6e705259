import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import {
  approvalOf,
  changeOf,
  definitionOf,
  eventOf,
  headOf,
  machineOf,
  replyOf,
  startedAt,
} from '../sample-records.contract.ts'
import { migrateSqlite, steps } from './migrations.ts'
import { inFolder } from './scratch.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const versionsOf = (db: DatabaseSync) =>
  db.prepare('SELECT version, applied_at FROM migrations ORDER BY version').all()

test('an empty file gets every step, in order', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  expect(versionsOf(db).map((row) => row.version)).toEqual(steps.map((_, index) => index + 1))
})

test('a database of the current version is left as it is', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore({ path })
    await store.commit(changeOf('r_1', 0))
    await store.close()
    const dump = () => {
      const db = new DatabaseSync(path)
      const schema = db.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all()
      const rows = versionsOf(db)
      db.close()
      return { schema, rows }
    }
    const before = dump()
    const again = openSqliteStore({ path })
    expect(await again.readHead('r_1')).not.toBeNull()
    await again.close()
    expect(dump()).toEqual(before)
  }))

const fixtures = new URL('./fixtures/', import.meta.url)

test.each(readdirSync(fixtures))('%s is brought up to now and can be gone on with', (name) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const db = new DatabaseSync(path)
    db.exec(readFileSync(new URL(name, fixtures), 'utf8'))
    db.close()
    const store = openSqliteStore({ path })
    const { head, events } = changeOf('r_1', 0, { count: 3 })
    expect(await store.loadRun('r_1')).toEqual({
      head,
      snapshot: { seq: 2, version: 1, state: '{"stage":"s2"}' },
      tail: events.slice(1),
    })
    expect(await store.readEvents('r_1', { after: 0, limit: 9 })).toEqual(events)
    expect(await store.findReply('r_1', 'c_1')).toBe('{"kind":"accepted"}')
    expect(await store.readApproval('a_1')).toEqual(approvalOf('a_1', 'r_1'))
    expect(await store.readMachine('m_1')).toEqual(machineOf('m_1'))
    expect(await store.readDefinition('d_1')).toEqual(definitionOf('d_1', 'release'))
    expect(await store.commit(changeOf('r_1', 3))).toBe('committed')
    const outbox = await store.takeOutbox({ at: startedAt, leaseMs: 1, limit: 9 })
    expect(outbox.map((one) => one.id)).toEqual(['o_1'])
    await store.close()
    const again = new DatabaseSync(path)
    expect(versionsOf(again)).toHaveLength(steps.length)
    again.close()
  }),
)

test('there is a fixture of every version so far', () => {
  const names = steps.map((_, index) => `version-${index + 1}.sql`)
  expect(readdirSync(fixtures).sort()).toEqual(names.sort())
})

test('the fixture of this version has what the migrations make', () => {
  const fixture = new URL(`version-${steps.length}.sql`, fixtures)
  const [made, kept] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]
  migrateSqlite(made)
  kept.exec(readFileSync(fixture, 'utf8'))
  const tables = (db: DatabaseSync) =>
    db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  expect(tables(kept)).toEqual(tables(made))
})

const runIds = ['r_1', 'r_2', 'r_3'] as const
const recordsCount = 200

/** Logs as version 3 kept them, with records of three runs in turn. The head of `r_3` is lost. */
function fillVersion3(db: DatabaseSync): void {
  migrateSqlite(db, steps.slice(0, 3))
  for (const [index, runId] of runIds.entries()) {
    db.prepare('INSERT INTO logs VALUES (?, ?, 0)').run(index + 1, runId)
    if (runId === 'r_3') continue
    db.prepare(
      `INSERT INTO runs VALUES (?, ?, 'sha256-of-machine', 'release', 'workflow', 'running', ?, ?,
         ?, '/work/app', ?, ?, ?, ?, 1, NULL, 7000)`,
    ).run(
      ...[index + 1, runId, `s${recordsCount}`, recordsCount, `hash-${recordsCount}`, recordsCount],
      ...[recordsCount * 1_000, startedAt, startedAt + recordsCount],
    )
  }
  const add = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (let seq = 1; seq <= recordsCount; seq += 1) {
    for (const [index, runId] of runIds.entries()) {
      const e = eventOf(seq, { member: runId })
      const reply = seq % 2 === 0 ? `{"seq":${seq},"besides":{"kind":"check"}}` : null
      add.run(index + 1, seq, e.member, e.type, e.data, e.at, e.actor, e.commandId, e.hash, reply)
    }
  }
  // The reply to a command without records, and one of the versions before 3.
  db.exec(`INSERT INTO replies VALUES (1, 4711, 'silent', '{"kind":"silent"}')`)
  db.exec(`INSERT INTO replies VALUES (2, 4711, 'c_1', '{"kind":"old"}')`)
}

const damages: readonly (readonly [what: string, sql: string])[] = [
  ['whole', 'SELECT 1'],
  ['with links that lead nowhere', 'UPDATE events SET before = before + 100000'],
  ['without marks and links', 'DELETE FROM marks; UPDATE runs SET last_no = NULL'],
  ['with all replies indexed', 'UPDATE logs SET indexed_seq = 200'],
  [
    'with a record that is there twice',
    `INSERT INTO events SELECT NULL, log, seq, before, member, type, 'other', at, actor,
       command_id, hash, reply FROM events WHERE seq = 77`,
  ],
]

test.each(damages)('linked records of version 4, %s, become plain rows', (_what, sql) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const db = new DatabaseSync(path)
    fillVersion3(db)
    migrateSqlite(db, steps.slice(0, 4))
    db.exec(sql)
    db.close()
    const store = openSqliteStore({ path })
    for (const runId of runIds) {
      const events = Array.from({ length: recordsCount }, (_, index) =>
        eventOf(index + 1, { member: runId }),
      )
      expect(await store.readEvents(runId, { after: 0, limit: 999 })).toEqual(events)
      expect(await store.findReply(runId, 'c_2')).toBe('{"seq":2,"besides":{"kind":"check"}}')
      expect(await store.findReply(runId, 'c_3')).toBeNull()
      const again = changeOf(runId, recordsCount, { reply: replyOf('c_200') })
      expect(await store.commit(again)).toBe('repeated')
    }
    expect(await store.readHead('r_1')).toEqual(headOf('r_1', recordsCount))
    expect(await store.readHead('r_3')).toBeNull()
    expect((await store.listRunIds({ after: null, limit: 9 })).items).toEqual(runIds)
    expect(await store.findReply('r_1', 'silent')).toBe('{"kind":"silent"}')
    expect(await store.findReply('r_2', 'c_1')).toBe('{"kind":"old"}')
    expect(await store.commit(changeOf('r_1', recordsCount))).toBe('committed')
    await store.close()
  }),
)

test('a database from before the first release is refused', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
    INSERT INTO migrations VALUES (1, 0); CREATE TABLE events (run_id TEXT)`)
  expect(() => migrateSqlite(db)).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }))
})

test('a new step is applied to a database that has the ones before, once', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  const more = [...steps, 'CREATE TABLE more (id INTEGER); INSERT INTO more VALUES (1)']
  migrateSqlite(db, more)
  migrateSqlite(db, more)
  expect(db.prepare('SELECT count(*) AS count FROM more').get()?.count).toBe(1)
  expect(versionsOf(db)).toHaveLength(more.length)
})

test('a step that fails leaves the version before it, whole', () => {
  const db = new DatabaseSync(':memory:')
  const broken = [...steps, 'CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)']
  expect(() => migrateSqlite(db, broken)).toThrow('nowhere')
  expect(versionsOf(db)).toHaveLength(steps.length)
  expect(db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'half'`).get()).toBeUndefined()
  migrateSqlite(db)
})

test('a database of a newer Pawl is refused and not touched', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    await openSqliteStore({ path }).close()
    const db = new DatabaseSync(path)
    db.prepare('INSERT INTO migrations VALUES (?, 0)').run(steps.length + 1)
    const before = versionsOf(db)
    expect(() => openSqliteStore({ path })).toThrow(
      expect.objectContaining({ code: 'STORE_VERSION' }),
    )
    expect(versionsOf(db)).toEqual(before)
    db.close()
  }))

test('two that open one new file at once both find it ready', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const stores = [openSqliteStore({ path }), openSqliteStore({ path })]
    for (const [n, store] of stores.entries()) {
      expect(await store.commit(changeOf(`r_${n}`, 0))).toBe('committed')
    }
    await Promise.all(stores.map((store) => store.close()))
  }))
