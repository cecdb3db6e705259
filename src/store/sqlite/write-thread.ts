/**
 * The thread that writes changes: a connection of its own, one transaction for each group it gets.
 * Started by `open-write-thread.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './open-database.ts'
import type { HintedChange, Said, SentError } from './open-write-thread.ts'
import { prepareGroup, type Written } from './write-group.ts'
import { prepareRunWriter } from './write-run.ts'

const port = parentPort
const db = connect(workerData)
const writeGroup = prepareGroup(db)
const { commit } = prepareRunWriter(db)
const say = (said: Said): void => port?.postMessage(said)

port?.on('message', (text: string | null) => {
  if (text === null) {
    db.close()
    port.close()
    return
  }
  // WHY the cast: nobody but the store sends changes.
  const changes = JSON.parse(text) as readonly HintedChange[]
  say(
    sendable(
      writeGroup(
        changes.map(
          ({ change, hint }) =>
            () =>
              commit(change, hint),
        ),
      ),
    ),
  )
})
say('ready')

function sendable(written: Written): Written {
  if (written.kind === 'locked') return { kind: 'locked', error: sent(written.error) }
  const results = written.results.map((result) =>
    result.kind === 'done' ? result : { kind: 'failed' as const, error: sent(result.error) },
  )
  return { kind: 'tried', results }
}

function sent(error: unknown): SentError {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return { message: error instanceof Error ? error.message : String(error), code, errcode }
}
