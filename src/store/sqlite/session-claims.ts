/**
 * Who works on which run.
 */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'
import { asRecord } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

const columns = 'run_id AS runId, branch, session, at'

export function claimCalls({ db, read, write }: SqliteContext): ClaimStore {
  const add = db.prepare('INSERT INTO claims VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const holder = db.prepare('SELECT session FROM claims WHERE run_id = ? AND branch = ?')
  const bySession = db.prepare(
    `SELECT ${columns} FROM claims WHERE session = ? ORDER BY at DESC, run_id, branch`,
  )
  const byRun = db.prepare(`SELECT ${columns} FROM claims WHERE run_id = ? ORDER BY branch`)
  const dropSession = db.prepare('DELETE FROM claims WHERE session = ?')
  const dropRun = db.prepare('DELETE FROM claims WHERE run_id = ?')
  return {
    claim: ({ runId, branch, session, at }) =>
      write(() => {
        add.run(runId, branch, session, at)
        return String(holder.get(runId, branch)?.session)
      }),
    claimsOf: (session) => read(() => bySession.all(session).map((row) => asRecord<Claim>(row))),
    claimsOn: (runId) => read(() => byRun.all(runId).map((row) => asRecord<Claim>(row))),
    releaseSession: (session) => write(() => void dropSession.run(session)),
    releaseRun: (runId) => write(() => void dropRun.run(runId)),
  }
}
