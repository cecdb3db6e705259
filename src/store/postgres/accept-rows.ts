/**
 * Accepts what is in a store of a version that had no register: it is taken as it is, and the
 * first line of the register says so. Every other node has to be stopped meanwhile.
 */
import { randomUUID } from 'node:crypto'
import type { Claim, DefinitionVersion, OutboxItem } from '../../runtime/ports.ts'
import { hashOutboxItem } from '../../runtime/record/binds.ts'
import {
  type AcceptedRows,
  type AcceptedRun,
  digestReplies,
  hashDocument,
  hashVersion,
  nextTip,
  printEntry,
  type RegisteredDefinition,
} from '../../runtime/record/register.ts'
import { outboxPgColumns, selected } from './columns.ts'
import { escapeText } from './encode-text.ts'
import type { Pool } from './pool.ts'

/** The statements that write the first line of the register, to be run with its tables. */
export async function acceptedLine(pool: Pool, version: number): Promise<string> {
  const rows: AcceptedRows = {
    version,
    id: randomUUID(),
    runs: await acceptRuns(pool),
    claims: await pool.run<Claim>(
      (sql) => sql`SELECT run_id AS "runId", branch, session, at FROM claims`,
    ),
    definitions: await acceptDefinitions(pool),
    documents: await acceptDocuments(pool),
  }
  const text = printEntry({ type: 'store.accepted', ...rows })
  const { seq, hash } = nextTip(null, text)
  return `
    INSERT INTO register VALUES (${seq}, ${literal(text)}, '${hash}');
    INSERT INTO register_tip VALUES (1, ${seq}, '${hash}');`
}

// WHY `E`: a backslash then means the same whatever the server is set to.
const literal = (text: string): string =>
  `E'${escapeText(text).replace(/[\\']/g, (letter) => letter + letter)}'`

async function acceptDocuments(pool: Pool): Promise<AcceptedRows['documents']> {
  const rows = await pool.run<{
    drawer: string
    key: string
    version: number
    data: string
    at: number
  }>((sql) => sql`SELECT drawer, key, version, data, at FROM cards`)
  return rows.map(({ drawer, key, version, ...one }) => [drawer, key, version, hashDocument(one)])
}

async function acceptRuns(pool: Pool): Promise<readonly AcceptedRun[]> {
  const heads = await pool.run<{ runId: string; seq: number; hash: string }>(
    (sql) => sql`SELECT DISTINCT ON (run_id) run_id AS "runId", seq, hash FROM events
      ORDER BY run_id, seq DESC`,
  )
  const runs: AcceptedRun[] = []
  for (const { runId, seq, hash } of heads) {
    const replies = await pool.run<{ commandId: string; text: string }>(
      (sql) => sql`SELECT id AS "commandId", reply AS text FROM commands WHERE run_id = ${runId}`,
    )
    const items = await pool.run<OutboxItem>(
      (sql) => sql`SELECT ${sql.unsafe(selected(outboxPgColumns, 'outbox'))}, run_id AS "runId"
        FROM outbox WHERE run_id = ${runId}`,
    )
    const outbox = Object.fromEntries(items.map((item) => [item.id, hashOutboxItem(item)]))
    runs.push({ head: [runId, seq, hash], replies: digestReplies(replies), outbox })
  }
  return runs
}

async function acceptDefinitions(pool: Pool): Promise<readonly RegisteredDefinition[]> {
  const rows = await pool.run<Omit<RegisteredDefinition, 'versions'>>(
    (sql) => sql`SELECT id, name, workspace, dialect, created_at AS "createdAt",
      updated_at AS "updatedAt" FROM definitions`,
  )
  const all: RegisteredDefinition[] = []
  for (const row of rows) {
    const versions = await pool.run<Omit<DefinitionVersion, 'machines'> & { machines: string }>(
      (sql) => sql`SELECT version, source_hash AS "sourceHash", source, format, machines,
        created_at AS "createdAt" FROM definition_versions
        WHERE definition_id = ${row.id} ORDER BY version`,
    )
    const hashed = versions.map(
      (one) => [one.version, hashVersion({ ...one, machines: JSON.parse(one.machines) })] as const,
    )
    all.push({ ...row, versions: hashed })
  }
  return all
}
