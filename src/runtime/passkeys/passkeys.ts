/**
 * Passkeys of people: adds and removes them, asks for signatures, and checks what was signed.
 * Knows people, keys and statements. Must not know transports, or what a decision does to a run.
 *
 * Who may add a key: while nobody has one, a person who is signed in. From then on every new key
 * has to be confirmed with a key: the person's own, or, for their first one, anybody's.
 */
import type { PasskeyProof } from '../../core/engine/decision-proof.ts'
import type { ProofLevel } from '../../core/machine/proof-levels.ts'
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { Store } from '../ports.ts'
import { challengeMs, isSameStatement, openChallenges } from './challenges.ts'
import {
  activeKeys,
  appendPasskey,
  type Passkey,
  type PasskeyEvent,
  type PasskeyLog,
  readPasskeyLog,
} from './passkey-log.ts'
import { type KeyProposal, keyCodeOf, openProposals } from './proposals.ts'
import { nextCount, storedCount } from './sign-counts.ts'
import { challengeOf, type DecisionStatement, type Statement } from './statements.ts'
import {
  type Assertion,
  type Attestation,
  checkAssertion,
  checkAttestation,
  creationOptions,
  type RelyingParty,
  requestOptions,
  UntrueResponse,
} from './webauthn.ts'

/** Keys that one person may have at a time. */
const keysMax = 20

export type PasskeyOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly newId: () => string
  /** What the configuration says; null: nothing, so that the first key decides. */
  readonly proof: ProofLevel | null
  /** Where people reach the page now. */
  readonly parties: () => readonly RelyingParty[]
}

/** What a browser is asked to sign, and under which name it is answered. */
export type SignatureRequest = {
  readonly nonce: string
  readonly expiresAt: number
  readonly options: object
}

/** A signature and the challenge it answers. */
export type Signature = { readonly nonce: string; readonly assertion: Assertion }

export type PasskeyList = {
  readonly keys: readonly Passkey[]
  /** New keys, and removals, that wait for a signature. */
  readonly proposals: readonly KeyProposal[]
  /** Whether decisions must be signed now, whatever a definition says. */
  readonly isRequired: boolean
  readonly setting: ProofLevel | null
  readonly parties: readonly RelyingParty[]
  readonly resetsCount: number
}

export type Passkeys = {
  /** Reads the log anew; from then on `required` is true to it. Never throws. */
  readonly refresh: () => Promise<void>
  /** How decisions must be proven at least, as far as this node knows. */
  readonly required: () => ProofLevel | undefined
  readonly list: () => Promise<PasskeyList>
  readonly readLog: () => Promise<PasskeyLog>
  /** What a person's browser needs to make a key. */
  readonly begin: (wish: KeyWish) => Promise<{ readonly id: string; readonly options: object }>
  /** The new key; null: it waits for a signature by somebody who has a key. */
  readonly add: (id: string, person: string, sent: Attestation) => Promise<Passkey | null>
  /** Proposes to remove a key; it is gone once that is signed. Gives the proposal's id. */
  readonly remove: (credentialId: string, person: string) => Promise<string>
  /** What a person has to sign so that a proposal counts. */
  readonly askConfirmation: (id: string, wish: SignerWish) => Promise<SignatureRequest>
  readonly confirm: (id: string, person: string, signature: Signature) => Promise<void>
  /** What a person has to sign to decide. */
  readonly askDecision: (
    statement: DecisionStatement,
    wish: SignerWish,
  ) => Promise<SignatureRequest>
  /** The proof of a decision. Fault `PASSKEY_INVALID`: it is none. */
  readonly prove: (statement: DecisionStatement, signature: Signature) => Promise<PasskeyProof>
}

export type SignerWish = { readonly person: string; readonly origin: string }
export type KeyWish = SignerWish & {
  readonly label: string
  /** A name of the link by which it is proposed, of which one key at a time may wait. */
  readonly link?: string
}

