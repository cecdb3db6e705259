import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { changeOf, eventOf, headOf, replyOf } from '../records.contract.ts'
import { replyKeyOf } from './rows.ts'
import { inFolder } from './scratch.contract.ts'
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
