/**
 * What every part of the gateway works with.
 */
import type { Input } from '../doors/api/contract.ts'
import type { Ask } from '../doors/mcp/link.ts'
import type { Who } from '../doors/mcp/who.ts'

export type Desk = {
  /** The daemon, which judges. */
  readonly daemon: Ask
  readonly workspace: string
  /** The run that the environment names; null: none. */
  readonly runId: string | null
  /** This process, as nobody else is called. */
  readonly holder: string
  readonly askWaitMs: number
  readonly env: Readonly<Record<string, string | undefined>>
  /** Tells a person; never the client. */
  readonly log: (what: string) => void
  /** The run that judged last, which goes on to hold this session. */
  readonly held: { runId: string | null }
}

export type Whose = Pick<Input<'gateway.check'>, 'workspace' | 'named' | 'last'>

/** Whose a call is: as a hook says, as the environment says, or as the daemon finds out. */
export function whoseOf({ workspace, runId, held }: Desk, who: Who | null = null): Whose {
  const last = held.runId === null ? {} : { last: held.runId }
  if (runId !== null && (who === null || who.session === null || who.run === runId)) {
    return { workspace, named: { runId, branch: who?.branch ?? null } }
  }
  if (who === null || who.session === null) return { workspace, ...last }
  const { session, run, branch } = who
  return { workspace, named: { runId: run, branch, session }, ...last }
}
