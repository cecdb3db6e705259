import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { changeOf, eventOf, headOf, owedOf, replyOf } from '../records.contract.ts'
import { replyKeyOf } from './rows.ts'
import { inFolder, openThread } from './scratch.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** Records of a run that have to be looked through to find a reply among them. */
function tailOf(path: string, runId: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  const row = db
    .prepare('SELECT seq - indexed_seq AS tail FROM logs JOIN runs ON log = no WHERE run_id = ?')
    .get(runId)
  db.close()
  return Number(row?.tail)
}

test('however long a log is, few of its records are looked through for a reply', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore({ path, synchronous: 'NORMAL' })
    // Most commands have no id that anybody could send again.
    const named = (seq: number) => (seq % 100 === 0 ? replyOf(`c_${seq + 1}`) : null)
    for (let seq = 0; seq < 3_000; seq += 1) {
      expect(await store.commit(changeOf('r_1', seq, { reply: named(seq) }))).toBe('committed')
    }
    expect(tailOf(path, 'r_1')).toBeLessThan(1_100)
    for (const seq of [0, 100, 1_000, 2_900]) {
      expect(await store.commit(changeOf('r_1', 3_000, { reply: named(seq) }))).toBe('repeated')
    }
    await store.close()
  }))

test('a run that comes from elsewhere brings no replies to look for', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore({ path })
    const events = Array.from({ length: 2_000 }, (_, index) => eventOf(index + 1))
    const copy = { head: headOf('r_1', 2_000), events, approvals: [], machines: [] }
    expect(await store.importRun(copy)).toBe('imported')
    expect(tailOf(path, 'r_1')).toBe(0)
    const change = changeOf('r_1', 2_000, { reply: replyOf('c_2001') })
    expect(await store.commit(change)).toBe('committed')
    expect(await store.commit(change)).toBe('repeated')
    await store.close()
  }))

test('a command that shares its number with another one takes nothing from those before it', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const commandOf = (seq: number, commandId: string) => {
      const events = [eventOf(seq + 1, { member: 'r_1', commandId })]
      return changeOf('r_1', seq, { events, reply: replyOf(commandId) })
    }
    const before = openSqliteStore({ path })
    await before.commit(commandOf(0, 'c_0'))
    await before.close()
    // As if `c_0` had the number of `other`, which nobody can wait for here.
    const db = new DatabaseSync(path)
    for (const id of ['c_0', 'other']) {
      db.prepare('INSERT INTO answered VALUES (1, ?, 1)').run(replyKeyOf(id)[0])
    }
    db.exec('UPDATE logs SET indexed_seq = 1')
    db.close()
    const store = openSqliteStore({ path, synchronous: 'NORMAL' })
    const count = 258
    for (let seq = 1; seq < count; seq += 1) await store.commit(commandOf(seq, `c_${seq}`))
    // It is the one with which those before it are indexed.
    expect(await store.commit(commandOf(count, 'other'))).toBe('committed')
    expect(tailOf(path, 'r_1')).toBe(1)
    for (const id of ['c_0', 'c_5', `c_${count - 1}`, 'other']) {
      expect(await store.commit(commandOf(count + 1, id)), id).toBe('repeated')
    }
    await store.close()
  }))

/** A run that only others fail in: what is owed twice is refused, and its group is undone. */
const refused = (seq: number) => changeOf('r_bad', seq, { owed: [owedOf('o_1', 'r_bad')] })

test('whoever writes a command, every one before it is known again', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore(
      { path, synchronous: 'NORMAL', crowdMin: 2 },
      await openThread(path),
    )
    const seqs = new Map([0, 1, 2].map((n) => [`r_${n}`, 0]))
    const next = (runId: string) => {
      const seq = seqs.get(runId) ?? 0
      seqs.set(runId, seq + 1)
      const commandId = `${runId}_${seq}`
      const events = [eventOf(seq + 1, { member: runId, commandId })]
      return changeOf(runId, seq, { events, reply: replyOf(commandId, `{"of":${seq}}`) })
    }
    await store.commit(refused(0))
    for (let step = 0; step < 1_800; step += 1) {
      // Long stretches of the thread alone, some of both, some of groups that are undone.
      const isMixed = step % 600 > 450
      if (isMixed && step % 7 === 0) await store.commit(next('r_0'))
      const undone = isMixed && step % 11 === 0 ? [refused(1)] : []
      const all = [...[...seqs.keys()].map(next), ...undone].map((one) => store.commit(one))
      const results = await Promise.allSettled(all)
      expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(undone.length)
    }
    for (const [runId, seq] of seqs) {
      expect(unindexed(path, runId, 1_000), runId).toEqual([])
      // WHY not the first: it is known by itself, and after it the run is looked at anew.
      for (let n = 5; n < seq; n += 97) {
        const commandId = `${runId}_${n}`
        const events = [eventOf(seq + 1, { member: runId, commandId })]
        const again = changeOf(runId, seq, { events, reply: replyOf(commandId) })
        expect(await store.commit(again)).toBe('repeated')
        expect(await store.findReply(runId, commandId)).toBe(`{"of":${n}}`)
      }
    }
    await store.close()
  }))

test('a command that was undone is not taken for the one that was written in its place', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const store = openSqliteStore(
      { path, synchronous: 'NORMAL', crowdMin: 1 },
      await openThread(path),
    )
    let seq = 0
    const commandOf = (commandId: string, owed = seq === 0 ? [owedOf('o_1', 'r_1')] : []) => {
      const events = [eventOf(seq + 1, { member: 'r_1', commandId })]
      return changeOf('r_1', seq, { events, reply: replyOf(commandId), owed })
    }
    const commit = async (commandId: string) => {
      expect(await store.commit(commandOf(commandId))).toBe('committed')
      seq += 1
    }
    for (let n = 0; n < 300; n += 1) await commit(`before_${n}`)
    // What is owed twice is refused by the thread, which has noted the command by then.
    await expect(store.commit(commandOf('undone', [owedOf('o_1', 'r_1')]))).rejects.toThrow()
    // What is queued behind a job is written here.
    await Promise.all([store.findTrouble(), commit('here')])
    for (let n = 0; n < 300; n += 1) await commit(`after_${n}`)
    expect(unindexed(path, 'r_1', 500)).toEqual([])
    await store.close()
    const again = openSqliteStore({ path })
    expect(await again.commit(commandOf('here'))).toBe('repeated')
    await again.close()
  }))

/** Records whose reply is said to be indexed, and is not, or under another number. */
function unindexed(path: string, runId: string, countMin: number): readonly number[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = db
    .prepare(
      `SELECT e.seq, command_id AS id, command_key AS key
       FROM logs JOIN events AS e ON e.log = logs.no
       LEFT JOIN answered AS a ON a.log = e.log AND a.seq = e.seq
       WHERE run_id = ? AND e.seq <= indexed_seq AND reply IS NOT NULL`,
    )
    .all(runId)
  db.close()
  expect(rows.length).toBeGreaterThan(countMin)
  return rows
    .filter(({ id, key }) => key !== replyKeyOf(String(id))[0])
    .map(({ seq }) => Number(seq))
}
