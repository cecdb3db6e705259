/**
 * The lower bound of a durable decision. Minimal: one small event row and one updated row. Same
 * rows: those that Pawl stores for a decision, written by plain statements.
 */
import { hash as createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { walPagesMax } from '../../src/store/sqlite/open-database.ts'

export type Floor = {
  /** Resolves when one more event of this client is durable. */
  readonly write: (client: number) => Promise<void>
  readonly close: () => Promise<void>
}

const hash = 'f'.repeat(64)
const runId = 'r_0123456789abcdef0123456789abcdef0'

/** As large as what Pawl keeps of a call in the bench: 200 bytes. */
const text = JSON.stringify({
  type: 'call.allowed',
  callId: `${runId}:c1000`,
  tool: 'Bash',
  input: { command: 'git status --short' },
  edits: [],
  counts: true,
  at: 1_794_850_498_054,
  meters: [],
  more: '12345',
})
/** What is kept to answer the same command again, as large as Pawl's. */
const besides = {
  kind: 'check',
  tool: 'Bash',
  host: 'claude',
  server: null,
  cwd: null,
  branch: null,
}
const reply = JSON.stringify({ seq: 1000, besides })
const sessionsCount = 64

/** The least. */
export function sqliteFloor(path: string): Floor {
  const db = openFloor(path)
  db.exec('CREATE TABLE session (id INTEGER PRIMARY KEY, seq INTEGER, state TEXT)')
  db.exec('CREATE TABLE event (run INTEGER, seq INTEGER, data TEXT, PRIMARY KEY (run, seq))')
  const insert = db.prepare('INSERT INTO event VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE session SET seq = ?, state = ? WHERE id = ?')
  for (let id = 0; id < sessionsCount; id += 1) db.exec(`INSERT INTO session VALUES (${id}, 0, '')`)
  return inGroups(db, (client, seq) => {
    insert.run(client, seq, text)
    update.run(seq, 'running', client)
  })
}

/** As anybody would keep them: the tables of `migrations.ts` that a decision writes. */
const sameTables = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY, machine TEXT, definition TEXT, dialect TEXT, status TEXT, stage TEXT,
    seq INTEGER, hash TEXT, workspace TEXT, calls_count INTEGER, cost_micro_usd INTEGER,
    started_at INTEGER, updated_at INTEGER, ended_at INTEGER, log_bytes INTEGER
  ) STRICT;
  CREATE INDEX runs_by_update ON runs (updated_at, id);
  CREATE TABLE events (
    run_id TEXT, seq INTEGER, member TEXT, type TEXT, data TEXT, at INTEGER, actor TEXT,
    command_id TEXT, hash TEXT,
    PRIMARY KEY (run_id, seq)
  ) STRICT;
  CREATE TABLE replies (
    run_id TEXT, command_id TEXT, text TEXT, PRIMARY KEY (run_id, command_id)
  ) STRICT, WITHOUT ROWID;
`

/** The rows that Pawl keeps of a decision, by bare statements. */
export function sqliteSameRows(path: string): Floor {
  const db = openFloor(path)
  db.exec(sameTables)
  const head =
    db.prepare(`UPDATE runs SET status = ?, stage = ?, seq = ?, hash = ?, calls_count = ?,
    cost_micro_usd = ?, updated_at = ?, ended_at = ?, log_bytes = log_bytes + ? WHERE id = ?`)
  const event = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const answer = db.prepare('INSERT INTO replies VALUES (?, ?, ?)')
  const start = db.prepare(`INSERT INTO runs VALUES
    (?, '${hash}', 'bench', 'workflow', 'running', 'work', 0, '', '/work', 0, 0, 1, 1, NULL, 0)`)
  // WHY hashed: ids of runs do not begin alike.
  const ids = Array.from({ length: sessionsCount }, (_, n) => `r_${sha256(`${n}`).slice(0, 33)}`)
  for (const id of ids) start.run(id)
  return inGroups(db, (client, seq) => {
    const id = ids[client] as string
    const at = Date.now()
    const command = `toolu_${id}_${seq}`
    head.run('running', 'work', seq, hash, seq, 0, at, null, text.length, id)
    event.run(id, seq, id, 'call.allowed', text, at, 'agent:agent', command, hash)
    answer.run(id, command, reply)
  })
}

const sha256 = (value: string): string => createHash('sha256', value, 'hex')

function openFloor(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(`PRAGMA wal_autocheckpoint = ${walPagesMax}`)
  return db
}

/** One writer; what is queued in a tick is one transaction. */
function inGroups(db: DatabaseSync, writeOne: (client: number, seq: number) => void): Floor {
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]
  let queue: { readonly client: number; readonly done: () => void }[] = []
  let seq = 0
  const flush = (): void => {
    const group = queue
    queue = []
    begin.run()
    for (const { client } of group) {
      seq += 1
      writeOne(client, seq)
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
