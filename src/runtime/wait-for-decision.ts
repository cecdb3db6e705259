/**
 * Waiting for a person, for those whose caller waits as well.
 */
import type { Runtime } from './runtime.ts'

type Asked = Pick<Runtime, 'readApproval' | 'readHead' | 'waitFor'>

/** Whether a person has granted it before the time is over. */
export async function waitForDecision(
  runtime: Asked,
  approvalId: string,
  waitMs: number,
): Promise<boolean> {
  const end = performance.now() + waitMs
  for (;;) {
    const row = await runtime.readApproval(approvalId)
    if (row.status !== 'pending') return row.status === 'granted'
    const timeoutMs = Math.floor(end - performance.now())
    if (timeoutMs <= 0) return false
    const head = await runtime.readHead(row.runId)
    const after = head?.seq ?? 0
    await runtime.waitFor({ runId: row.runId, after, timeoutMs, signal: null })
  }
}
