/**
 * Identifies the caller of a tool, if possible. Pawl's hook in the host writes a mark into the
 * arguments of each call and overwrites anything the agent put there; without hooks there is no
 * mark.
 */
import { asObject, type JsonObject, own } from '../../core/json.ts'
import type { OperationInput } from '../api/contract.ts'
import type { ClientRequest } from './reconnecting-client.ts'

export type ToolCaller = {
  /** The host's session, `claude:…`; null: no hook said so. */
  readonly session: string | null
  /** A subagent inside it. */
  readonly agent: string | null
  readonly run: string | null
  readonly branch: string | null
}

/** Whoever calls without a hook. */
export const unknownCaller: ToolCaller = { session: null, agent: null, run: null, branch: null }

/** A mark as it stands in a call: only the daemon can tell whether its hook wrote it. */
export type ShownSignature = OperationInput<'gateway.mark'>

/** Where the hook writes. */
const place = '_pawl'
const charsMax = 500

/** The arguments without the mark, and the mark; null: there is none that could be proven. */
export function readSignature(args: JsonObject): {
  readonly mark: ShownSignature | null
  readonly input: JsonObject
} {
  const { [place]: said, ...input } = args
  const part = (name: string): string | null => {
    const value = own(asObject(said ?? null) ?? {}, name)
    return typeof value === 'string' && value !== '' && value.length <= charsMax ? value : null
  }
  const [session, proof] = [part('session'), part('proof')]
  if (session === null || proof === null) return { mark: null, input }
  const mark = { session, agent: part('agent'), run: part('run'), branch: part('branch'), proof }
  return { mark, input }
}

/** WHY asked: without hooks an agent writes what it likes, and would choose its run. */
export async function identifyCaller(
  ask: ClientRequest,
  mark: ShownSignature | null,
): Promise<ToolCaller> {
  if (mark === null || !(await ask('gateway.mark', mark)).isProven) return unknownCaller
  const { proof: _, ...who } = mark
  return who
}