export function openPasskeys(options: PasskeyOptions): Passkeys {
  const { store, clock, proof: setting } = options
  const challenges = openChallenges(clock.now)
  const proposals = openProposals(clock.now, options.newId)
  /** Null: the log was never read. */
  let isRegistered: boolean | null = null
  const read = async (): Promise<PasskeyLog> => {
    const log = await readPasskeyLog(store)
    isRegistered = log.records.length > 0
    return log
  }
  const required = (): ProofLevel | undefined =>
    setting ?? (isRegistered === true ? 'passkey' : undefined)
  const tools: Tools = { ...options, challenges, proposals, read }
  return {
    refresh: async () => {
      // WHY true where it was never read: a fault must not lower what the log demands.
      await read().catch(() => {
        isRegistered ??= true
      })
    },
    required,
    readLog: read,
    list: async () => {
      const { keys, resetsCount } = await read()
      const isRequired = required() === 'passkey'
      const waiting = proposals.list()
      return {
        ...{ keys, proposals: waiting, isRequired, setting, resetsCount },
        parties: options.parties(),
      }
    },
    begin: (wish) => begin(tools, wish),
    add: (id, person, sent) => add(tools, { id, person }, sent),
    remove: (credentialId, person) => remove(tools, credentialId, person),
    askConfirmation: async (id, wish) => {
      const proposal = knownProposal(tools, id)
      const log = await read()
      refuseSigner(log, proposal, wish.person)
      return askSignature(tools, proposal.statement, { ...wish, log })
    },
    confirm: (id, person, signature) => confirm(tools, { id, person }, signature),
    askDecision: async (statement, wish) =>
      askSignature(tools, statement, { ...wish, log: await read() }),
    prove: async (statement, signature) =>
      prove(tools, { statement, person: statement.person, log: await read() }, signature),
  }
}

type Tools = PasskeyOptions & {
  readonly challenges: ReturnType<typeof openChallenges>
  readonly proposals: ReturnType<typeof openProposals>
  readonly read: () => Promise<PasskeyLog>
}

function invalid(message: string, hint = 'try again on the page (`pawl open`)'): PawlError {
  return new PawlError('PASSKEY_INVALID', message, { hint })
}

function partyOf({ parties }: Tools, origin: string): RelyingParty {
  const found = parties().find((one) => one.origin === origin)
  if (found !== undefined) return found
  const hint = 'open the page with `pawl open`: passkeys need `localhost`, or `publicUrl`'
  throw invalid(`passkeys cannot be used at \`${origin}\``, hint)
}

function keysOf(log: PasskeyLog, person: string): readonly Passkey[] {
  return activeKeys(log).filter((key) => key.person === person)
}

async function begin(
  tools: Tools,
  { person, label, origin, ...source }: KeyWish,
): Promise<{ readonly id: string; readonly options: object }> {
  const party = partyOf(tools, origin)
  const own = keysOf(await tools.read(), person)
  if (own.length >= keysMax) {
    throw invalid(`\`${person}\` already has ${keysMax} passkeys`, 'remove one first')
  }
  const { id, challenge } = tools.proposals.begin({ person, label, party, ...source })
  const known = own.filter((key) => key.rpId === party.rpId).map((key) => key.credentialId)
  const wish = { party, person, challenge, known, timeoutMs: challengeMs }
  return { id, options: await creationOptions(wish) }
}

type Whose = { readonly id: string; readonly person: string }

async function add(
  tools: Tools,
  { id, person }: Whose,
  sent: Attestation,
): Promise<Passkey | null> {
  const begun = tools.proposals.take(id, person)
  if (begun === null) throw invalid('this registration is unknown, used or expired')
  const { challenge, party, link } = begun
  const made = await untrueAsFault(() => checkAttestation({ sent, challenge, party }))
  const log = await tools.read()
  if (log.keys.some((key) => key.credentialId === made.credentialId)) {
    throw invalid('this passkey is already on record')
  }
  const label = link === undefined ? begun.label : `${begun.label} ${keyCodeOf(made.credentialId)}`
  const event = { type: 'passkey.added', person, label, rpId: party.rpId, ...made } as const
  if (activeKeys(log).length === 0) {
    await append(tools, log, { event, person })
    return (await tools.read()).keys.find((key) => key.credentialId === made.credentialId) ?? null
  }
  const { type, rpId, credentialId, publicKey } = event
  const statement = { statement: type, person, label, rpId, credentialId, publicKey }
  refuseSecond(tools, link)
  tools.proposals.put({ id, statement, event, ...(link === undefined ? {} : { link }) })
  return null
}

/** WHY refused, not replaced: whoever came first may be somebody else, which has to be seen. */
function refuseSecond({ proposals }: Tools, link: string | undefined): void {
  if (link === undefined || proposals.list().every((one) => one.link !== link)) return
  const hint = 'confirm it only if you added it; otherwise wait 15 minutes and add yours again'
  throw invalid('a passkey from this link already waits to be confirmed', hint)
}

