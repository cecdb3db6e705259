/** Claims: which session works on which run. Knows SQL. Must not know what a session is. */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'
import type { Pool } from './pool.ts'

const columns = 'run_id AS "runId", branch, session, at'

/** The part of a store that is about claims. */
export function createClaims(pool: Pool): ClaimStore {
  return {
    claim: async ({ runId, branch, session, at }) => {
      await pool.run(
        (sql) => sql`INSERT INTO claims (run_id, branch, session, at)
          VALUES (${runId}, ${branch}, ${session}, ${at}) ON CONFLICT DO NOTHING`,
      )
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
      await pool.run((sql) => sql`DELETE FROM claims WHERE session = ${session}`)
    },
    releaseRun: async (runId) => {
      await pool.run((sql) => sql`DELETE FROM claims WHERE run_id = ${runId}`)
    },
  }
}
