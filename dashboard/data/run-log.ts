/**
 * Follows the log of one run: the latest part first, then earlier parts, and new events as they
 * happen. Limited in size.
 */
import type { OperationAnswer, StreamMessage } from '../../src/doors/api/contract.ts'
import { type ApiProblem, callApi, wordsOf } from './api-client.ts'
import { followStream } from './stream.ts'
import { openValueStore, type ValueStore } from './value-store.ts'

export type LogRecord = StreamMessage<'runs.stream'>
export type LogReading = OperationAnswer<'runs.read'>

export type RunLogState = {
  /** Without gaps, in order. */
  readonly records: readonly LogRecord[]
  readonly reading: LogReading | null
  readonly problem: ApiProblem | null
  /** Whether what came before the first record is being fetched. */
  readonly isFilling: boolean
}

export type RunLog = {
  readonly store: ValueStore<RunLogState>
  /** Holds another part of what came before. */
  readonly earlier: () => void
  readonly close: () => void
}

const pageSize = 1_000
/** Records at hand; who looks further back lets go of this limit in steps. */
const heldMax = 20_000
/** At most so many, where a link leads to an earlier one. */
const linkedMax = 100_000
const readingMs = 150

/** Begins to read; `linked` is an event that has to be among the records. */
export function openRunLog(runId: string, linked: number | null = null): RunLog {
  const leaving = new AbortController()
  const { signal } = leaving
  const initial = { records: [], reading: null, problem: null, isFilling: true }
  const store = openValueStore<RunLogState>(initial)
  let limit = heldMax
  const set = (part: Partial<RunLogState>): void => store.set((was) => ({ ...was, ...part }))
  const read = once(readingMs, async () => set({ reading: await callApi('runs.read', { runId }) }))
  const add = (fresh: readonly LogRecord[]): void => {
    store.set((was) => ({ ...was, records: appended(was.records, fresh, limit) }))
    read()
  }
  const fill = async (upTo: number): Promise<void> => {
    set({ isFilling: true })
    for (let first = firstSeq(store); first > 1 && !signal.aborted; first = firstSeq(store)) {
      if (store.get().records.length >= upTo) break
      const after = Math.max(0, first - 1 - pageSize)
      const { items } = await callApi(
        'runs.events',
        { runId, after, limit: first - 1 - after },
        { signal },
      )
      if (items.length === 0) break
      store.set((was) => ({ ...was, records: [...items, ...was.records] }))
    }
    set({ isFilling: false })
  }
  const begin = async (): Promise<void> => {
    const reading = await callApi('runs.read', { runId }, { signal })
    const { seq } = reading.head
    if (linked !== null) limit = Math.max(limit, Math.min(linkedMax, seq - linked + 1))
    const after = Math.max(0, seq - pageSize)
    const { items, next } = await callApi(
      'runs.events',
      { runId, after, limit: pageSize },
      { signal },
    )
    set({ reading, records: items })
    void fill(limit).catch(() => set({ isFilling: false }))
    await followStream('runs.stream', {
      input: { runId },
      after: next,
      signal,
      onMessages: add,
      onLink: (link) => {
        if (link === 'live') read()
      },
    })
  }
  begin().catch((thrown: unknown) => {
    if (!signal.aborted) set({ problem: wordsOf(thrown), isFilling: false })
  })
  return {
    store,
    earlier: () => {
      limit += heldMax / 4
      void fill(limit).catch(() => set({ isFilling: false }))
    },
    close: () => leaving.abort(),
  }
}

function firstSeq(store: ValueStore<RunLogState>): number {
  return store.get().records[0]?.seq ?? 1
}

/** What is held already comes again after a break; what is too much goes at the old end. */
function appended(
  held: readonly LogRecord[],
  fresh: readonly LogRecord[],
  limit: number,
): readonly LogRecord[] {
  const last = held.at(-1)?.seq ?? 0
  const all = [...held, ...fresh.filter((record) => record.seq > last)]
  return all.length > limit + pageSize ? all.slice(-limit) : all
}

/** Does it soon, and once for all who ask meanwhile. */
function once(ms: number, act: () => Promise<void>): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      // Asked again with the next change.
      act().catch(() => undefined)
    }, ms)
  }
}
