/**
 * A person decides an approval: checks what they have signed, and puts the decision to the run.
 * A try that is turned away for want of a true signature is recorded in the run.
 */
import { toUSVString } from 'node:util'
import { type DecisionPeer, peerText } from '../../core/engine/decision-peer.ts'
import { type DecisionStatement, signedEdits } from '../passkeys/statements.ts'
import { PawlError } from '../pawl-error.ts'
import { type CommandContext, handleCommand } from '../runs/handle-command.ts'
import { openLruMap } from '../runs/lru-map.ts'
import { knownApproval } from '../runs/queries.ts'
import { findStoredReply } from '../runs/stored-reply.ts'
import type { By, CommandOutcome, DecisionOnApproval, Runtime } from '../runtime.ts'
import { truncateText } from '../truncate.ts'

const system = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
/** Refused tries that are recorded for one approval; more of them tell nothing new. */
const recordedTriesMax = 5
/** Approvals whose tries are counted. */
const countedMax = 1_000

export function openResolving(context: CommandContext): Runtime['resolve'] {
  const tries = openLruMap<number>(countedMax)
  const record = async (id: string, runId: string, why: string): Promise<void> => {
    const count = (tries.get(id) ?? 0) + 1
    tries.put(id, count)
    if (count > recordedTriesMax) return
    const message = truncateText(`a decision on \`${id}\` was refused: ${why}`)
    const command = { type: 'RaiseWarning', code: 'DECISION_NOT_PROVEN', message } as const
    const wish = { runId, plan: () => ({ command, branch: null }), asked: command }
    await handleCommand(context, wish, system)
  }
  return async (id, decision, by) => {
    await context.passkeys.refresh()
    const { runId } = await knownApproval(context.store, id)
    const peer = (await decision.peer?.()) ?? null
    const sender = peer === null ? '' : `; ${peerText(peer)}`
    try {
      const outcome = await resolve(context, { id, runId, decision, peer }, by)
      const { reply } = outcome
      if (reply.kind === 'refused' && reply.code === 'PASSKEY_NEEDED') {
        await record(id, runId, `\`${by.actor.name}\` did not sign it${sender}`)
      }
      return outcome
    } catch (fault) {
      if (fault instanceof PawlError && fault.code === 'PASSKEY_INVALID') {
        await record(id, runId, `${fault.message}${sender}`)
      }
      throw fault
    }
  }
}

type Deciding = {
  readonly id: string
  readonly runId: string
  readonly decision: DecisionOnApproval
  readonly peer: DecisionPeer | null
}

async function resolve(
  context: CommandContext,
  { id, runId, decision, peer }: Deciding,
  by: By,
): Promise<CommandOutcome> {
  const { granted, hash: seen, edits } = decision
  const note = truncateText(decision.note)
  const asked = { type: 'ResolveApproval', approvalId: id, granted, note } as const
  const told = decision.isTold === undefined ? {} : { isTold: decision.isTold }
  const command = { ...asked, hash: seen, edits, ...told }
  const proof = await proofOf(context, { id, runId, decision }, by)
  const proven = { ...command, ...proof, ...(peer === null ? {} : { peer }) }
  const outcome = await handleCommand(
    context,
    { runId, plan: () => ({ command: proven, branch: null }), asked: command },
    by,
  )
  const { reply } = outcome
  if (reply.kind !== 'refused' || reply.code !== 'APPROVAL_UNKNOWN') return outcome
  const row = await knownApproval(context.store, id)
  if (row.status === 'pending') return outcome
  const who = row.decidedBy === null ? '' : ` by ${row.decidedBy}`
  const message = `\`${id}\` was already ${row.status}${who}`
  throw new PawlError('APPROVAL_DECIDED', message, { hint: 'the first decision counts' })
}

type Proven = { readonly proof?: Awaited<ReturnType<CommandContext['passkeys']['prove']>> }

async function proofOf(
  context: CommandContext,
  { id, runId, decision }: Omit<Deciding, 'peer'>,
  by: By,
): Promise<Proven> {
  const { signature } = decision
  if (signature === undefined) return {}
  // WHY: a challenge is used once, and a command that is sent again has its reply already.
  const isRepeated =
    by.commandId !== null &&
    (await findStoredReply(context.store, runId, toUSVString(by.commandId))) !== null
  if (isRepeated) return {}
  const row = await knownApproval(context.store, id)
  const statement = decisionStatement({ id, hash: row.hash }, decision, by.actor.name)
  return { proof: await context.passkeys.prove(statement, signature) }
}

type Shown = { readonly id: string; readonly hash: string }

/** What a person signs to decide. */
export function decisionStatement(
  { id, hash }: Shown,
  { granted, note, edits }: Pick<DecisionOnApproval, 'granted' | 'note' | 'edits'>,
  person: string,
): DecisionStatement {
  const said = { granted, note: truncateText(note), edits: signedEdits(edits) }
  return { statement: 'decision', approvalId: id, hash, ...said, person }
}
