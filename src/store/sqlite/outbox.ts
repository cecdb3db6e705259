/**
 * The outbox: work outside the runs that is still to be delivered. Its table is called `owed`.
 */
import type { OutboxItem, RunStore } from '../../runtime/ports.ts'
import { asRecord, outboxColumns } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

type OutboxCalls = Pick<RunStore, 'takeOutbox' | 'settleOutboxItem' | 'delayOutboxItem'>

export function outboxCalls({ db, register, write }: SqliteContext): OutboxCalls {
  const take = db.prepare(
    `UPDATE owed SET due_at = ?, attempts = attempts + 1
     WHERE (run_id, id) IN
       (SELECT run_id, id FROM owed WHERE due_at <= ? ORDER BY due_at, id LIMIT ?)
     RETURNING ${outboxColumns}`,
  )
  const settle = db.prepare('DELETE FROM owed WHERE id = ?')
  const delay = db.prepare('UPDATE owed SET due_at = ? WHERE id = ?')
  return {
    takeOutbox: ({ at, leaseMs, limit }) =>
      write(() => take.all(at + leaseMs, at, limit).map((row) => asRecord<OutboxItem>(row))),
    settleOutboxItem: (id) =>
      write(() => {
        if (settle.run(id).changes > 0) register.note({ type: 'outbox.settled', id })
      }),
    delayOutboxItem: (id, dueAt) => write(() => void delay.run(dueAt, id)),
  }
}
