import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { changeOf } from '../records.contract.ts'
import { openWriter, type Writer } from './group-commit.ts'
import type { WriteThread } from './open-write-thread.ts'
import type { Recall } from './recall.ts'
import { inFolder } from './scratch.contract.ts'
import type { Written } from './write-group.ts'

type Asked = { readonly ids: readonly string[]; readonly tell: (written: Written) => void }

/** A thread whose answers the test gives. */
function openThread(): { readonly thread: WriteThread; readonly asked: Asked[] } {
  const asked: Asked[] = []
  const write: WriteThread['write'] = (changes) =>
    new Promise((tell) => asked.push({ ids: changes.map(({ change }) => change.runId), tell }))
  return { thread: { isReady: () => true, write, close: async () => undefined }, asked }
}

const recall: Recall = { hintFor: () => null, settle: () => undefined, forget: () => undefined }
const locked: Written = {
  kind: 'locked',
  error: Object.assign(new Error('busy'), { code: 'ERR_SQLITE_ERROR', errcode: 5 }),
}
const kept = (count: number): Written => ({
  kind: 'tried',
  results: Array.from({ length: count }, () => ({ kind: 'done', value: 'committed' })),
})

type Tried = { readonly writer: Writer; readonly asked: Asked[]; readonly other: DatabaseSync }

const trying = (act: (tried: Tried) => Promise<void>) =>
  inFolder(async (folder) => {
    const path = join(folder, 'pawl.db')
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 1; CREATE TABLE one (n)')
    const { thread, asked } = openThread()
    const limits = { queuedMax: 100, lockedMaxMs: 400, crowdMin: 1 }
    const commitHere = () => 'committed' as const
    const writer = openWriter({ db, commitHere, thread, recall, ...limits })
    const other = new DatabaseSync(path)
    await act({ writer, asked, other })
    await writer.close()
    other.close()
    db.close()
  })

test('groups that found the file locked are written in the order in which they came', () =>
  trying(async ({ writer, asked }) => {
    const order: string[] = []
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const all = ids.map((id) => writer.commit(changeOf(id, 0)).then(() => order.push(id)))
    await turn()
    expect(asked.map((one) => one.ids)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ])
    for (const { tell } of asked) {
      tell(locked)
      await turn()
    }
    await Promise.all(all)
    expect(order).toEqual(ids)
  }))

test('a lock that nobody waited for takes nothing from the time of the next who waits', () =>
  trying(async ({ writer, asked, other }) => {
    const all = Array.from({ length: 24 }, (_, n) => writer.commit(changeOf(`r_${n}`, 0)))
    await turn()
    for (const [at, { tell, ids }] of [...asked].entries()) {
      tell(at === 0 ? locked : kept(ids.length))
      await turn()
    }
    // The first ones come to the thread again, and it finds no lock any more.
    while (asked.length < 3) await sleep(2)
    for (const { tell, ids } of asked.slice(2)) tell(kept(ids.length))
    await Promise.all(all)
    other.exec('BEGIN IMMEDIATE')
    await sleep(60)
    other.exec('ROLLBACK')
    await sleep(500)
    other.exec('BEGIN IMMEDIATE')
    const late = writer.write(() => 'written')
    await sleep(60)
    other.exec('ROLLBACK')
    expect(await late).toBe('written')
  }))
