/**
 * Sends a decision on an approval, always with the hash of what was shown, and signed where the
 * person has a passkey.
 */
import type { JsonObject } from '../../src/core/json.ts'
import { ApiError, callApi, wordsOf } from './api-client.ts'
import { loadApprovals, type PendingApproval } from './live-state.ts'
import { isPasskeyPlace, ownKeys, signDecision } from './passkeys.ts'

export type ApprovalDecision = {
  readonly granted: boolean
  readonly note: string
  readonly edits?: JsonObject
}

/** Decides one; what comes back is null, or why it was not taken. */
export async function decideApproval(
  approval: PendingApproval,
  decision: ApprovalDecision,
): Promise<string | null> {
  const { id, hash } = approval
  try {
    const signed = await signatureFor(approval, decision)
    await callApi('approvals.decide', { id, hash, ...decision, ...signed })
    return null
  } catch (thrown) {
    const { detail, hint } = wordsOf(thrown)
    return hint === '' ? detail : `${detail}: ${hint}`
  } finally {
    await loadApprovals().catch(() => undefined)
  }
}

type Signed = { readonly signature?: Awaited<ReturnType<typeof signDecision>> }

/** WHY also where it is not required: a signature proves more than a key. */
async function signatureFor(
  { id: approvalId, hash, pending }: PendingApproval,
  decision: ApprovalDecision,
): Promise<Signed> {
  const overview = await callApi('passkeys.list', {})
  if (ownKeys(overview).length > 0 && isPasskeyPlace(overview)) {
    return { signature: await signDecision({ approvalId, hash, ...decision }) }
  }
  const isRequired = overview.isRequired || needsSignature({ pending })
  if (!isRequired) return {}
  throw new ApiError({
    code: 'PASSKEY_NEEDED',
    status: 403,
    detail: 'this decision must be signed, and you have no passkey here',
    hint: 'add one under Passkeys',
  })
}

/** Whether the author or a policy asks for a signature on this one. */
export function needsSignature({ pending }: Pick<PendingApproval, 'pending'>): boolean {
  return (pending as { readonly proof?: unknown }).proof === 'passkey'
}

/** Decides several, one after the other; gives how many were taken and why others were not. */
export async function decideApprovals(
  approvals: readonly PendingApproval[],
  decision: ApprovalDecision,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  const problems: string[] = []
  for (const approval of approvals) {
    const problem = await decideApproval(approval, decision)
    if (problem !== null) problems.push(problem)
  }
  return { count: approvals.length - problems.length, problems }
}
