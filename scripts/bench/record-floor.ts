/**
 * The least that a durable decision can cost: an event row and an updated row, kept together.
 */
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { walPagesMax } from '../../src/store/sqlite/open-database.ts'

export type Floor = {
  /** Resolves when one more event of this client is durable. */
  readonly write: (client: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** As large as the record of a call. */
const text = JSON.stringify({ type: 'call.allowed', input: { command: 'x'.repeat(520) } })
const sessionsCount = 64

/** One writer; what is queued in a tick is one transaction. */
export function sqliteFloor(path: string): Floor {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(`PRAGMA wal_autocheckpoint = ${walPagesMax}`)
  db.exec('CREATE TABLE session (id INTEGER PRIMARY KEY, seq INTEGER, state TEXT)')
  db.exec('CREATE TABLE event (run INTEGER, seq INTEGER, data TEXT, PRIMARY KEY (run, seq))')
  const insert = db.prepare('INSERT INTO event VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE session SET seq = ?, state = ? WHERE id = ?')
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]
  for (let id = 0; id < sessionsCount; id += 1) db.exec(`INSERT INTO session VALUES (${id}, 0, '')`)
  let queue: { readonly client: number; readonly done: () => void }[] = []
  let seq = 0
  const flush = (): void => {
    const group = queue
    queue = []
    begin.run()
    for (const { client } of group) {
      seq += 1
      insert.run(client, seq, text)
      update.run(seq, 'running', client)
    }
    commit.run()
    for (const { done } of group) done()
  }
  return {
    write: (client) =>
      new Promise((done) => {
        if (queue.push({ client, done }) === 1) setImmediate(flush)
      }),
    close: async () => db.close(),
  }
}

/** One statement per event, through the same driver. */
export async function postgresFloor(url: string): Promise<Floor> {
  const sql = postgres(url, { max: 10, onnotice: () => undefined })
  await sql`CREATE TABLE floor_session (id integer PRIMARY KEY, seq bigint, state text)`
  await sql`CREATE TABLE floor_event
    (run integer, seq bigint, data text, PRIMARY KEY (run, seq))`
  for (let id = 0; id < sessionsCount; id += 1) {
    await sql`INSERT INTO floor_session VALUES (${id}, 0, '')`
  }
  let seq = 0
  return {
    write: async (client) => {
      seq += 1
      await sql`WITH moved AS (
          UPDATE floor_session SET seq = ${seq}, state = 'running' WHERE id = ${client} RETURNING id
        )
        INSERT INTO floor_event SELECT id, ${seq}, ${text} FROM moved`
    },
    close: async () => sql.end(),
  }
}
