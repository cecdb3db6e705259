/**
 * The outbox: work that is owed to the outside.
 */
import type { OutboxItem, RunStore } from '../../runtime/ports.ts'
import { asRecord, outboxColumns } from './rows.ts'
import type { Shared } from './sqlite-context.ts'

type OutboxCalls = Pick<RunStore, 'takeOwed' | 'settleOwed' | 'delayOwed'>

export function outboxCalls({ db, write }: Shared): OutboxCalls {
  const take = db.prepare(
    `UPDATE owed SET due_at = ?, attempts = attempts + 1
     WHERE (run_id, id) IN
       (SELECT run_id, id FROM owed WHERE due_at <= ? ORDER BY due_at, id LIMIT ?)
     RETURNING ${outboxColumns}`,
  )
  const settle = db.prepare('DELETE FROM owed WHERE id = ?')
  const delay = db.prepare('UPDATE owed SET due_at = ? WHERE id = ?')
  return {
    takeOwed: ({ at, leaseMs, limit }) =>
      write(() => take.all(at + leaseMs, at, limit).map((row) => asRecord<OutboxItem>(row))),
    settleOwed: (id) => write(() => void settle.run(id)),
    delayOwed: (id, dueAt) => write(() => void delay.run(dueAt, id)),
  }
}
