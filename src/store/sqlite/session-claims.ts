/**
 * Who works on which run.
 */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'
import { asRecord } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

const columns = 'run_id AS runId, branch, session, at'

export function claimCalls({ db, register, read, write }: SqliteContext): ClaimStore {
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
        const isNew = add.run(runId, branch, session, at).changes > 0
        if (isNew) register.note({ type: 'claim.taken', runId, branch, session, at })
        return String(holder.get(runId, branch)?.session)
      }),
    claimsOf: (session) => read(() => bySession.all(session).map((row) => asRecord<Claim>(row))),
    claimsOn: (runId) => read(() => byRun.all(runId).map((row) => asRecord<Claim>(row))),
    releaseSession: (session) =>
      write(() => {
        if (dropSession.run(session).changes === 0) return
        register.note({ type: 'claims.released', session })
      }),
    releaseRun: (runId) =>
      write(() => {
        if (dropRun.run(runId).changes > 0) register.note({ type: 'claims.released', runId })
      }),
  }
}
