/**
 * The thread that writes changes: a connection of its own, one transaction for each group it gets.
 * Started by `open-write-thread.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Committed } from '../../runtime/ports.ts'
import { openFreshAnswers } from './fresh-answers.ts'
import { connect } from './open-database.ts'
import type { Said, SentError } from './open-write-thread.ts'
import { type HintedChange, type Parcel, unpack } from './parcel.ts'
import { prepareGroup, type Result, type Written } from './write-group.ts'
import { prepareRunWriter } from './write-run.ts'

const port = parentPort
const db = connect(workerData)
const { commit } = prepareRunWriter(db, openFreshAnswers())
const writeGroup = prepareGroup<HintedChange>(db, ({ change, hint }) => commit(change, hint))
const say = (said: Said): void => port?.postMessage(said)

port?.on('message', (parcels: readonly Parcel[] | null) => {
  if (parcels === null) {
    db.close()
    port.close()
    return
  }
  say(sendable(writeGroup(parcels.map(unpack))))
})
say('ready')

function sendable(written: Written): Said {
  if (written.kind === 'locked') return { locked: sent(written.error) }
  if (written.results.every(isCommitted)) return 'committed'
  return written.results.map((result) =>
    // WHY the cast: nothing but changes is written here.
    result.kind === 'done' ? (result.value as Committed) : sent(result.error),
  )
}

function isCommitted(result: Result): boolean {
  return result.kind === 'done' && result.value === 'committed'
}

function sent(error: unknown): SentError {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return { message: error instanceof Error ? error.message : String(error), code, errcode }
}
