/** Documents: small records beside the runs. Knows SQL. Must not know what a document contains. */
import type { DocumentChange, DocumentStore, StoredDocument } from '../../runtime/ports.ts'
import { documentsWritten } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor, prefixEnd } from '../cursor.ts'
import { noteEntry, runParts, sqlPart } from './columns.ts'
import { isOvertaken } from './faults.ts'
import type { Pool } from './pool.ts'

const columns = 'drawer AS collection, key, version, data, at'
const attemptsMax = 5

/** The part of a store that is about documents. */
export function createDocuments(pool: Pool): DocumentStore {
  return {
    readDocument: async (collection, key) => {
      const [row] = await pool.run<StoredDocument>(
        (sql) => sql`SELECT ${sql.unsafe(columns)} FROM cards
          WHERE drawer = ${collection} AND key = ${key}`,
      )
      return row ?? null
    },
    readDocuments: async (collection, keys) => {
      if (keys.length === 0) return []
      const rows = await pool.run<StoredDocument>(
        (sql) => sql`SELECT ${sql.unsafe(columns)} FROM cards
          WHERE drawer = ${collection} AND key = ANY(${[...keys]}) ORDER BY key`,
      )
      return rows
    },
    listDocuments: async ({ collection, prefix, after, limit }) => {
      const [last] = after === null ? [''] : parseCursor(after, [''])
      const rows = await pool.run<StoredDocument>(
        (sql) => sql`SELECT ${sql.unsafe(columns)} FROM cards
          WHERE drawer = ${collection} AND key >= ${prefix} AND key < ${prefixEnd(prefix)}
            AND key > ${last}
          ORDER BY key LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (document) => [document.key])
    },
    countDocuments: async (collection, prefix) => {
      const [row] = await pool.run<{ count: number }>(
        (sql) => sql`SELECT count(*) AS count FROM cards
          WHERE drawer = ${collection} AND key >= ${prefix} AND key < ${prefixEnd(prefix)}`,
      )
      return row?.count ?? 0
    },
    writeDocuments: async (changes) => {
      if (changes.length === 0) return 'written'
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await tryWrite(pool, changes)
        } catch (error) {
          // Another node wrote one of them first: the next try sees it.
          if (attempt === attemptsMax || !isOvertaken(error)) throw error
        }
      }
    },
  }
}

// INVARIANT: existing documents are locked in one order and read after that; one that another
//            node adds meanwhile makes the whole statement fail. So it is all or none.
async function tryWrite(
  pool: Pool,
  changes: readonly DocumentChange[],
): Promise<'written' | 'conflict'> {
  const column = <Key extends keyof DocumentChange>(key: Key) => changes.map((one) => one[key])
  const wanted = sqlPart(
    `WITH wanted AS (
      SELECT * FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[])
        AS w (drawer, key, expected, data, at)
    )`,
    ...(['collection', 'key', 'expected', 'data', 'at'] as const).map(column),
  )
  const statement = sqlPart(`,
    there AS (
      SELECT cards.drawer, cards.key, cards.version FROM cards
      JOIN wanted USING (drawer, key) ORDER BY drawer, key FOR UPDATE OF cards
    ),
    planned AS (
      SELECT wanted.*, coalesce(there.version, 0) AS version
      FROM wanted LEFT JOIN there USING (drawer, key)
    ),
    stale AS (SELECT 1 FROM planned WHERE expected IS NOT NULL AND expected <> version),
    removed AS (
      DELETE FROM cards USING planned
      WHERE cards.drawer = planned.drawer AND cards.key = planned.key
        AND planned.data IS NULL AND NOT EXISTS (SELECT FROM stale)
    ),
    changed AS (
      UPDATE cards SET version = planned.version + 1, data = planned.data, at = planned.at
      FROM planned
      WHERE cards.drawer = planned.drawer AND cards.key = planned.key
        AND planned.data IS NOT NULL AND NOT EXISTS (SELECT FROM stale)
    ),
    added AS (
      INSERT INTO cards (drawer, key, version, data, at)
      SELECT drawer, key, 1, data, at FROM planned
      WHERE version = 0 AND data IS NOT NULL AND NOT EXISTS (SELECT FROM stale)
      ORDER BY drawer, key
    ),
    head AS (SELECT 1 WHERE NOT EXISTS (SELECT FROM stale))`)
  const [row] = await runParts<{ stale: string }>(pool, [
    wanted,
    statement,
    noteEntry(documentsWritten(changes)),
    sqlPart(' SELECT EXISTS (SELECT FROM stale)::text AS stale'),
  ])
  return row?.stale === 'true' ? 'conflict' : 'written'
}
