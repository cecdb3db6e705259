/**
 * The thread that writes changes, as the store sees it: started when it is first wanted.
 * Knows threads. Must not know when one is worth its while.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { Committed } from '../../runtime/ports.ts'
import type { WritingOptions } from './open-database.ts'
import { type HintedChange, pack } from './parcel.ts'
import type { Result, Written } from './write-group.ts'

export type WriteThread = {
  /** Whether it can be written by; whoever asks first has it started. */
  readonly isReady: () => boolean
  /** Groups are written in turn. Never fails. */
  readonly write: (changes: readonly HintedChange[]) => Promise<Written>
  readonly close: () => Promise<void>
}

/** What the thread says: first that it is ready, then what became of each group. */
export type Said = 'ready' | Tried | { readonly locked: SentError }

/** One for each change; or all were committed, as nearly all groups are. */
export type Tried = 'committed' | readonly (Committed | SentError)[]

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
  const waiting: { readonly count: number; readonly tell: (written: Written) => void }[] = []

  const start = (): Worker => {
    const started = new Worker(file, { workerData: options, execArgv: [] })
    started.unref()
    started.on('message', (said: Said) => {
      state = 'open'
      if (said !== 'ready') answer(received(said, waiting[0]?.count ?? 0))
    })
    // Its end follows, and what waits is answered there.
    started.on('error', () => undefined)
    started.on('exit', () => {
      state = 'ended'
      while (waiting.length > 0)
        answer({ kind: 'tried', results: failures(waiting[0]?.count ?? 0) })
    })
    return started
  }

  const answer = (written: Written) => {
    const first = waiting.shift()
    // A thread that has nothing to do keeps no program from ending.
    if (waiting.length === 0) worker?.unref()
    first?.tell(written)
  }

  return {
    isReady: () => {
      // One that has ended is not started again: everything can be written without it.
      worker ??= start()
      return state === 'open'
    },
    write: (changes) => {
      try {
        worker?.ref()
        // WHY not `map`: what it gives may have holes to V8, which copies such a list slowly.
        worker?.postMessage(Array.from(changes, pack))
      } catch (error) {
        return Promise.resolve({ kind: 'tried', results: failuresOf(error, changes.length) })
      }
      return new Promise((tell) => waiting.push({ count: changes.length, tell }))
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
  return failuresOf(new PawlError('STORE_UNAVAILABLE', message, { hint }), count)
}

function failuresOf(error: unknown, count: number): readonly Result[] {
  return Array.from({ length: count }, () => ({ kind: 'failed', error }))
}

const committed: Result = { kind: 'done', value: 'committed' }

function received(said: Exclude<Said, 'ready'>, count: number): Written {
  if (said === 'committed') return { kind: 'tried', results: Array(count).fill(committed) }
  if ('locked' in said) return { kind: 'locked', error: asError(said.locked) }
  const results = said.map(
    (one): Result =>
      typeof one === 'string'
        ? { kind: 'done', value: one }
        : { kind: 'failed', error: asError(one) },
  )
  return { kind: 'tried', results }
}

/** An error as this thread would have met it. */
function asError({ message, code, errcode }: SentError): Error {
  return Object.assign(new Error(message), { code, errcode })
}
