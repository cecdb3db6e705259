/** Every way to edit a PostgreSQL database by hand is reported. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedPostgresUrl } from '../../../scripts/postgres/shared-server.ts'
import type { Store } from '../../runtime/ports.ts'
import type { StoreAnchor } from '../../runtime/record/check-record.ts'
import { type Editor, editCases, setBack, type TableNames } from '../edited-rows.contract.ts'
import { fillStore, problemsIn } from '../fill-store.contract.ts'
import { connectPool, type Sql } from './pool.ts'
import { openPostgresStore } from './postgres-store.ts'

const names: TableNames = {
  ...{ replies: 'commands', replyId: 'id', replyText: 'reply' },
  ...{ outbox: 'outbox', latest: 'latest', bytes: 'bytes' },
}
const tables = [
  ...['runs', 'events', 'commands', 'snapshots', 'approvals', 'outbox', 'machines', 'claims'],
  ...['definitions', 'definition_versions', 'cards', 'register', 'register_tip'],
]

const url = await sharedPostgresUrl()
const schema = `t_${randomUUID().replaceAll('-', '')}`
let store: Store
let anchor: StoreAnchor
let sql: Sql

beforeAll(async () => {
  store = await openPostgresStore({ url, schema })
  anchor = await fillStore(store)
  sql = connectPool({ url, schema, poolMax: 1, timeoutMs: 10_000 })
  const copies = tables.map((table) => `CREATE TABLE saved_${table} AS TABLE ${table};`)
  await sql.unsafe(copies.join('')).simple()
})
afterAll(async () => {
  await store.close()
  await sql.end({ timeout: 0 })
})

const editorOf = (db: Sql): Editor => ({
  run: async (text) => void (await db.unsafe(text).simple()),
  all: async <T>(text: string) => [...(await db.unsafe(text))] as unknown as T[],
})

const restore = (): Promise<unknown> => {
  const back = tables.map(
    (table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table};`,
  )
  return sql.unsafe(back.join('')).simple()
}

test('a store that nobody edited has no problems, with and without an anchor', async () => {
  expect(await problemsIn(store)).toEqual({ runsCount: 3, problems: [] })
  expect(await problemsIn(store, [anchor])).toEqual({ runsCount: 3, problems: [] })
})

test('rows of an older version are accepted as they are', async () => {
  const older = `t_${randomUUID().replaceAll('-', '')}`
  const one = await openPostgresStore({ url, schema: older })
  await fillStore(one)
  await one.close()
  const other = connectPool({ url, schema: older, poolMax: 1, timeoutMs: 10_000 })
  await setBack(editorOf(other), 2)
  await other.unsafe('DROP TABLE register_tip')
  await other.end({ timeout: 0 })
  const again = await openPostgresStore({ url, schema: older })
  expect((await problemsIn(again)).problems).toEqual([])
  expect((await again.readRegisterTip())?.seq).toBe(1)
  await again.close()
})

test.each(editCases.map((one) => [`${one.table}: ${one.name}`, one] as const))(
  '%s',
  async (_, { edit, reportedBy, says }) => {
    await edit(editorOf(sql), names)
    const { problems } = await problemsIn(store)
    if (reportedBy === 'anchor') expect(problems).toEqual([])
    const all = reportedBy === 'anchor' ? (await problemsIn(store, [anchor])).problems : problems
    await restore()
    expect(all.map(({ problem }) => problem)).toContainEqual(expect.stringMatching(says))
  },
)
