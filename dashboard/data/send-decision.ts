/** Sends a decision on an approval, always with the hash of what was shown. */
import type { JsonObject } from '../../src/core/json.ts'
import { callApi, wordsOf } from './api-client.ts'
import { loadApprovals, type PendingApproval } from './live-state.ts'

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
    await callApi('approvals.decide', { id, hash, ...decision })
    return null
  } catch (thrown) {
    const { detail, hint } = wordsOf(thrown)
    return hint === '' ? detail : `${detail}: ${hint}`
  } finally {
    await loadApprovals().catch(() => undefined)
  }
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
