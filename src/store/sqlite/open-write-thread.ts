/**
 * The thread that writes changes, as the store sees it: started when it is first wanted.
 * Knows threads. Must not know when one is worth its while.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Change } from '../../runtime/ports.ts'
import type { WritingOptions } from './open-database.ts'
import type { Hint } from './recall.ts'
import type { Result, Written } from './write-group.ts'

export type WriteThread = {
  readonly isOpen: () => boolean
  /** Null: it is not there, or not yet. One group at a time. Never fails. */
  readonly write: (changes: readonly HintedChange[]) => Promise<Written> | null
  readonly close: () => Promise<void>
}

/** A change and what is known of its run. */
export type HintedChange = { readonly change: Change; readonly hint: Hint | null }

/** What the thread says: first that it is ready, then what became of each group. */
export type Said = 'ready' | Written

/** An error on its way from the thread: of errors only the message would arrive. */
export type SentError = {
  readonly message: string
  readonly code: unknown
  readonly errcode: unknown
}

const file = new URL(`./write-thread${extname(import.meta.url)}`, import.meta.url)

export function openWriteThread(options: WritingOptions): WriteThread {
  let worker: Worker | null = null
  let state: 'starting' | 'open' | 'ended' = 'starting'
  let waiting: { readonly count: number; readonly tell: (written: Written) => void } | null = null

  const start = (): Worker => {
    const started = new Worker(file, { workerData: options, execArgv: [] })
    started.unref()
    started.on('message', (said: Said) => {
      state = 'open'
      if (said !== 'ready') answer(received(said))
    })
    // Its end follows, and what waits is answered there.
    started.on('error', () => undefined)
    started.on('exit', () => {
      state = 'ended'
      answer({ kind: 'tried', results: failures(waiting?.count ?? 0) })
    })
    return started
  }

  const answer = (written: Written) => {
    const { tell } = waiting ?? {}
    waiting = null
    // A thread that has nothing to do keeps no program from ending.
    worker?.unref()
    tell?.(written)
  }

  return {
    isOpen: () => state === 'open',
    write: (changes) => {
      // One that has ended is not started again: everything can be written without it.
      worker ??= start()
      if (state !== 'open') return null
      worker.ref()
      // WHY as one text: a copy of many small values costs several times as much.
      worker.postMessage(JSON.stringify(changes))
      return new Promise((tell) => {
        waiting = { count: changes.length, tell }
      })
    },
    close: async () => {
      const last = worker
      if (last === null || state === 'ended') return
      last.ref()
      const ended = new Promise((resolve) => last.once('exit', resolve))
      if (state === 'open') last.postMessage(null)
      else last.terminate()
      await ended
    },
  }
}

/** What becomes of changes whose thread has ended over them. */
function failures(count: number): readonly Result[] {
  const hint = 'try again with the same id: what was kept is answered, what was not is decided'
  const message = 'the thread that writes the database has ended'
  const error = new PawlError('STORE_UNAVAILABLE', message, { hint })
  return Array.from({ length: count }, () => ({ kind: 'failed', error }))
}

/** Errors as this thread would have met them. */
function received(written: Written): Written {
  if (written.kind === 'locked') return { kind: 'locked', error: asError(written.error) }
  const results = written.results.map(
    (result): Result =>
      result.kind === 'done' ? result : { kind: 'failed', error: asError(result.error) },
  )
  return { kind: 'tried', results }
}

function asError(error: unknown): Error {
  // WHY the cast: nobody but the thread sends errors.
  const { message, code, errcode } = error as SentError
  return Object.assign(new Error(message), { code, errcode })
}
