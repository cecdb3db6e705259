/**
 * Tells an address of the user's choice that a person is asked.
 * Knows HTTP. Must not know what an answer means: that comes back through a door.
 */
import type { ApprovalRow, Owed } from '../runtime/ports.ts'

const timeoutMs = 10_000

type Read = (approvalId: string) => Promise<ApprovalRow>

/** What delivers work that is owed; a fault means that it is tried again later. */
export function openWebhook(url: string | null, read: Read): (owed: Owed) => Promise<void> {
  return async (owed) => {
    const approvalId = url === null ? null : approvalIn(owed)
    if (url === null || approvalId === null) return
    const row = await read(approvalId)
    // Somebody was faster than this message.
    if (row.status !== 'pending') return
    await post(url, owed.id, row)
  }
}

function approvalIn({ kind, data }: Owed): string | null {
  if (kind !== 'notify-person') return null
  // WHY the cast: this is an effect of our own engine, kept to the letter.
  return (JSON.parse(data) as { approvalId: string }).approvalId
}

async function post(url: string, delivery: string, row: ApprovalRow): Promise<void> {
  // WHY not what waits: a message goes out of the house; the question itself is enough to look.
  const { id, runId, kind, message, hash, requestedAt, expiresAt } = row
  const approval = { id, runId, kind, message, hash, requestedAt, expiresAt }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': delivery },
    body: JSON.stringify({ type: 'approval.requested', approval }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`)
}
