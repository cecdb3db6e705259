/**
 * How records name callers and holders of calls.
 */
import { hashJson } from '../../core/machine/hash.ts'

/** A caller: its door, and who asks there. */
export function callerName(door: string, caller: string): string {
  return caller === '' ? door : `${door}:${caller}`
}

/** The session of a host that a caller is, as it is recorded; null: it is none. */
export function sessionOfCaller(caller: string | undefined): string | null {
  return caller?.startsWith('hook:') === true ? caller.slice('hook:'.length) : null
}

/** WHY a hash: agents can read the log, and whoever knew a holder could speak for it. */
export function holderName(door: string, holder: string): string {
  return `${door}:${hashJson(holder)}`
}

/**
 * The callers whose calls in flight a call may wait for, by its door. Never those from inside of
 * whose calls it may come: a shell starts jobs, and both send requests through the proxy.
 * WHY a hook may wait for a gateway and a job: no agent of a run may start another agent, so that
 * what an agent calls itself does not come from inside of them.
 */
export function callersBefore(door: string, caller: string): readonly string[] {
  switch (door) {
    case 'hook':
      return [callerName(door, caller), 'gateway', 'job']
    case 'gateway':
      return ['hook:*', 'gateway', 'job']
    case 'job':
      return ['gateway', 'job']
    case 'api':
    case 'routine':
      return [callerName(door, caller)]
    default:
      return []
  }
}
