/** The periodic work of a daemon: expiry, deliveries, changes from other nodes, and cleanup. */
import type { OpenRuntime } from '../runtime/open-runtime.ts'
import { faultStack } from './fault-stack.ts'
import type { LogLine } from './log-file.ts'
import { repeatEvery } from './repeat-timer.ts'
import type { HookWatch } from './watch-hooks.ts'

const secondMs = 1_000
/** Less than a second, so that what is wrong is told within one. */
const watchMs = 500
const hourMs = 3_600_000

type Regular = {
  readonly watch: HookWatch
  /** Removes notifications that are long over. */
  readonly sweep: () => Promise<void>
  readonly log: LogLine
}

/** Begins all of it; gives what ends it. */
export function openScheduledWork(
  runtime: OpenRuntime,
  { watch, sweep, log }: Regular,
): () => Promise<void> {
  const onFault = (fault: unknown): void => {
    log('error', 'scheduled work failed', { fault: faultStack(fault) })
  }
  const letGo = async (): Promise<void> => {
    const count = await runtime.letGo()
    if (count > 0) log('info', 'old runs were deleted', { count })
  }
  const timers = [
    repeatEvery(secondMs, runtime.expireDue, onFault),
    repeatEvery(secondMs, runtime.deliverOwed, onFault),
    repeatEvery(secondMs, runtime.poll, onFault),
    repeatEvery(secondMs, runtime.attempts.flush, onFault),
    repeatEvery(secondMs, tellDeafness(runtime, log), onFault),
    repeatEvery(hourMs, letGo, onFault),
    repeatEvery(hourMs, sweep, onFault),
    repeatEvery(watchMs, watch.look, onFault),
  ]
  return async () => {
    watch.close()
    await Promise.all(timers.map((timer) => timer.stop()))
  }
}

/** Says once that nodes do not tell each other of changes, and once that they do again. */
function tellDeafness(runtime: OpenRuntime, log: LogLine): () => Promise<void> {
  let isTold = false
  return async () => {
    const { listenError } = runtime.usage()
    if ((listenError !== null) === isTold) return
    isTold = listenError !== null
    if (listenError === null) log('info', 'notifications from other nodes work again')
    else
      log('warning', 'notifications from other nodes do not work; polling every second', {
        listenError,
      })
  }
}