async function remove(tools: Tools, credentialId: string, person: string): Promise<string> {
  const known = keysOf(await tools.read(), person).some((key) => key.credentialId === credentialId)
  if (!known) throw invalid('you have no such passkey', '`pawl passkey list` lists them')
  const id = tools.newId()
  const event = { type: 'passkey.removed', person, credentialId } as const
  tools.proposals.put({ id, statement: { statement: event.type, person, credentialId }, event })
  return id
}

function knownProposal({ proposals }: Tools, id: string): KeyProposal {
  const found = proposals.list().find((one) => one.id === id)
  if (found === undefined) throw invalid('this request is unknown, done or expired')
  return found
}

/** WHY: a key of ada's must not make a second key for bob, who has one to say so himself. */
function refuseSigner(log: PasskeyLog, { statement }: KeyProposal, signer: string): void {
  const isOwn = statement.person === signer
  if (isOwn || keysOf(log, statement.person).length === 0) return
  throw invalid(`only \`${statement.person}\` can confirm this, with a passkey of their own`)
}

async function confirm(tools: Tools, { id, person }: Whose, signature: Signature): Promise<void> {
  const proposal = knownProposal(tools, id)
  const log = await tools.read()
  refuseSigner(log, proposal, person)
  const { statement } = proposal
  const proof = await prove(tools, { statement, person, log }, signature)
  await append(tools, log, { event: { ...proposal.event, proof }, person })
  tools.proposals.drop(id)
}

type Appending = { readonly event: PasskeyEvent; readonly person: string }

async function append(tools: Tools, log: PasskeyLog, { event, person }: Appending): Promise<void> {
  const at = tools.clock.now()
  const isKept = await appendPasskey(tools.store, log, { event, at, actor: `person:${person}` })
  await tools.read()
  if (isKept) return
  throw new PawlError('STORE_CONFLICT', 'the passkeys were changed meanwhile', {
    hint: 'try again',
  })
}

type Asking = SignerWish & { readonly log: PasskeyLog }

async function askSignature(
  tools: Tools,
  statement: Statement,
  { person, origin, log }: Asking,
): Promise<SignatureRequest> {
  const party = partyOf(tools, origin)
  const keys = keysOf(log, person).filter((key) => key.rpId === party.rpId)
  if (keys.length === 0) {
    const hint = 'add one on the page: `pawl open`, then Passkeys'
    throw invalid(`\`${person}\` has no passkey for \`${party.rpId}\``, hint)
  }
  const { nonce, expiresAt } = tools.challenges.open({ statement, person, party })
  const challenge = challengeOf(statement, { nonce, expiresAt })
  const wish = { party, challenge, keys: keys.map((key) => key.credentialId) }
  return { nonce, expiresAt, options: await requestOptions({ ...wish, timeoutMs: challengeMs }) }
}

type Proving = {
  readonly statement: Statement
  readonly person: string
  readonly log: PasskeyLog
}

/** INVARIANT: a challenge is used up by the first answer to it, true or not. */
async function prove(
  tools: Tools,
  { statement, person, log }: Proving,
  { nonce, assertion }: Signature,
): Promise<PasskeyProof> {
  const open = tools.challenges.take(nonce, person)
  if (open === null) throw invalid('this challenge is unknown, used or expired')
  if (!isSameStatement(open.statement, statement)) {
    throw invalid('what was signed is not what was sent')
  }
  const key = keysOf(log, person).find((one) => one.credentialId === assertion.id)
  if (key === undefined || key.rpId !== open.party.rpId) {
    throw invalid(`this is not a passkey of \`${person}\``)
  }
  const stored = await storedCount(tools.store, key)
  const { rpId, origin } = open.party
  const challenge = challengeOf(statement, open)
  const checked = { sent: assertion, challenge, rpId, origin }
  const counter = await untrueAsFault(() =>
    checkAssertion({ ...checked, key: { publicKey: key.publicKey, counter: stored.count } }),
  )
  const change = nextCount(key, stored, { count: counter, at: tools.clock.now() })
  if ((await tools.store.writeDocuments([change])) !== 'written') {
    throw invalid('this passkey was used elsewhere at the same time')
  }
  const { id: credentialId, ...signed } = assertion
  const { expiresAt } = open
  return { kind: 'passkey', credentialId, nonce, expiresAt, registrations: log.head, ...signed }
}

async function untrueAsFault<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (fault) {
    if (fault instanceof UntrueResponse) throw invalid(`the passkey was refused: ${fault.message}`)
    throw fault
  }
}
