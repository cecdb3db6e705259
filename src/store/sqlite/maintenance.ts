/**
 * Maintenance of the file: replacing projections, importing and removing runs, health.
 */
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Store, StoreMaintenance } from '../../runtime/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import { prepareMachines } from './definitions.ts'
import { asRecord } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

/** Pages given back to the disk in one transaction. */
const freedPagesMax = 1_000

export function maintenanceCalls(shared: SqliteContext): Omit<StoreMaintenance, 'close'> {
  return {
    kind: 'sqlite',
    // One daemon owns the file; other programs open it only while there is none.
    isShared: false,
    onChange: () => () => undefined,
    listenError: () => null,
    tellChange: () => undefined,
    ...projectionCalls(shared),
    ...retentionCalls(shared),
    ...healthCalls(shared),
  }
}

type ProjectionCalls = Pick<Store, 'replaceProjections' | 'importRun' | 'listRunIds'>

function projectionCalls({ db, runs, read, write }: SqliteContext): ProjectionCalls {
  const putMachines = prepareMachines(db)
  const removeApprovals = db.prepare('DELETE FROM approvals WHERE run_id = ?')
  const removeSnapshot = db.prepare('DELETE FROM snapshots WHERE run_id = ?')
  // WHY from `events`: a run whose head was lost is still there.
  const nextId = db.prepare('SELECT min(run_id) AS id FROM events WHERE run_id > ?')
  const idsAfter = (id: string, limit: number): readonly string[] => {
    const found: string[] = []
    while (found.length < limit) {
      const next = nextId.get(found.at(-1) ?? id)?.id
      if (typeof next !== 'string') break
      found.push(next)
    }
    return found
  }
  return {
    replaceProjections: (head, approvals, snapshot) =>
      write(() => {
        if (!runs.replaceHead(head)) return
        removeApprovals.run(head.id)
        removeSnapshot.run(head.id)
        runs.putApprovals(approvals)
        if (snapshot !== null) runs.putSnapshot(head.id, snapshot)
      }),
    importRun: ({ head, events, approvals, machines }) =>
      write(() => {
        if (!runs.insertRun(head, events)) return 'exists'
        runs.putApprovals(approvals)
        putMachines(machines, head.updatedAt)
        return 'imported'
      }),
    listRunIds: ({ after, limit }) =>
      read(() => {
        const last = after === null ? '' : parseCursor(after, [''])[0]
        return pageFrom(idsAfter(last, limit + 1), limit, (id) => [id])
      }),
  }
}

type EndedRun = { readonly id: string; readonly bytes: number; readonly endedAt: number }
type RetentionCalls = Pick<Store, 'listEnded' | 'removeRuns' | 'countBytes'>

function retentionCalls({ db, register, read, write }: SqliteContext): RetentionCalls {
  const ended = db.prepare(
    `SELECT id, log_bytes AS bytes, ended_at AS endedAt FROM runs
     WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at, id LIMIT ?`,
  )
  const tables = ['events', 'replies', 'snapshots', 'approvals', 'owed', 'claims']
  const removals = ['runs WHERE id = ?', ...tables.map((table) => `${table} WHERE run_id = ?`)].map(
    (rows) => db.prepare(`DELETE FROM ${rows}`),
  )
  const freePages = db.prepare('SELECT freelist_count AS count FROM pragma_freelist_count')
  const pages = db.prepare(
    `SELECT (page_count - freelist_count) * page_size AS bytes
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  )
  return {
    listEnded: ({ before, limit }) =>
      read(() => ended.all(before, limit).map((row) => asRecord<EndedRun>(row))),
    removeRuns: async (runIds) => {
      // One run at a time: each is removed whole, and others can write in between.
      for (const id of runIds) {
        await write(() => {
          for (const removal of removals) removal.run(id)
          register.note({ type: 'runs.removed', runIds: [id] })
        })
      }
      const free = await read(() => Number(freePages.get()?.count))
      for (let left = free; left > 0; left -= freedPagesMax) {
        await write(() => db.exec(`PRAGMA incremental_vacuum(${freedPagesMax})`))
      }
    },
    // Free pages inside the file are not counted: they are used again.
    countBytes: () => read(() => Number(pages.get()?.bytes)),
  }
}

function healthCalls({ db, write }: SqliteContext): Pick<Store, 'findTrouble'> {
  const probe = db.prepare('UPDATE probe SET count = count + 1 WHERE id = 1')
  return {
    // WHY a write: nothing less shows a full or read-only disk.
    findTrouble: async () => {
      try {
        await write(() => void probe.run())
        return null
      } catch (error) {
        if (error instanceof PawlError) return `${error.message} (${error.hint})`
        return String(error)
      }
    },
  }
}
