/** How a daemon learns that it has to stop: a signal, a request, or a failure. */
import type { LogFile } from './log-file.ts'

export type Shutdown = {
  readonly promise: Promise<string>
  readonly stop: (why: string) => void
  readonly forget: () => void
}

/** Ends well when it is told to, at once when it is told again, and badly when something breaks. */
export function openShutdown(log: LogFile, tell: (text: string) => void): Shutdown {
  let resolve: (why: string) => void = () => undefined
  const promise = new Promise<string>((done) => {
    resolve = done
  })
  let isEnding = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isEnding) process.exit(1)
    isEnding = true
    resolve(signal)
  }
  const onFault = (fault: unknown): never => {
    const text = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
    log.line('error', 'the daemon crashed', { fault: text })
    tell(`pawl: the daemon crashed: ${text}\n`)
    process.exit(1)
  }
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  // WHY in front: the program's own last words would end it before this line is written.
  process.prependListener('uncaughtException', onFault)
  return {
    promise,
    stop: (why) => resolve(why),
    forget: () => {
      for (const signal of signals) process.off(signal, onSignal)
      process.off('uncaughtException', onFault)
    },
  }
}
