/**
 * Accepts what is in a database of a version that had no register: it is taken as it is, and the
 * first line of the register says so.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Claim, DefinitionVersion, OutboxItem } from '../../runtime/ports.ts'
import { hashOutboxItem } from '../../runtime/record/binds.ts'
import {
  type AcceptedRows,
  type AcceptedRun,
  digestReplies,
  hashDocument,
  hashVersion,
  type RegisteredDefinition,
} from '../../runtime/record/register.ts'
import { prepareRegister } from './register.ts'
import { asRecord, outboxColumns } from './rows.ts'

/** The version of the schema that has a register. */
const registerVersion = 6

/** Writes the first line of the register. */
export function acceptRows(db: DatabaseSync): void {
  const rows: AcceptedRows = {
    version: registerVersion,
    id: randomUUID(),
    runs: acceptRuns(db),
    claims: db
      .prepare('SELECT run_id AS runId, branch, session, at FROM claims')
      .all()
      .map((row) => asRecord<Claim>(row)),
    definitions: acceptDefinitions(db),
    documents: db
      .prepare('SELECT drawer, key, version, data, at FROM cards')
      .all()
      .map((row) => [
        String(row.drawer),
        String(row.key),
        Number(row.version),
        hashDocument({ data: String(row.data), at: Number(row.at) }),
      ]),
  }
  prepareRegister(db).note({ type: 'store.accepted', ...rows })
}

function acceptRuns(db: DatabaseSync): readonly AcceptedRun[] {
  // WHY from the events: a run whose head was lost is still there.
  const last = db.prepare(
    `SELECT run_id AS runId, max(seq) AS seq, hash FROM events GROUP BY run_id`,
  )
  const replies = db.prepare('SELECT command_id AS commandId, text FROM replies WHERE run_id = ?')
  const outbox = db.prepare(`SELECT ${outboxColumns} FROM owed WHERE run_id = ?`)
  return last.all().map(({ runId, seq, hash }): AcceptedRun => {
    const id = String(runId)
    const items = outbox.all(id).map((row) => asRecord<OutboxItem>(row))
    return {
      head: [id, Number(seq), String(hash)],
      replies: digestReplies(replies.all(id).map((row) => asRecord(row))),
      outbox: Object.fromEntries(items.map((item) => [item.id, hashOutboxItem(item)])),
    }
  })
}

function acceptDefinitions(db: DatabaseSync): readonly RegisteredDefinition[] {
  const definitions = db.prepare(
    `SELECT id, name, workspace, dialect, created_at AS createdAt, updated_at AS updatedAt
     FROM definitions`,
  )
  const versions = db.prepare(
    `SELECT version, source_hash AS sourceHash, source, format, machines, created_at AS createdAt
     FROM definition_versions WHERE definition_id = ? ORDER BY version`,
  )
  return definitions.all().map((row): RegisteredDefinition => {
    const definition = asRecord<Omit<RegisteredDefinition, 'versions'>>(row)
    const all = versions.all(definition.id).map((one) => ({
      ...asRecord<DefinitionVersion>(one),
      machines: JSON.parse(String(one.machines)),
    }))
    return { ...definition, versions: all.map((one) => [one.version, hashVersion(one)]) }
  })
}
