/**
 * Questions to people: lists, and those whose time is over.
 */
import type { ApprovalRow, RunStore } from '../../runtime/ports.ts'
import { pageFrom } from '../cursor.ts'
import {
  approvalColumns,
  asRecord,
  asRecordOrNull,
  statementCache,
  timeAndId,
  whereAll,
} from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

type ApprovalCalls = Pick<RunStore, 'listApprovals' | 'readApproval' | 'dueApprovals'>

export function approvalCalls({ db, read }: SqliteContext): ApprovalCalls {
  const prepare = statementCache(db)
  const one = db.prepare(`SELECT ${approvalColumns} FROM approvals WHERE id = ?`)
  const due = db.prepare(
    `SELECT ${approvalColumns} FROM approvals
     WHERE status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ?
     ORDER BY expires_at, id LIMIT ?`,
  )
  return {
    listApprovals: ({ after, limit, status, runId }) =>
      read(() => {
        const { where, values } = whereAll([
          ['status = ?', status],
          ['run_id = ?', runId],
          ['(requested_at, id) > (?, ?)', timeAndId(after)],
        ])
        const order = 'ORDER BY requested_at, id LIMIT ?'
        const rows = prepare(`SELECT ${approvalColumns} FROM approvals ${where} ${order}`)
          .all(...values, limit + 1)
          .map((row) => asRecord<ApprovalRow>(row))
        return pageFrom(rows, limit, (row) => [row.requestedAt, row.id])
      }),
    readApproval: (id) => read(() => asRecordOrNull<ApprovalRow>(one.get(id))),
    dueApprovals: (at, limit) =>
      read(() => due.all(at, limit).map((row) => asRecord<ApprovalRow>(row))),
  }
}
