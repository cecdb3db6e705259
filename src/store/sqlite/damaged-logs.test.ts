/**
 * What becomes of a log whose rows were changed by another program.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventRecord, Store } from '../../runtime/ports.ts'
import { approvalOf, changeOf, eventOf, headOf, replyOf } from '../sample-records.contract.ts'
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

/** A file with three logs that another program changes, and what is found then. */
function afterwards(
  sql: string,
  look: (store: Store, path: string) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const before = openSqliteStore({ path, synchronous: 'NORMAL' })
    await writeInTurns(before)
    await before.close()
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
    const store = openSqliteStore({ path, synchronous: 'NORMAL' })
    await look(store, path)
    await store.close()
  })
}

const untouched = 'SELECT 1'
const readAll = (store: Store, runId: string) =>
  store.readEvents(runId, { after: 0, limit: 10 * recordsCount })

const pageArb = fc.record({
  runId: fc.constantFrom(...runIds),
  after: fc.integer({ min: 0, max: recordsCount + 3 }),
  limit: fc.integer({ min: 1, max: recordsCount + 3 }),
})

test('any part of a log is found, and nothing of another', () =>
  afterwards(untouched, async (store) => {
    await fc.assert(
      fc.asyncProperty(pageArb, async ({ runId, after, limit }) => {
        const expected = eventsOf(runId).slice(after, after + limit)
        expect(await store.readEvents(runId, { after, limit })).toEqual(expected)
      }),
    )
  }))

test('a record that is missing leaves all others', () =>
  afterwards(`DELETE FROM events WHERE seq = 77 AND run_id = 'r_2'`, async (store) => {
    const left = eventsOf('r_2').filter(({ seq }) => seq !== 77)
    expect(await readAll(store, 'r_2')).toEqual(left)
    expect(await readAll(store, 'r_3')).toEqual(eventsOf('r_3'))
  }))

test('heads that were lost are found by their logs and put back', () =>
  afterwards('DELETE FROM runs', async (store) => {
    expect((await store.listRunIds({ after: null, limit: 9 })).items).toEqual(runIds)
    for (const runId of runIds) {
      expect(await store.readHead(runId)).toBeNull()
      expect(await readAll(store, runId)).toEqual(eventsOf(runId))
      await store.replaceProjections(headOf(runId, recordsCount), [], null)
      expect(await store.readHead(runId)).toEqual(headOf(runId, recordsCount))
      const reply = replyOf('c_10', '{}')
      expect(await store.commit(changeOf(runId, recordsCount, { reply }))).toBe('repeated')
      expect(await store.commit(changeOf(runId, recordsCount))).toBe('committed')
    }
  }))

test('a log whose head was lost is neither begun a second time nor continued', () =>
  afterwards(`DELETE FROM runs WHERE id = 'r_1'`, async (store) => {
    expect(await store.commit(changeOf('r_1', 0))).toBe('conflict')
    expect(await store.commit(changeOf('r_1', recordsCount))).toBe('conflict')
    const head = headOf('r_1', 1)
    const copy = { head, events: eventsOf('r_1', 1), approvals: [], machines: [] }
    expect(await store.importRun(copy)).toBe('exists')
    expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
  }))

test('a head that was put back does not hide what came after it, and nothing is overwritten', () =>
  afterwards(`UPDATE runs SET seq = 150, hash = 'hash-150' WHERE id = 'r_1'`, async (store) => {
    const run = await store.loadRun('r_1')
    expect(run?.head.seq).toBe(150)
    expect(run?.tail).toEqual(eventsOf('r_1'))
    expect(await store.findReply('r_1', 'c_180')).toBe('{"seq":180}')
    const reply = replyOf('c_180', '{}')
    expect(await store.commit(changeOf('r_1', 150, { reply }))).toBe('repeated')
    await expect(store.commit(changeOf('r_1', 150))).rejects.toMatchObject({ code: 'INTERNAL' })
    expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
  }))

test.each([
  ['whole', untouched],
  ['without its head', `DELETE FROM runs WHERE id = 'r_2'`],
  ['with its head put back', `UPDATE runs SET seq = 150 WHERE id = 'r_2'`],
])('a log that is removed %s leaves nothing behind, and takes no other along', (_what, sql) =>
  afterwards(sql, async (store, path) => {
    await store.removeRuns(['r_2'])
    const db = new DatabaseSync(path, { readOnly: true })
    for (const rows of [`events WHERE run_id`, 'replies WHERE run_id', 'runs WHERE id']) {
      const left = db.prepare(`SELECT count(*) AS count FROM ${rows} = 'r_2'`).get()
      expect(left, rows).toMatchObject({ count: 0 })
    }
    db.close()
    expect(await readAll(store, 'r_1')).toEqual(eventsOf('r_1'))
    expect(await store.commit(changeOf('r_2', 0, { count: 3 }))).toBe('committed')
    expect(await readAll(store, 'r_2')).toEqual(eventsOf('r_2', 3))
  }),
)

test('nothing is kept of projections of a run that has no log', () =>
  afterwards(untouched, async (store) => {
    await store.replaceProjections(headOf('r_none', 3), [approvalOf('a_1', 'r_none')], null)
    expect(await store.readApproval('a_1')).toBeNull()
    expect(await store.readHead('r_none')).toBeNull()
  }))

test('run ids are listed page by page', () =>
  afterwards(untouched, async (store) => {
    const first = await store.listRunIds({ after: null, limit: 2 })
    expect(first.items).toEqual(['r_1', 'r_2'])
    expect(await store.listRunIds({ after: first.next, limit: 2 })).toEqual({
      items: ['r_3'],
      next: null,
    })
  }))
