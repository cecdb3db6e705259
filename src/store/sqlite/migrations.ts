/**
 * The tables, as steps that are only ever added to: a step that was released is never changed.
 * All tables as they are now are in `fixtures/version-6.sql`, which a test holds to the steps.
 * Knows SQL. Must not know what rows mean.
 */
import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../../runtime/pawl-error.ts'
import { acceptRows } from './accept-rows.ts'

const first = `
  CREATE TABLE logs (
    no INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE runs (
    log INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    machine TEXT NOT NULL,
    definition TEXT NOT NULL,
    dialect TEXT NOT NULL,
    status TEXT NOT NULL,
    stage TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    workspace TEXT,
    calls_count INTEGER NOT NULL,
    cost_micro_usd INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_minute INTEGER NOT NULL,
    ended_at INTEGER,
    log_bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_minute ON runs (updated_minute);
  CREATE INDEX runs_by_workspace ON runs (workspace);
  CREATE INDEX runs_by_end ON runs (ended_at, id) WHERE ended_at IS NOT NULL;

  CREATE TABLE events (
    log INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    member TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    command_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (log, seq)
  ) STRICT;

  CREATE TABLE replies (
    log INTEGER NOT NULL,
    command_key INTEGER NOT NULL,
    command_id TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX replies_by_command ON replies (log, command_key);

  CREATE TABLE snapshots (
    run_id TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;

  CREATE TABLE approvals (
    run_id TEXT NOT NULL,
    id TEXT NOT NULL,
    member TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    hash TEXT NOT NULL,
    status TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    expires_at INTEGER,
    decided_at INTEGER,
    decided_by TEXT,
    note TEXT NOT NULL,
    pending TEXT NOT NULL,
    PRIMARY KEY (run_id, id)
  ) STRICT;
  CREATE INDEX approvals_by_id ON approvals (id);
  CREATE INDEX approvals_by_time ON approvals (requested_at, id);
  CREATE INDEX approvals_by_status ON approvals (status, requested_at, id);
  CREATE INDEX approvals_due ON approvals (expires_at, id)
    WHERE status = 'pending' AND expires_at IS NOT NULL;

  CREATE TABLE owed (
    run_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (run_id, id)
  ) STRICT;
  CREATE INDEX owed_by_id ON owed (id);
  CREATE INDEX owed_by_due ON owed (due_at, id);

  CREATE TABLE machines (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    dialect TEXT NOT NULL,
    format INTEGER NOT NULL,
    compiled TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE definitions (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    dialect TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (name, workspace)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE definition_versions (
    definition_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    source_hash TEXT NOT NULL,
    source TEXT NOT NULL,
    format TEXT NOT NULL,
    machines TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (definition_id, version)
  ) STRICT;

  CREATE TABLE claims (
    run_id TEXT NOT NULL,
    branch TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (run_id, branch)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claims_by_session ON claims (session);

  CREATE TABLE probe (id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
  INSERT INTO probe VALUES (1, 0);
`

const cards = `
  CREATE TABLE cards (
    drawer TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (drawer, key)
  ) STRICT;
`

// Until version 5 a reply was kept with the last event of its command.
const repliesInRecords = `
  ALTER TABLE events ADD COLUMN reply TEXT;
  ALTER TABLE logs ADD COLUMN indexed_seq INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE answered (
    log INTEGER NOT NULL,
    command_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (log, command_key, seq)
  ) STRICT, WITHOUT ROWID;
  UPDATE logs SET indexed_seq = coalesce((SELECT seq FROM runs WHERE log = no), 0);
`

// Until version 5 each event had the number of the one before it in its log.
const linkedRecords = `
  CREATE TABLE linked (
    no INTEGER PRIMARY KEY,
    log INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    before INTEGER,
    member TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    command_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    reply TEXT
  ) STRICT;
  INSERT INTO linked
    SELECT rowid, log, seq, NULL, member, type, data, at, actor, command_id, hash, reply
    FROM events ORDER BY rowid;
  UPDATE linked SET before = found.before FROM (
    SELECT rowid AS no, lag(rowid) OVER (PARTITION BY log ORDER BY seq) AS before FROM events
  ) AS found WHERE linked.no = found.no;
  ALTER TABLE runs ADD COLUMN last_no INTEGER;
  UPDATE runs SET last_no =
    (SELECT rowid FROM events AS e WHERE e.log = runs.log AND e.seq = runs.seq);
  DROP TABLE events;
  ALTER TABLE linked RENAME TO events;
  CREATE TABLE marks (
    log INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    no INTEGER NOT NULL,
    PRIMARY KEY (log, seq)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO marks SELECT log, seq, no FROM events WHERE seq % 64 = 1 ORDER BY log, seq;
`

