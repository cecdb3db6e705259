/**
 * A decision that must be signed: opens the approval in the person's browser, and waits until it
 * is decided there. A terminal cannot sign.
 */
import type { JsonObject } from '../../../core/json.ts'
import { daemonOf } from './daemon-door.ts'
import type { RemoteContext } from './remote-verb.ts'
import type { ApprovalItem } from './show-approval.ts'
import { remarkText } from './show-event.ts'

/** How long the terminal waits; the approval stays open after that. */
const waitMsMax = 10 * 60_000
const onceMs = 20_000

type SignedDecision = {
  readonly granted: boolean
  readonly note: string | null
  readonly edits: JsonObject | null
}

/** Whether a decision on this approval has to be signed. */
export async function mustSign(asked: RemoteContext, approval: ApprovalItem): Promise<boolean> {
  const { proof } = approval.pending as { readonly proof?: unknown }
  return proof === 'passkey' || (await asked.remote.passkeys.list()).isRequired
}

/** Shows the approval in the browser; gives the exit code once somebody has decided. */
export async function decideInBrowser(
  asked: RemoteContext,
  approval: ApprovalItem,
  decision: SignedDecision,
): Promise<number> {
  const { remote, io } = asked
  const url = await linkTo(asked, approval, decision)
  io.err(remarkText(`sign the decision in your browser:\n  ${url}`, io))
  io.openUrl?.(url)
  const ends = Date.now() + waitMsMax
  let after = 0
  while (Date.now() < ends) {
    const { status, note, decidedBy } = await remote.approvals.read({ id: approval.id })
    const isEndorsed = status === 'pending' && note !== approval.note
    if (status !== 'pending' || isEndorsed) {
      const by = decidedBy === null ? note : `${status} by ${decidedBy}`
      io.out(asked.look === 'json' ? `${JSON.stringify({ status, note })}\n` : `${by}\n`)
      return (status === 'granted' || isEndorsed) === decision.granted ? 0 : 1
    }
    const wait = { runId: approval.runId, after, timeoutMs: onceMs }
    after = (await remote.runs.wait(wait)).seq
  }
  io.err(remarkText('nobody has signed yet; the approval stays open on the page', io))
  return 1
}

/** WHY with a sign-in: whoever decides in a terminal may have no page open. */
async function linkTo(
  { remote, io }: RemoteContext,
  { id }: ApprovalItem,
  { granted, note, edits }: SignedDecision,
): Promise<string> {
  const { code } = await remote.signIns.invite({ access: 'approver' })
  const found = daemonOf(io).find()
  const wish = [granted ? 'approve' : 'refuse', note ?? '', JSON.stringify(edits ?? {})]
  const path = ['sign-in', code, 'approvals', id, ...wish].map(encodeURIComponent).join('/')
  return `${found?.page ?? found?.http ?? ''}/#/${path}`
}
