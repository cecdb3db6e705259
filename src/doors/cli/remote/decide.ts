/**
 * What `approve` and `refuse` have in common: finding the approval, and deciding it once.
 */
import type { JsonObject } from '../../../core/json.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { PawlProblem } from '../../api/problem.ts'
import { detectAgent } from './detect-agent.ts'
import { closestBeginning, severalFit } from './find-run.ts'
import { printOutcome } from './print-outcome.ts'
import type { RemoteContext } from './remote-verb.ts'
import { type ApprovalItem, questionText } from './show-approval.ts'
import { remarkText } from './show-event.ts'
import { decideInBrowser, mustSign } from './sign-in-browser.ts'

type Decision = {
  readonly granted: boolean
  readonly note: string | null
  readonly edits: JsonObject | null
}

/** Decides an approval; gives the exit code. */
export async function decideQuestion(
  asked: RemoteContext,
  name: string,
  decision: Decision,
): Promise<number> {
  const { remote, io, look } = asked
  const { granted, note, edits } = decision
  const approval = await findApproval(name, asked)
  if (look === 'text') io.out(`${questionText(approval, io)}\n`)
  // WHY: an agent gets the refusal that it is due.
  const isPending = approval.status === 'pending' && detectAgent(io) === null
  if (isPending && (await mustSign(asked, approval))) {
    return decideInBrowser(asked, approval, decision)
  }
  const outcome = await remote.call('approvals.decide', {
    id: approval.id,
    granted,
    // What was looked at, and nothing that took its place meanwhile.
    hash: approval.hash,
    ...(note === null ? {} : { note }),
    ...(edits === null ? {} : { edits }),
  })
  if (look === 'text' && granted) await tellMissing(asked, approval.id)
  return printOutcome(asked, outcome)
}

/** More approvals may be needed. */
async function tellMissing({ remote, io }: RemoteContext, id: string): Promise<void> {
  const { status, note } = await remote.call('approvals.read', { id })
  if (status === 'pending') io.err(remarkText(note, io))
}

/** The approval with this id, or the pending one whose id begins so. */
async function findApproval(name: string, { remote }: RemoteContext): Promise<ApprovalItem> {
  try {
    return await remote.call('approvals.read', { id: name })
  } catch (thrown) {
    if (!(thrown instanceof PawlProblem) || thrown.code !== 'APPROVAL_UNKNOWN') throw thrown
    const { items } = await remote.call('approvals.list', { status: 'pending', limit: 500 })
    const ids = items.map((one) => one.id)
    const [only, second] = ids.filter((id) => id.startsWith(name))
    if (only === undefined) throw unknownApproval(name, ids)
    if (second !== undefined) throw severalFit(name, 'approval', [only, second])
    return remote.call('approvals.read', { id: only })
  }
}

function unknownApproval(name: string, ids: readonly string[]): PawlError {
  const near = closestBeginning(name, ids)
  const hint = near === null ? '`pawl approvals` lists them' : `did you mean \`${near}\`?`
  return new PawlError('APPROVAL_UNKNOWN', `there is no approval \`${name}\``, { hint })
}
