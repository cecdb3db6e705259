/** Repeats work on a timer: one run after the other, never two at once. */
import { setTimeout as sleep } from 'node:timers/promises'

type Timer = {
  /** No further work; resolves when what is at work has ended. */
  readonly stop: () => Promise<void>
}

/** Does something now and then again, a while after it has ended. A fault does not end it. */
export function repeatEvery(
  ms: number,
  act: () => Promise<unknown>,
  onFault: (fault: unknown) => void,
): Timer {
  const ended = new AbortController()
  const work = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await act().catch(onFault)
      await pause(ms, ended.signal)
    }
  }
  const working = work()
  return {
    stop: () => {
      ended.abort()
      return working
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Whoever is woken early has nothing to be told.
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}