// WHY a rowid for events: they are large and come for many runs in turn. With a rowid they go to
// the end of their table and only the small key is written all over the file; measured with 64
// runs, a commit writes 14 KB that way, and 20 KB WITHOUT ROWID. Replies are small, and need one
// page less.
// WHY `OR IGNORE`: version 4 had no unique keys. Of events that are there twice the first is kept.
const plainTables = `
  CREATE TABLE plain_runs (
    id TEXT NOT NULL PRIMARY KEY,
    machine TEXT NOT NULL,
    definition TEXT NOT NULL,
    dialect TEXT NOT NULL,
    status TEXT NOT NULL,
    stage TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    workspace TEXT,
    calls_count INTEGER NOT NULL,
    cost_micro_usd INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    log_bytes INTEGER NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO plain_runs
    SELECT id, machine, definition, dialect, status, stage, seq, hash, workspace, calls_count,
      cost_micro_usd, started_at, updated_at, ended_at, log_bytes
    FROM runs ORDER BY log;

  CREATE TABLE plain_replies (
    run_id TEXT NOT NULL,
    command_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, command_id)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO plain_replies
    SELECT run_id, command_id, text FROM replies JOIN logs ON no = log;
  INSERT OR IGNORE INTO plain_replies
    SELECT run_id, command_id, reply FROM events AS e JOIN logs ON logs.no = e.log
    WHERE reply IS NOT NULL ORDER BY run_id, seq, e.no;

  CREATE TABLE plain_events (
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    member TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    command_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) STRICT;
  INSERT OR IGNORE INTO plain_events
    SELECT run_id, seq, member, type, data, at, actor, command_id, hash
    FROM events AS e JOIN logs ON logs.no = e.log ORDER BY run_id, seq, e.no;

  DROP TABLE answered;
  DROP TABLE marks;
  DROP TABLE replies;
  DROP TABLE events;
  DROP TABLE runs;
  DROP TABLE logs;
  ALTER TABLE plain_runs RENAME TO runs;
  ALTER TABLE plain_replies RENAME TO replies;
  ALTER TABLE plain_events RENAME TO events;
  CREATE INDEX runs_by_update ON runs (updated_at, id);
  CREATE INDEX runs_by_workspace ON runs (workspace);
  CREATE INDEX runs_by_end ON runs (ended_at, id) WHERE ended_at IS NOT NULL;
`

/** The last version with a table of logs. */
const logsVersionMax = 4

/** SQL, or what needs more than SQL. */
type Step = string | ((db: DatabaseSync) => void)

/** Records bind the rows beside them, and the register binds what no record does (ADR 0024). */
function bindRows(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE events ADD COLUMN binds TEXT;
    CREATE TABLE register (
      seq INTEGER PRIMARY KEY,
      text TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
  `)
  acceptRows(db)
}

/** Step n brings a database from version n to n + 1. */
export const steps: readonly Step[] = [
  first,
  cards,
  repliesInRecords,
  linkedRecords,
  plainTables,
  bindRows,
]

/** Brings a database to the newest version, step by step, each whole or not at all. */
export function migrateSqlite(db: DatabaseSync, list: readonly Step[] = steps): void {
  for (;;) {
    // WHY: two that open a new file at once take turns; the second finds the work done.
    db.exec('BEGIN IMMEDIATE')
    try {
      const version = readVersion(db)
      if (version > list.length) throw tooNew(version, list.length)
      const step = list[version]
      if (step !== undefined) {
        if (typeof step === 'string') db.exec(step)
        else step(db)
        db.prepare(
          `INSERT INTO migrations VALUES (?, CAST(unixepoch('subsec') * 1000 AS INTEGER))`,
        ).run(version + 1)
      }
      db.exec('COMMIT')
      if (step === undefined) return
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

function readVersion(db: DatabaseSync): number {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  if (tables.length === 0) {
    db.exec(
      'CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT',
    )
  } else if (!tables.some((table) => table.name === 'migrations')) {
    throw new PawlError('STORE_CORRUPT', 'the database belongs to another program', {
      hint: 'choose another path for the database of Pawl',
    })
  }
  const row = db.prepare('SELECT coalesce(max(version), 0) AS version FROM migrations').get()
  const version = Number(row?.version)
  const isWithoutLogs = tables.length > 1 && !tables.some((table) => table.name === 'logs')
  if (isWithoutLogs && version <= logsVersionMax) {
    // Before the first release, version 1 was not always what it is now.
    throw new PawlError('STORE_VERSION', 'the database is from before the first release of Pawl', {
      hint: 'move the file away: Pawl makes a new one',
    })
  }
  return version
}

function tooNew(version: number, known: number): PawlError {
  return new PawlError(
    'STORE_VERSION',
    `the database has version ${version}, this Pawl knows up to ${known}`,
    { hint: 'update Pawl, or choose another path for its database' },
  )
}
