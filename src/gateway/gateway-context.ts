/** What every part of the gateway needs. */
import type { OperationInput } from '../doors/api/contract.ts'
import type { ShownSignature } from '../doors/mcp/caller-mark.ts'
import type { ClientRequest } from '../doors/mcp/reconnecting-client.ts'

export type GatewayContext = {
  /** The daemon, which judges. */
  readonly daemon: ClientRequest
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

export type GatewayCaller = Pick<
  OperationInput<'gateway.check'>,
  'workspace' | 'runId' | 'mark' | 'last'
>

/** Whose a call is: what the environment and the call say of it. The daemon finds out. */
export function callerOf(
  { workspace, runId, held }: GatewayContext,
  mark: ShownSignature | null = null,
): GatewayCaller {
  return {
    workspace,
    ...(runId === null ? {} : { runId }),
    ...(mark === null ? {} : { mark }),
    ...(held.runId === null ? {} : { last: held.runId }),
  }
}
