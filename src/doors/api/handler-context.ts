/**
 * What all handlers of operations share: their context, and how results of the runtime become
 * answers or problems.
 */
import type { DecisionPeer } from '../../core/engine/decision-peer.ts'
import type { Actor } from '../../core/engine/types.ts'
import type { Finding } from '../../core/finding.ts'
import type { JsonObject } from '../../core/json.ts'
import { ruleFields } from '../../core/judge/rule-answer.ts'
import { readSource } from '../../core/source/read-source.ts'
import { plainValue } from '../../core/source/source.ts'
import type { Boxes } from '../../runtime/boxes/boxes-port.ts'
import type { CallAnswer } from '../../runtime/calls/calls.ts'
import type { Jobs } from '../../runtime/jobs/jobs-port.ts'
import type { DefinitionRow, DefinitionVersion } from '../../runtime/ports.ts'
import type {
  By,
  CommandOutcome,
  DefinitionOffer,
  DefinitionOfferItem,
  Intent,
  Runtime,
} from '../../runtime/runtime.ts'
import type { AgentSession, AgentSessions } from './agent-sessions.ts'
import type { OperationAnswer, OperationRequest } from './contract.ts'
import type { OperationName } from './operations-table.ts'
import type { PeoplePort } from './people-port.ts'
import { type ProblemDocument, problem, problemOfRefusal } from './problem.ts'
import type { Access } from './sign-in-access.ts'
import type { SignIns } from './sign-ins.ts'

/** What a handler has beside the input. */
export type HandlerContext = {
  readonly runtime: Runtime
  readonly actor: Actor
  /** The session of the agent that asks; null: a person, or an agent that may change every run. */
  readonly agent: AgentSession | null
  /** Whether `gateway.token` was shown. */
  readonly isGateway: boolean
  /** Null: this daemon gives agents no credentials. */
  readonly agents: AgentSessions | null
  /** What the person may do; null: all that their token may. */
  readonly access: Access | null
  /** Which hosts are held on this machine. */
  readonly hosts: () => OperationAnswer<'hosts.list'>
  /** Null: nobody can sign in. */
  readonly signIns: SignIns | null
  readonly commandId: string | null
  /** Raised when whoever waits is gone; null: nobody can tell. */
  readonly signal: AbortSignal | null
  /** The trace that the caller began; null: none. */
  readonly traceparent: string | null
  readonly about: RequestInfo
  readonly people: PeoplePort | null
  /** Null: this daemon runs none. */
  readonly jobs: Jobs | null
  /** Null: this daemon has none. */
  readonly boxes: Boxes | null
  /** Looks which program asks; null: the system does not tell. */
  readonly peer: () => Promise<DecisionPeer | null>
  readonly stop: () => void
}

/** What only the program as a whole knows of itself. */
export type RequestInfo = {
  readonly version: string
  /** What the daemon found when it started: recovered runs, work left in the outbox. */
  readonly found: readonly string[]
  /** Whether what a person answers their agent's client counts as their decision. */
  readonly elicitation: boolean
}

export type HandlerAnswer<T> =
  | { readonly ok: true; readonly output: T }
  | { readonly ok: false; readonly problem: ProblemDocument }

/** Does what one operation asks for. */
export type Handler<Name extends OperationName> = (
  context: HandlerContext,
  input: OperationRequest<Name>,
) => Promise<HandlerAnswer<OperationAnswer<Name>>>

/** Handlers of some operations. */
export type HandlersOf<Names extends OperationName> = {
  readonly [Name in Names]: Handler<Name>
}

/** It was done. */
export function done<T>(output: T): HandlerAnswer<T> {
  return { ok: true, output }
}

/** It was not done. */
export function failedAnswer(why: ProblemDocument): {
  readonly ok: false
  readonly problem: ProblemDocument
} {
  return { ok: false, problem: why }
}

/** Who asks, as the runtime wants to know it. */
export function byOf({ actor, commandId }: HandlerContext): By {
  return { actor, commandId }
}

/** Has a run do something. */
export async function sendIntent(
  context: HandlerContext,
  runId: string,
  intent: Intent,
): Promise<HandlerAnswer<OperationAnswer<'runs.signal'>>> {
  return accepted(await context.runtime.send(runId, intent, byOf(context)))
}

