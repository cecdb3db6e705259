/** Every way to edit a SQLite database by hand is reported. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreAnchor } from '../../runtime/record/check-record.ts'
import { asAgent, check, openBench } from '../../runtime/runtime.contract.ts'
import {
  type Editor,
  editCases,
  editTable,
  runIds,
  setBack,
  type TableNames,
} from '../edited-rows.contract.ts'
import { fillStore, problemsIn } from '../fill-store.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const names: TableNames = {
  ...{ replies: 'replies', replyId: 'command_id', replyText: 'text' },
  ...{ outbox: 'owed', latest: 'version', bytes: 'log_bytes' },
}

const folder = mkdtempSync(join(tmpdir(), 'pawl-edited-'))
const filled = join(folder, 'filled.db')
let anchor: StoreAnchor

beforeAll(async () => {
  const store = openSqliteStore({ path: filled, synchronous: 'NORMAL' })
  anchor = await fillStore(store)
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A copy of the store, changed by another program. */
async function edited(name: string, edit: (db: Editor) => Promise<void>) {
  const path = join(folder, `${name}.db`)
  copyFileSync(filled, path)
  const db = new DatabaseSync(path)
  await edit({
    run: async (sql) => db.exec(sql),
    all: async <T>(sql: string) => db.prepare(sql).all() as T[],
  })
  db.close()
  return openSqliteStore({ path, synchronous: 'NORMAL' })
}

test('a store that nobody edited has no problems, with and without an anchor', async () => {
  const store = await edited('none', async () => undefined)
  expect(await problemsIn(store)).toEqual({ runsCount: 3, problems: [] })
  expect(await problemsIn(store, [anchor])).toEqual({ runsCount: 3, problems: [] })
  await store.close()
})

test.each(editCases.map((one, index) => [`${one.table}: ${one.name}`, one, index] as const))(
  '%s',
  async (_, { edit, reportedBy, says }, index) => {
    const store = await edited(`case-${index}`, (db) => edit(db, names))
    const { problems } = await problemsIn(store)
    if (reportedBy === 'anchor') expect(problems).toEqual([])
    const all = reportedBy === 'anchor' ? (await problemsIn(store, [anchor])).problems : problems
    await store.close()
    expect(all.map(({ problem }) => problem)).toContainEqual(expect.stringMatching(says))
  },
)

test('rows of an older version are accepted as they are, and bound from then on', async () => {
  const registerVersion = 6
  const path = join(folder, 'older.db')
  const older = await edited('older', (db) => setBack(db, registerVersion - 1))
  expect((await problemsIn(older)).problems).toEqual([])
  const [first] = await older.readRegister({ after: 0, limit: 1 })
  expect(JSON.parse(first?.text ?? '')).toMatchObject({ type: 'store.accepted', version: 6 })
  const { runtime } = openBench(older)
  await runtime.send(runIds.long, check('Read', { file_path: '/work/x' }), asAgent)
  expect((await problemsIn(older)).problems).toEqual([])
  await older.close()
  const db = new DatabaseSync(path)
  db.exec(`UPDATE replies SET text = replace(text, 'deny', 'allow')`)
  db.close()
  const again = openSqliteStore({ path, synchronous: 'NORMAL' })
  const { problems } = await problemsIn(again)
  expect(problems.map(({ problem }) => problem)).toEqual([
    'the replies from before the migration were changed',
  ])
  await again.close()
})

const refused = [
  ['snapshot', `UPDATE snapshots SET state = replace(state, '"plan"', '"done"')`],
  ['snapshot and its seq', 'UPDATE snapshots SET seq = seq - 1'],
  ['workspace', `UPDATE runs SET workspace = '/elsewhere'`],
  ['machine', 'UPDATE runs SET machine = hash'],
] as const

test.each(refused)('a run with an edited %s is refused when it is loaded', async (name, sql) => {
  const store = await edited(`load-${name}`, (db) => db.run(sql))
  const { runtime } = openBench(store)
  const sent = await runtime.send(runIds.long, check('Read', { file_path: '/work/x' }), asAgent)
  expect(sent.reply).toMatchObject({ verdict: 'deny', code: 'LOG_BROKEN' })
  await store.close()
})

test('an edited reply is refused when its command is sent again', async () => {
  const sql = `UPDATE replies SET text = replace(text, 'deny', 'allow')`
  const store = await edited('reply', (db) => db.run(sql))
  const { runtime } = openBench(store)
  const by = { ...asAgent, commandId: 'denied' }
  const sent = await runtime.send(runIds.long, check('Bash', { command: 'ls' }), by)
  expect(sent.reply).toMatchObject({ verdict: 'deny', code: 'STORE_CORRUPT' })
  await store.close()
})

test('the reference page has the table of these edits', () => {
  const page = new URL('../../../docs/reference/record.md', import.meta.url)
  expect(editCases.length).toBeGreaterThanOrEqual(30)
  expect(readFileSync(page, 'utf8')).toContain(editTable())
})
