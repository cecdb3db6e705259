/**
 * Leaves a trace of requests beyond what their caller may do; they have no other effect. Knows
 * callers and problems. Must not know transports.
 */
import type { RefusedAttempts } from '../../runtime/record/refused-attempts.ts'
import type { Caller } from './caller.ts'
import type { ProblemDocument } from './problem.ts'

/** Codes of such requests; other problems are everyday mistakes. */
const beyond: ReadonlySet<string> = new Set([
  ...['NOT_PERMITTED', 'TOKEN_INVALID', 'PASSKEY_NEEDED', 'LOG_BROKEN'],
])

/** Counts what a caller was refused; null: nobody knows the credential. */
export type NoteRefusal = (what: string, caller: Caller | null, why: ProblemDocument) => void

export function openRefusalTrace(attempts: Pick<RefusedAttempts, 'note'>): NoteRefusal {
  return (what, caller, { code }) => {
    if (beyond.has(code)) attempts.note({ what, by: credentialText(caller), code })
  }
}

function credentialText(caller: Caller | null): string {
  if (caller === null) return 'an unknown credential'
  if (caller.role === 'person') return `the token or sign-in of ${caller.name}`
  if (caller.isBare === true) return caller.isGateway ? '`gateway.token`' : '`agent.token`'
  if (caller.session?.onlyRun != null) return "a run's credential"
  return caller.session?.kind === 'gateway' ? "a gateway's credential" : "an agent's credential"
}
