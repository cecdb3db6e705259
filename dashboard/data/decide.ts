/**
 * Deciding what waits: always about exactly what was shown, by its hash.
 */
import type { JsonObject } from '../../src/core/json.ts'
import { ask, wordsOf } from './api-client.ts'
import { type Approval, loadApprovals } from './live.ts'

export type Decision = {
  readonly granted: boolean
  readonly note: string
  readonly edits?: JsonObject
}

/** Decides one; what comes back is null, or why it was not taken. */
export async function decide(approval: Approval, decision: Decision): Promise<string | null> {
  const { id, hash } = approval
  try {
    await ask('approvals.decide', { id, hash, ...decision })
    return null
  } catch (thrown) {
    const { detail, hint } = wordsOf(thrown)
    return hint === '' ? detail : `${detail}: ${hint}`
  } finally {
    await loadApprovals().catch(() => undefined)
  }
}

/** Decides several, one after the other; gives how many were taken and why others were not. */
export async function decideAll(
  approvals: readonly Approval[],
  decision: Decision,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  const problems: string[] = []
  for (const approval of approvals) {
    const problem = await decide(approval, decision)
    if (problem !== null) problems.push(problem)
  }
  return { count: approvals.length - problems.length, problems }
}