/** What a command did; a refused one is a problem. */
export function accepted(outcome: CommandOutcome): HandlerAnswer<OperationAnswer<'runs.signal'>> {
  const { reply } = outcome
  if (reply.kind === 'accepted') {
    return done({ ...saidOf(outcome), reply, view: outcome.view() })
  }
  return failedAnswer(
    reply.kind === 'refused' ? problemOfRefusal(reply) : unexpectedReply(reply.kind),
  )
}

/** What is said about every command. */
function saidOf({ runId, seq, isRepeated, notes = [] }: Omit<CommandOutcome, 'reply'>) {
  return { runId, seq, isRepeated, notes }
}

/** What a call is now, as it goes over the wire. */
export function callAnswerOf(answer: CallAnswer): OperationAnswer<'runs.check'> {
  const { state, verdict, code, reason, hint, instead, input, callId } = answer
  const { runId, seq, approvalId, refusal, report } = answer
  const said = { verdict, code, reason, ...ruleFields(answer), hint, instead, input, callId }
  const reply = { kind: 'verdict', state, ...said, approvalId, refusal, report } as const
  return { runId: runId ?? '', seq, reply }
}

/** The problem of a reply that is none to this question. */
export function unexpectedReply(kind: string): ProblemDocument {
  return problem('INTERNAL', { detail: `the engine gave an unexpected reply: \`${kind}\`` })
}

/** A definition as lists show it. */
export function definitionHeadOf(
  row: DefinitionRow,
): OperationAnswer<'definitions.list'>['items'][number] {
  const { latest, createdAt, updatedAt, ...head } = row
  return {
    ...head,
    version: latest.version,
    tasks: Object.keys(latest.machines),
    createdAt: isoText(createdAt),
    updatedAt: isoText(updatedAt),
  }
}

function isoText(moment: number): string {
  return new Date(moment).toISOString()
}

/** A version of a definition. */
export function definitionVersionOf(
  version: DefinitionVersion,
): OperationAnswer<'definitions.versions'>['items'][number] {
  return { ...version, createdAt: isoText(version.createdAt) }
}

/** A definition with its latest text. */
export function definitionOf(row: DefinitionRow): OperationAnswer<'definitions.read'> {
  const { createdAt: _, ...version } = row.latest
  const head = definitionHeadOf(row)
  return { ...head, ...version, document: documentOf(row, head) }
}

type DefinitionHead = ReturnType<typeof definitionHeadOf>

/** A process as the service that it comes from stores one; null: not a process. */
function documentOf({ dialect, latest }: DefinitionRow, head: DefinitionHead): JsonObject | null {
  const { root } = readSource(latest.source, latest.format)
  if (dialect !== 'process' || root === null) return null
  const { id, name, createdAt, updatedAt } = head
  // WHY the cast: what compiled as a definition is an object.
  return { ...(plainValue(root) as JsonObject), ...{ id, name, createdAt, updatedAt } }
}

/** Null: there must be exactly one of text and value. */
export function offerOf({
  source,
  format,
  definition,
  upstream_servers: servers,
}: OperationRequest<'check'>): DefinitionOffer | null {
  if ((source === undefined) === (definition === undefined)) return null
  if (source !== undefined) return { source, format: format ?? null }
  const whole = servers === undefined ? definition : { definition, upstream_servers: servers }
  return { source: JSON.stringify(whole, null, 2), format: 'json' }
}

/** The problem where `offerOf` gives null. */
export const noOffer = problem('REQUEST_INVALID', {
  detail: 'send a definition either as text or as a value',
  hint: 'set either `source` or `definition`, not both',
})

/** A definition that was kept, or the problem with it. */
export function offered(
  offer: DefinitionOfferItem<DefinitionRow>,
): HandlerAnswer<OperationAnswer<'definitions.create'>> {
  const { findings } = offer
  if (offer.ok) return done({ definition: definitionOf(offer.value), findings })
  return failedAnswer(invalidRequest(findings))
}

/** The problem of a definition that has errors. */
export function invalidRequest(findings: readonly Finding[]): ProblemDocument {
  const first = findings.find((one) => one.severity === 'error')
  const detail = first?.message ?? 'the definition has errors'
  const hint = 'see the findings; nothing was stored'
  return { ...problem('DEFINITION_INVALID', { detail, hint }), findings }
}
