/**
 * Opens a store as a daemon does when it starts, and prints how long that took: `node
 * measure-store-open.ts FILE`.
 */
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { runtimeOn } from './record-runs.ts'

export type OpenMeasurement = {
  readonly openMs: number
  readonly grantMs: number
  readonly megabytes: number
}

const begun = performance.now()
const runtime = runtimeOn(openSqliteStore({ path: process.argv[2] ?? '' }))
const query = { status: 'pending', runId: null, after: null, limit: 50 } as const
const { items } = await runtime.listApprovals(query)
await runtime.expireDue()
const openMs = performance.now() - begun
const [first] = items
const granting = performance.now()
if (first !== undefined) {
  const decision = { granted: true, note: '', hash: null, edits: null }
  const person = { kind: 'person', name: 'ada' } as const
  await runtime.resolve(first.id, decision, { actor: person, commandId: null })
}
const grantMs = performance.now() - granting
const megabytes = process.memoryUsage().rss / 1_048_576
await runtime.close()
console.log(JSON.stringify({ openMs, grantMs, megabytes }))
