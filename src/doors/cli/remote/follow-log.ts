/** The records of a log, and new ones while the run is open. */
import { isOpen } from '../../../runtime/runs/open-statuses.ts'
import type { RemoteContext } from './remote-verb.ts'
import type { ShownRecord } from './show-event.ts'

const pageRecords = 1_000

type Part = { readonly runId: string; readonly after: number }

/** Every record that is there after a number. */
export async function* recordsOf(asked: RemoteContext, part: Part): AsyncGenerator<ShownRecord> {
  const { runId } = part
  for (let { after } = part; ; ) {
    const query = { runId, after, limit: pageRecords }
    const { items, next } = await asked.remote.call('runs.events', query)
    yield* items
    after = next
    if (items.length < pageRecords) return
  }
}

/** The same, and what is still to come; ends with the run. The client gets over a lost wire. */
export async function* followLog(asked: RemoteContext, part: Part): AsyncGenerator<ShownRecord> {
  const { runId } = part
  const { head } = await asked.remote.call('runs.read', { runId })
  if (isOpen(head.status)) {
    let { after } = part
    for await (const record of asked.remote.stream(runId, { after })) {
      yield record
      after = record.seq
      if (record.member === runId && endings.has(record.type)) break
    }
    yield* recordsOf(asked, { runId, after })
  } else yield* recordsOf(asked, part)
}

const endings = new Set(['run.completed', 'run.blocked', 'run.failed', 'run.cancelled'])
