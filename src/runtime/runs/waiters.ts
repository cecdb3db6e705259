/** Callers that wait for a log to grow. The caller waits, never a transaction. */
import { PawlError } from '../pawl-error.ts'

/** Callers that may wait at once. */
export const waitersMax = 20_000

export type Wait = {
  readonly runId: string
  /** Woken when the log has more records than this. */
  readonly after: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | null
}

export type Waiting = {
  /** How far the log is; `after` when the time is over. */
  readonly heard: Promise<number>
  /** Waits no longer. */
  readonly stop: () => void
}

export type Waiters = {
  readonly wait: (wish: Wait) => Waiting
  /** Says that a log is this far. */
  readonly wake: (runId: string, seq: number) => void
  /** Hears of everything that is said to `wake`. */
  readonly listen: (listener: (runId: string, seq: number) => void) => () => void
  /** The runs that somebody waits for. */
  readonly awaited: () => readonly string[]
  readonly count: () => number
  /** Lets everybody go, and tells nobody anything any more. */
  readonly close: () => void
}

type Waiter = { readonly after: number; readonly done: (seq: number) => void }

export function openWaiters(): Waiters {
  const byRun = new Map<string, Set<Waiter>>()
  const listeners = new Set<(runId: string, seq: number) => void>()
  let count = 0
  const wake = (runId: string, seq: number): void => {
    const waiting = byRun.get(runId)
    if (waiting !== undefined) {
      for (const waiter of [...waiting]) if (seq > waiter.after) waiter.done(seq)
    }
    for (const listener of listeners) listener(runId, seq)
  }
  const wait = ({ runId, after, timeoutMs, signal }: Wait): Waiting => {
    if (count >= waitersMax) {
      const message = `${waitersMax} callers are already waiting`
      throw new PawlError('OVERLOADED', message, { hint: 'try again in a moment' })
    }
    let tell: (seq: number) => void = () => undefined
    const heard = new Promise<number>((resolve) => {
      tell = resolve
    })
    const waiting = byRun.get(runId) ?? new Set<Waiter>()
    byRun.set(runId, waiting)
    const stop = (): void => done(after)
    const done = (seq: number): void => {
      if (!waiting.delete(waiter)) return
      count -= 1
      if (waiting.size === 0 && byRun.get(runId) === waiting) byRun.delete(runId)
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      tell(seq)
    }
    const waiter: Waiter = { after, done }
    const timer = setTimeout(stop, timeoutMs)
    waiting.add(waiter)
    count += 1
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop)
    return { heard, stop }
  }
  return {
    wait,
    wake,
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    awaited: () => [...byRun.keys()],
    count: () => count,
    close: () => {
      for (const waiting of [...byRun.values()]) for (const one of [...waiting]) one.done(one.after)
      listeners.clear()
    },
  }
}
