/**
 * How records name callers and holders of calls.
 */
import { hashJson } from '../../core/machine/hash.ts'

/** A caller: its door, and who asks there. */
export function callerName(door: string, caller: string): string {
  return caller === '' ? door : `${door}:${caller}`
}

/** WHY a hash: agents can read the log, and whoever knew a holder could speak for it. */
export function holderName(door: string, holder: string): string {
  return `${door}:${hashJson(holder)}`
}
