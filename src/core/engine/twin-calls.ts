/**
 * Open calls that their caller gives the same key: a host that does not name its calls makes the
 * same one twice at a time. A report may be of either, so that neither proves anything.
 */
import type { OpenCall } from './types.ts'

function isTwin(one: OpenCall, other: OpenCall): boolean {
  return one.key !== undefined && one.key === other.key && one.caller === other.caller
}

/** Whether nobody knows which of several open calls has ended. */
export function hasTwin(openCalls: readonly OpenCall[], open: OpenCall): boolean {
  return openCalls.some((one) => one !== open && isTwin(one, open))
}

/** The open calls after one has ended; its twins prove nothing any more. */
export function withoutEnded(openCalls: readonly OpenCall[], ended: OpenCall): readonly OpenCall[] {
  const others = openCalls.filter((one) => one !== ended)
  if (!hasTwin(openCalls, ended)) return others
  return others.map((one) => (isTwin(one, ended) ? withoutProof(one) : one))
}

function withoutProof({ evidence: _, order, ...rest }: OpenCall): OpenCall {
  if (order === undefined) return rest
  return { ...rest, order: order.filter(({ kind }) => kind !== 'seen') }
}
