/**
 * Checks the signatures of decisions offline, from records alone: each against the key that was
 * registered when it was made, and the log of passkeys against itself. Needs no authenticator.
 */
import type { PasskeyProof } from '../../core/engine/decision-proof.ts'
import type { Approval, Event } from '../../core/engine/types.ts'
import { PawlError } from '../pawl-error.ts'
import type { EventRecord } from '../ports.ts'
import { recordedIn } from '../runs/load-run.ts'
import { type Passkey, type PasskeyLog, passkeyEventIn } from './passkey-log.ts'
import { challengeOf, type Statement, signedEdits } from './statements.ts'
import { checkAssertion, UntrueResponse } from './webauthn.ts'

export type SignatureCount = {
  /** Decisions that were signed, and whose signature is true. */
  readonly signed: number
  /** Decisions that rest on a token, a link or a prompt. */
  readonly unsigned: number
  /** Tries to decide that were turned away for want of a true signature. */
  readonly refused: number
}

export type SignatureProblem = { readonly seq: number; readonly problem: string }

export type SignatureCheck = {
  /** The first record whose signature is missing or not true; null: there is none so far. */
  readonly add: (records: readonly EventRecord[]) => Promise<SignatureProblem | null>
  readonly count: () => SignatureCount
}

type Asked = Pick<Approval, 'hash' | 'proof'>
type DecisionEvent = Extract<
  Event,
  { type: 'approval.granted' | 'approval.endorsed' | 'approval.refused' }
>

/** Checks the records of one run, in order; the log of passkeys is read when one is needed. */
export function openSignatureCheck(registrations: () => Promise<PasskeyLog>): SignatureCheck {
  const asked = new Map<string, Asked>()
  const count = { signed: 0, unsigned: 0, refused: 0 }
  let log: Promise<PasskeyLog | string> | null = null
  const check = async (record: EventRecord): Promise<string | null> => {
    if (!record.type.startsWith('approval.')) {
      if (isRefusedTry(record)) count.refused += 1
      return null
    }
    const { event } = recordedIn(record)
    if (event.type === 'approval.requested') {
      const { id, hash, proof } = event.approval
      asked.set(id, { hash, ...(proof === undefined ? {} : { proof }) })
      return null
    }
    if (event.type !== 'approval.expired' && isDecision(event)) {
      const about = asked.get(event.approvalId)
      if (event.proof === undefined) {
        count.unsigned += 1
        return about?.proof === 'passkey' ? 'the decision must be signed, and is not' : null
      }
      if (about === undefined) return 'a decision is signed on a question that was never asked'
      log ??= readOrProblem(registrations)
      const known = await log
      if (typeof known === 'string') return known
      const problem = await checkProof(known, statementOf(event, about.hash), event.proof)
      if (problem === null) count.signed += 1
      return problem
    }
    return null
  }
  return {
    add: async (records) => {
      for (const record of records) {
        const problem = await check(record)
        if (problem !== null) return { seq: record.seq, problem }
      }
      return null
    },
    count: () => ({ ...count }),
  }
}

/** The log, or why nothing in it can be relied on. */
async function readOrProblem(read: () => Promise<PasskeyLog>): Promise<PasskeyLog | string> {
  try {
    return await read()
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'LOG_BROKEN') return fault.message
    throw fault
  }
}

function isRefusedTry({ type, data }: EventRecord): boolean {
  return type === 'warning.raised' && data.includes('"DECISION_NOT_PROVEN"')
}

function isDecision(event: Event): event is DecisionEvent {
  return ['approval.granted', 'approval.endorsed', 'approval.refused'].includes(event.type)
}

function statementOf(event: DecisionEvent, hash: string): Statement {
  const { approvalId, by, note } = event
  const edits = event.type === 'approval.granted' ? signedEdits(event.edits) : null
  const granted = event.type !== 'approval.refused'
  return { statement: 'decision', approvalId, hash, granted, note, edits, person: by.name }
}

/** Why a proof is not true; null: it is. `person` must have had the key at the time. */
async function checkProof(
  log: PasskeyLog,
  statement: Statement,
  proof: PasskeyProof,
): Promise<string | null> {
  const { seq, hash } = proof.registrations
  const known = log.records[seq - 1]
  if (known === undefined || known.hash !== hash) {
    return 'the log of passkeys is not the one against which this was signed'
  }
  const key = log.keys.find((one) => one.credentialId === proof.credentialId)
  if (key === undefined || !wasActive(key, seq)) {
    return 'it was signed with a passkey that did not count at the time'
  }
  if (statement.statement === 'decision' && key.person !== statement.person) {
    return `it was signed with a passkey of \`${key.person}\`, not of \`${statement.person}\``
  }
  return checkSigned(key, statement, proof)
}

function wasActive({ fromSeq, untilSeq }: Passkey, seq: number): boolean {
  return fromSeq <= seq && (untilSeq === null || untilSeq > seq)
}

async function checkSigned(
  { credentialId: id, rpId, publicKey }: Passkey,
  statement: Statement,
  proof: PasskeyProof,
): Promise<string | null> {
  const { authenticatorData, clientDataJson, signature } = proof
  const sent = { id, authenticatorData, clientDataJson, signature }
  const challenge = challengeOf(statement, proof)
  try {
    // WHY no count: records of several runs are not in one order.
    await checkAssertion({ sent, challenge, rpId, origin: null, key: { publicKey, counter: 0 } })
    return null
  } catch (fault) {
    if (fault instanceof UntrueResponse) return `its signature is not true: ${fault.message}`
    throw fault
  }
}

/** The first record of the log of passkeys that nobody was entitled to; null: there is none. */
export async function verifyRegistrations(log: PasskeyLog): Promise<SignatureProblem | null> {
  for (const record of log.records) {
    const problem = await checkRegistration(log, record)
    if (problem !== null) return { seq: record.seq, problem }
  }
  return null
}

async function checkRegistration(log: PasskeyLog, record: EventRecord): Promise<string | null> {
  const event = passkeyEventIn(record)
  if (event.type === 'passkey.reset') return null
  const before = log.keys.filter((key) => wasActive(key, record.seq - 1))
  const { proof } = event
  if (proof === undefined) {
    return before.length === 0 ? null : 'a passkey was added without a signature by another one'
  }
  if (proof.registrations.seq !== record.seq - 1) {
    return 'it was signed for another place in the log'
  }
  const signer = before.find((key) => key.credentialId === proof.credentialId)
  const isOwn = signer?.person === event.person
  if (!isOwn && before.some((key) => key.person === event.person)) {
    return `only \`${event.person}\` could have confirmed this`
  }
  return checkProof(log, registrationOf(event), proof)
}

function registrationOf(
  event: Exclude<ReturnType<typeof passkeyEventIn>, { type: 'passkey.reset' }>,
): Statement {
  const { person, credentialId } = event
  if (event.type === 'passkey.removed') return { statement: event.type, person, credentialId }
  const { label, rpId, publicKey } = event
  return { statement: event.type, person, label, rpId, credentialId, publicKey }
}
