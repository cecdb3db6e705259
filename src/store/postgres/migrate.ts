/**
 * The tables of a store, and how they came to be: forward only, one version after the other.
 * Knows SQL that defines. Must not know rows.
 *
 * Every key of what belongs to a run begins with its id, so that a distributed PostgreSQL can
 * spread the tables by it. There are no sequences, no triggers and no foreign keys.
 */
import { PawlError } from '../../runtime/pawl-error.ts'
import { acceptedLine } from './accept-rows.ts'
import { isOvertaken, sqlStateOf } from './faults.ts'
import type { Pool } from './pool.ts'

/** Each entry brings a schema from its index to the next version. Never changed once shipped. */
const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    machine text NOT NULL, definition text NOT NULL, dialect text NOT NULL,
    status text NOT NULL, stage text NOT NULL,
    seq bigint NOT NULL, hash text NOT NULL, workspace text,
    calls_count bigint NOT NULL, cost_micro_usd bigint NOT NULL,
    started_at bigint NOT NULL, updated_at bigint NOT NULL, ended_at bigint,
    bytes bigint NOT NULL
  );
  CREATE INDEX runs_by_change ON runs (updated_at, id);
  CREATE INDEX runs_by_workspace ON runs (workspace);
  CREATE INDEX runs_by_end ON runs (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE TABLE events (
    run_id text COLLATE "C" NOT NULL, seq bigint NOT NULL,
    member text NOT NULL, type text NOT NULL, data text NOT NULL, at bigint NOT NULL,
    actor text NOT NULL, command_id text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (run_id, seq)
  );
  CREATE TABLE commands (
    run_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, reply text NOT NULL,
    PRIMARY KEY (run_id, id)
  );
  CREATE TABLE snapshots (
    run_id text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL, version bigint NOT NULL, state text NOT NULL
  );
  CREATE TABLE approvals (
    run_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    member text NOT NULL, kind text NOT NULL, message text NOT NULL, hash text NOT NULL,
    status text NOT NULL, requested_at bigint NOT NULL, expires_at bigint,
    decided_at bigint, decided_by text, note text NOT NULL, pending text NOT NULL,
    PRIMARY KEY (run_id, id)
  );
  CREATE INDEX approvals_by_id ON approvals (id);
  CREATE INDEX approvals_by_request ON approvals (status, requested_at, id);
  CREATE INDEX approvals_by_expiry ON approvals (expires_at, id) WHERE status = 'pending';
  CREATE TABLE outbox (
    run_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    kind text NOT NULL, data text NOT NULL, due_at bigint NOT NULL, attempts bigint NOT NULL,
    PRIMARY KEY (run_id, id)
  );
  CREATE INDEX outbox_by_id ON outbox (id);
  CREATE INDEX outbox_by_due ON outbox (due_at, id);
  CREATE TABLE fences (
    run_id text COLLATE "C" NOT NULL, attempt text COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, attempt)
  );
  CREATE TABLE machines (
    hash text COLLATE "C" PRIMARY KEY, name text NOT NULL, dialect text NOT NULL,
    format bigint NOT NULL, compiled text NOT NULL, created_at bigint NOT NULL
  );
  CREATE TABLE definitions (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL, workspace text COLLATE "C" NOT NULL, dialect text NOT NULL,
    latest bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
    UNIQUE (name, workspace)
  );
  CREATE TABLE definition_versions (
    definition_id text COLLATE "C" NOT NULL, version bigint NOT NULL,
    source_hash text NOT NULL, source text NOT NULL, format text NOT NULL,
    machines text NOT NULL, created_at bigint NOT NULL,
    PRIMARY KEY (definition_id, version)
  );
  CREATE TABLE claims (
    run_id text COLLATE "C" NOT NULL, branch text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (run_id, branch)
  );
  CREATE INDEX claims_by_session ON claims (session);
  `,
  `
  CREATE TABLE cards (
    drawer text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
    version bigint NOT NULL, data text NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (drawer, key)
  );
  `,
  // Records bind the rows beside them, and the register binds what no record does (ADR 0024).
  `
  ALTER TABLE events ADD COLUMN binds text;
  CREATE TABLE register (seq bigint PRIMARY KEY, text text NOT NULL, hash text NOT NULL);
  CREATE TABLE register_tip (id bigint PRIMARY KEY, seq bigint NOT NULL, hash text NOT NULL);
  `,
]

/** The version of the schema that has a register. */
const registerVersion = 3

const attemptsMax = 5
// Any number that no other program is likely to lock.
const lockKey = 7_295_400_131

/** Brings the schema to the version that this code knows; fault `STORE_VERSION`. */
export async function migratePostgres(pool: Pool): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await look(pool)
    if (found.version > migrations.length) throw newerVersion(found.version)
    if (found.version === migrations.length) return
    try {
      const isRegister = found.version + 1 === registerVersion
      const accepted = isRegister ? await acceptedLine(pool, registerVersion) : ''
      const step = stepFrom(found, pool.options.schema) + accepted
      await pool.run((sql) => sql.unsafe(step).simple())
    } catch (error) {
      // Two that begin at once: where locks are not kept, one of them meets what the other made.
      if (attempt === attemptsMax || !(isOvertaken(error) || isMade(error))) throw error
    }
  }
}

function isMade(error: unknown): boolean {
  return /^(42P06|42P07|42710)$/.test(sqlStateOf(error))
}

type SchemaState = { readonly hasSchema: boolean; readonly version: number }

async function look(pool: Pool): Promise<SchemaState> {
  const { schema } = pool.options
  const [there] = await pool.run<{ hasSchema: boolean; hasTable: boolean }>(
    (sql) => sql`SELECT to_regnamespace(${`"${schema}"`}) IS NOT NULL AS "hasSchema",
      to_regclass(${`"${schema}".migrations`}) IS NOT NULL AS "hasTable"`,
  )
  if (!there?.hasTable) return { hasSchema: there?.hasSchema ?? false, version: 0 }
  const [row] = await pool.run<{ version: number }>(
    (sql) => sql`SELECT coalesce(max(version), 0) AS version FROM migrations`,
  )
  return { hasSchema: true, version: row?.version ?? 0 }
}

// WHY: one message of several statements is one transaction. The row of the version makes it fail
//      as a whole when another node was first, and the lock lets that one finish.
//      A schema that is there may belong to a user without the right to make one.
function stepFrom({ hasSchema, version }: SchemaState, schema: string): string {
  return `
    SET LOCAL statement_timeout = 0;
    SELECT pg_advisory_xact_lock(${lockKey});
    ${hasSchema ? '' : `CREATE SCHEMA IF NOT EXISTS "${schema}";`}
    CREATE TABLE IF NOT EXISTS migrations (version bigint PRIMARY KEY, applied_at bigint NOT NULL);
    INSERT INTO migrations VALUES
      (${version + 1}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    ${migrations[version]}
  `
}

function newerVersion(version: number): PawlError {
  const message = `the store has version ${version}, but this Pawl only knows ${migrations.length}`
  return new PawlError('STORE_VERSION', message, { hint: 'use a newer Pawl; nothing was changed' })
}
