/**
 * What keeps the file in order: rebuilding, carrying runs over, removing them, health.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Store, StoreCare } from '../../runtime/ports.ts'
import { pageOf, parseCursor } from '../cursor.ts'
import { prepareMachines } from './definitions.ts'
import { indexName } from './open-database.ts'
import { prepareLinks } from './record-links.ts'
import { asRecord, logOf, type Row } from './rows.ts'
import type { Shared } from './shared.ts'

/** Records that are looked at in one go. */
const countedMax = 5_000
/** Pages given back to the disk in one transaction. */
const freedPagesMax = 1_000

type Care = Omit<StoreCare, 'close'>

export function careCalls(shared: Shared): Care {
  return {
    kind: 'sqlite',
    // One daemon owns the file; other programs look into it only while there is none.
    isShared: false,
    onChange: () => () => undefined,
    deafness: () => null,
    tellChange: () => undefined,
    ...carryingCalls(shared),
    ...wholeCalls(shared),
    ...removingCalls(shared),
    ...healthCalls(shared),
  }
}

function carryingCalls({
  db,
  runs,
  recall,
  read,
  write,
}: Shared): Pick<Store, 'replaceProjections' | 'importRun' | 'listRunIds'> {
  const putMachines = prepareMachines(db)
  const removeApprovals = db.prepare('DELETE FROM approvals WHERE run_id = ?')
  const removeSnapshot = db.prepare('DELETE FROM snapshots WHERE run_id = ?')
  // WHY not from `runs`: a head that was lost is found again by its log.
  const ids = db.prepare('SELECT run_id FROM logs WHERE run_id > ? ORDER BY run_id LIMIT ?')
  return {
    replaceProjections: (head, approvals, snapshot) =>
      write(() => {
        recall.forget(head.id)
        if (!runs.replaceHead(head)) return
        removeApprovals.run(head.id)
        removeSnapshot.run(head.id)
        runs.putApprovals(approvals)
        if (snapshot !== null) runs.putSnapshot(head.id, snapshot)
      }),
    importRun: ({ head, events, approvals, machines }) =>
      write(() => {
        if (!runs.carryRun(head, events)) return 'exists'
        runs.putApprovals(approvals)
        putMachines(machines, head.updatedAt)
        return 'imported'
      }),
    listRunIds: ({ after, limit }) =>
      read(() => {
        const last = after === null ? '' : parseCursor(after, [''])[0]
        const found = ids.all(last, limit + 1).map((row) => String(row.run_id))
        return pageOf(found, limit, (id) => [id])
      }),
  }
}

/** What is asked of all records. */
function wholeCalls({ db, read, write }: Shared): Pick<Store, 'withIndex' | 'countStrays'> {
  let isIndexed = false
  // WHY at one moment: the log may grow while it is counted.
  const bounds = db.prepare(
    `SELECT (SELECT coalesce(max(no), 0) FROM events) AS end,
       coalesce((SELECT seq FROM runs WHERE log = ${logOf}), 0) AS known`,
  )
  const among = db.prepare(
    `SELECT count(*) AS count FROM events WHERE no > ?2 AND no <= ?3 AND log = ${logOf}`,
  )
  const count = async (runId: string): Promise<number> => {
    const { end, known } = await read(() => asRecord<Bounds>(bounds.get(runId) as Row))
    const partMax = isIndexed ? end : countedMax
    let found = 0
    for (let no = 0; no < end; no += partMax) {
      const upTo = Math.min(end, no + partMax)
      found += await read(() => Number(among.get(runId, no, upTo)?.count))
      // Others are served in between.
      await turn()
    }
    return Math.max(0, found - known)
  }
  // WHY in turn: however many ask at once, a verdict waits for one part of one count.
  let counting: Promise<unknown> = Promise.resolve()
  return {
    withIndex: async (work) => {
      isIndexed = true
      try {
        await write(() => db.exec(`CREATE INDEX IF NOT EXISTS ${indexName} ON events (log, seq)`))
      } catch {
        // No room for it: then it takes longer.
      }
      try {
        return await work()
      } finally {
        isIndexed = false
        await write(() => db.exec(`DROP INDEX IF EXISTS ${indexName}`))
      }
    },
    countStrays: (runId) => {
      const counted = counting.then(() => count(runId))
      counting = counted.catch(() => undefined)
      return counted
    },
  }
}

type Bounds = { readonly end: number; readonly known: number }

function removingCalls({
  db,
  recall,
  read,
  write,
}: Shared): Pick<Store, 'listEnded' | 'removeRuns' | 'countBytes'> {
  const ended = db.prepare(
    `SELECT id, log_bytes AS bytes, ended_at AS endedAt FROM runs
     WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at, id LIMIT ?`,
  )
  const links = prepareLinks(db)
  const log = db.prepare('SELECT no FROM logs WHERE run_id = ?')
  // What others are found by goes last.
  const removals = [
    ...['replies', 'answered', 'runs'].map((table) => `${table} WHERE log = ${logOf}`),
    ...['snapshots', 'approvals', 'owed', 'claims', 'logs'].map(
      (table) => `${table} WHERE run_id = ?`,
    ),
  ].map((rows) => db.prepare(`DELETE FROM ${rows}`))
  const freePages = db.prepare('SELECT freelist_count AS count FROM pragma_freelist_count')
  const pages = db.prepare(
    `SELECT (page_count - freelist_count) * page_size AS bytes
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  )
  return {
    listEnded: ({ before, limit }) =>
      read(() =>
        ended
          .all(before, limit)
          .map((row) => asRecord<{ id: string; bytes: number; endedAt: number }>(row)),
      ),
    removeRuns: async (runIds) => {
      // One run at a time: each goes whole, and others can write in between.
      for (const id of runIds) {
        await write(() => {
          recall.forget(id)
          const no = log.get(id)?.no
          if (no === undefined) return
          links.remove(Number(no))
          for (const removal of removals) removal.run(id)
        })
      }
      const free = await read(() => Number(freePages.get()?.count))
      for (let left = free; left > 0; left -= freedPagesMax) {
        await write(() => db.exec(`PRAGMA incremental_vacuum(${freedPagesMax})`))
      }
    },
    // What is free inside the file is not counted: it is used again.
    countBytes: () => read(() => Number(pages.get()?.bytes)),
  }
}

function healthCalls({ db, write }: Shared): Pick<Store, 'findTrouble'> {
  const probe = db.prepare('UPDATE probe SET count = count + 1 WHERE id = 1')
  return {
    // WHY a write: a full or read-only disk shows itself in nothing less.
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
