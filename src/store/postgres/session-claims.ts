/** Claims: which session works on which run. Knows SQL. Must not know what a session is. */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'
import type { RegisterEntry } from '../../runtime/record/register.ts'
import { noteEntry, runParts, sqlPart } from './columns.ts'
import type { Pool } from './pool.ts'

const columns = 'run_id AS "runId", branch, session, at'

/** The part of a store that is about claims. */
export function createClaims(pool: Pool): ClaimStore {
  return {
    claim: async ({ runId, branch, session, at }) => {
      await runParts(pool, [
        sqlPart(
          `WITH head AS (INSERT INTO claims (run_id, branch, session, at)
            VALUES (?, ?, ?, ?::bigint) ON CONFLICT DO NOTHING RETURNING 1)`,
          ...[runId, branch, session, at],
        ),
        noteEntry({ type: 'claim.taken', runId, branch, session, at }),
        sqlPart(' SELECT 1 FROM head'),
      ])
      // WHY a look of its own: a statement does not see what another node wrote meanwhile.
      const [row] = await pool.run<{ session: string }>(
        (sql) => sql`SELECT session FROM claims WHERE run_id = ${runId} AND branch = ${branch}`,
      )
      // Nobody any more: whoever had it let go in between.
      return row?.session ?? ''
    },
    claimsOf: (session) =>
      pool.run<Claim>(
        (sql) => sql`SELECT ${sql.unsafe(columns)} FROM claims WHERE session = ${session}
          ORDER BY at DESC, run_id, branch`,
      ),
    claimsOn: (runId) =>
      pool.run<Claim>(
        (sql) => sql`SELECT ${sql.unsafe(columns)} FROM claims WHERE run_id = ${runId}
          ORDER BY branch`,
      ),
    releaseSession: async (session) => {
      await release(pool, 'session', { type: 'claims.released', session })
    },
    releaseRun: async (runId) => {
      await release(pool, 'run_id', { type: 'claims.released', runId })
    },
  }
}

type Release = Extract<RegisterEntry, { type: 'claims.released' }>

async function release(pool: Pool, column: 'session' | 'run_id', entry: Release): Promise<void> {
  const value = 'session' in entry ? entry.session : entry.runId
  await runParts(pool, [
    sqlPart(`WITH head AS (DELETE FROM claims WHERE ${column} = ? RETURNING 1)`, value),
    noteEntry(entry),
    sqlPart(' SELECT 1 FROM head LIMIT 1'),
  ])
}
