/** Handlers of the operations on passkeys: everybody acts for themselves alone. */
import type { JsonObject } from '../../core/json.ts'
import type { PasskeyList, SignatureRequest } from '../../runtime/passkeys/passkeys.ts'
import { decisionStatement } from '../../runtime/people/resolve-approval.ts'
import type { OperationAnswer } from './contract.ts'
import { done, failedAnswer, type HandlersOf } from './handler-context.ts'
import type { PasskeyOperation } from './passkey-operations.ts'
import { problem } from './problem.ts'

export const passkeyHandlers: HandlersOf<PasskeyOperation> = {
  'passkeys.list': async ({ runtime }) => done(listOf(await runtime.passkeys.list())),
  'passkeys.begin': async ({ runtime, actor }, { label, origin }) => {
    const { id, options } = await runtime.passkeys.begin({ person: actor.name, label, origin })
    return done({ id, options: options as JsonObject })
  },
  'passkeys.add': async ({ runtime, actor }, { id, credentialId, ...sent }) => {
    const key = await runtime.passkeys.add(id, actor.name, { id: credentialId, ...sent })
    return done({ isActive: key !== null })
  },
  'passkeys.remove': async ({ runtime, actor }, { credentialId }) =>
    done({ id: await runtime.passkeys.remove(credentialId, actor.name) }),
  'passkeys.askConfirmation': async ({ runtime, actor }, { id, origin }) => {
    const signer = { person: actor.name, origin }
    return done(requestOf(await runtime.passkeys.askConfirmation(id, signer)))
  },
  'passkeys.confirm': async ({ runtime, actor }, { id, signature }) => {
    await runtime.passkeys.confirm(id, actor.name, signature)
    return done({ confirmed: true as const })
  },
  'passkeys.askDecision': async ({ runtime, actor }, { approvalId, hash, origin, ...said }) => {
    const row = await runtime.readApproval(approvalId)
    if (row.hash !== hash || row.status !== 'pending') return failedAnswer(changed)
    const decision = { ...said, edits: said.edits ?? null }
    const statement = decisionStatement(row, decision, actor.name)
    const signer = { person: actor.name, origin }
    return done(requestOf(await runtime.passkeys.askDecision(statement, signer)))
  },
}

const changed = problem('APPROVAL_UNKNOWN', {
  detail: 'the pending approval is not the one you were shown',
  hint: 'look at it again, then decide',
  status: 409,
})

function requestOf(request: SignatureRequest): OperationAnswer<'passkeys.askDecision'> {
  return { ...request, options: request.options as JsonObject }
}

function listOf(list: PasskeyList): OperationAnswer<'passkeys.list'> {
  const { isRequired, setting, resetsCount } = list
  return {
    ...{ isRequired, setting, resetsCount },
    origins: list.parties.map((party) => party.origin),
    items: list.keys.map(({ publicKey: _, counter: __, fromSeq: ___, untilSeq, ...key }) => ({
      ...key,
      isActive: untilSeq === null,
    })),
    proposals: list.proposals.map(({ id, statement, expiresAt }) => {
      const isNew = statement.statement === 'passkey.added'
      const known = list.keys.find((key) => key.credentialId === statement.credentialId)
      const label = isNew ? statement.label : (known?.label ?? '')
      return { id, kind: isNew ? 'add' : 'remove', person: statement.person, label, expiresAt }
    }),
  }
}
