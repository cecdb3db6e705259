/**
 * Streams that stay open until the caller disconnects: the log of a run, and changed runs. Data
 * always comes from the store; change notifications only say when to read again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunHead } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { StreamMessage, StreamRequest } from './contract.ts'
import { eventOf, mustKnow, withTitles } from './handlers.ts'
import type { StreamName } from './operations-table.ts'

/** One message with the id to resume after; null: nothing new, and still here. */
export type Beat<Name extends StreamName> = {
  readonly id: number
  readonly message: StreamMessage<Name>
} | null

type StreamContext = {
  readonly runtime: Runtime
  /** Raised when the caller is gone. */
  readonly signal: AbortSignal
  /** How often a quiet stream says that it is still there. */
  readonly beatMs: number
}

type Streams = {
  readonly [Name in StreamName]: (
    context: StreamContext,
    input: StreamRequest<Name>,
  ) => AsyncGenerator<Beat<Name>, void, void>
}

/** The first thing that comes is a beat: by then it is certain that there will be a stream. */
export const openStreams: Streams = {
  'runs.stream': streamEvents,
  'changes.stream': streamChanges,
}

const eventsMax = 200

async function* streamEvents(
  { runtime, signal, beatMs }: StreamContext,
  { runId, after }: StreamRequest<'runs.stream'>,
): AsyncGenerator<Beat<'runs.stream'>, void, void> {
  await mustKnow(runtime, runId)
  yield null
  let seen = after ?? 0
  while (!signal.aborted) {
    const records = await runtime.readEvents(runId, { after: seen, limit: eventsMax })
    for (const record of records) {
      yield { id: record.seq, message: eventOf(record) }
      seen = record.seq
    }
    if (records.length > 0 || signal.aborted) continue
    const seq = await runtime.waitFor({ runId, after: seen, timeoutMs: beatMs, signal })
    if (seq <= seen) yield null
  }
}

/** Changes on other nodes may not be heard of: how often a look finds them all the same. */
const lookMs = 1_000
/** Changes that come together are looked for once. */
const gatherMs = 40
/** Nodes differ in their clocks and commits in their order: a look goes back so far. */
const slackMs = 5_000
/** Runs that one look returns; whoever was away longer sees the latest of them. */
const changesMax = 1_000
const pageMax = 200

async function* streamChanges(
  context: StreamContext,
  { after }: StreamRequest<'changes.stream'>,
): AsyncGenerator<Beat<'changes.stream'>, void, void> {
  const { runtime, signal, beatMs } = context
  const look = openLook(runtime, after ?? null)
  // What has changed before the stream began is no change, unless it was asked for.
  if (after === undefined) await look()
  yield null
  while (!signal.aborted) {
    // INVARIANT: listening begins before looking, so that no change falls in between.
    const change = waitForChange(context, Math.min(beatMs, lookMs))
    try {
      const heads = await look()
      for (const message of heads) yield { id: message.updatedAt, message }
      const isQuiet = (await change.happened) === 'quiet'
      if (isQuiet && heads.length === 0) yield null
    } finally {
      change.stop()
    }
    await pause(gatherMs, signal)
  }
}

type Look = () => Promise<readonly StreamMessage<'changes.stream'>[]>

/** Each look gives what has changed since the one before, the oldest change first. */
function openLook(runtime: Runtime, after: number | null): Look {
  let since = after
  /** How far each run was when it was told, as long as a look could meet it again. */
  const told = new Map<string, RunHead>()
  return async () => {
    const heads = await listChanged(runtime, since === null ? null : since - slackMs)
    const fresh = heads.filter((head) => told.get(head.id)?.seq !== head.seq)
    for (const head of fresh) told.set(head.id, head)
    since = Math.max(since ?? 0, heads.at(-1)?.updatedAt ?? 0)
    for (const [id, head] of told) if (head.updatedAt < since - slackMs) told.delete(id)
    if (fresh.length === 0) return []
    const asking = await listAsking(runtime)
    const titled = await withTitles(runtime, fresh)
    return titled.map((head) => ({ ...head, asks: asking.has(head.id) }))
  }
}

/** Null: the latest page is enough. */
async function listChanged(runtime: Runtime, after: number | null): Promise<readonly RunHead[]> {
  const heads: RunHead[] = []
  const query = { statuses: null, workspace: null, definition: null, limit: pageMax }
  for (let at: string | null = null; ; ) {
    const page = await runtime.listRuns({ ...query, after: at })
    const fresh = page.items.filter((head) => after === null || head.updatedAt >= after)
    heads.push(...fresh)
    at = page.next
    const isOver = after === null || at === null || fresh.length < page.items.length
    if (isOver || heads.length >= changesMax) return heads.reverse()
  }
}

async function listAsking(runtime: Runtime): Promise<ReadonlySet<string>> {
  const query = { status: 'pending', runId: null, after: null, limit: changesMax } as const
  const { items } = await runtime.listApprovals(query)
  return new Set(items.map((one) => one.runId))
}

/** Begins to listen for a change of any run; `quiet`: the time was over first. */
function waitForChange({ runtime, signal }: StreamContext, timeoutMs: number) {
  const done = new AbortController()
  const happened = new Promise<'changed' | 'quiet'>((resolve) => {
    const changed = () => resolve('changed')
    const unlisten = runtime.onChange(changed)
    const timer = setTimeout(() => resolve('quiet'), timeoutMs)
    signal.addEventListener('abort', changed, { once: true, signal: done.signal })
    done.signal.addEventListener('abort', () => {
      unlisten()
      clearTimeout(timer)
    })
  })
  return { happened, stop: () => done.abort() }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Woken early, the loop around it sees why.
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
