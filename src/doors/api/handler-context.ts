/**
 * What all handlers of operations share: what they are given, and how outcomes of the runtime
 * become answers or problems.
 */
import type { Actor } from '../../core/engine/types.ts'
import type { Finding } from '../../core/finding.ts'
import { ruleFields } from '../../core/judge/answer.ts'
import type { CallAnswer } from '../../runtime/calls/calls.ts'
import type { Jobs } from '../../runtime/jobs/jobs-port.ts'
import type { DefinitionRow } from '../../runtime/ports.ts'
import type { By, Intent, Offer, Offered, Outcome, Runtime } from '../../runtime/runtime.ts'
import type { Access } from './access.ts'
import type { Answer, Asked } from './contract.ts'
import type { OperationName } from './operations-table.ts'
import type { People } from './people-port.ts'
import { type Problem, problem, problemOfRefusal } from './problem.ts'
import type { SignIns } from './sign-ins.ts'

/** What a handler has beside the input. */
export type Desk = {
  readonly runtime: Runtime
  readonly actor: Actor
  /** What the person may do; null: all that their token may. */
  readonly access: Access | null
  /** Which hosts are held on this machine. */
  readonly hosts: () => Answer<'hosts.list'>
  /** Null: nobody can sign in. */
  readonly signIns: SignIns | null
  readonly commandId: string | null
  /** Raised when whoever waits is gone; null: nobody can tell. */
  readonly signal: AbortSignal | null
  /** The trace that the caller began; null: none. */
  readonly traceparent: string | null
  readonly about: About
  readonly people: People | null
  /** Null: this daemon runs none. */
  readonly jobs: Jobs | null
  readonly stop: () => void
}

/** What only the program as a whole knows of itself. */
export type About = {
  readonly version: string
  /** What the start found to say: runs recovered, work that was owed. */
  readonly found: readonly string[]
  /** Whether what a person answers their agent's client counts as their decision. */
  readonly elicitation: boolean
}

export type Answered<T> =
  | { readonly ok: true; readonly output: T }
  | { readonly ok: false; readonly problem: Problem }

/** Does what one operation asks for. */
export type Handler<Name extends OperationName> = (
  desk: Desk,
  input: Asked<Name>,
) => Promise<Answered<Answer<Name>>>

/** Handlers of some operations. */
export type HandlersOf<Names extends OperationName> = {
  readonly [Name in Names]: Handler<Name>
}

/** It was done. */
export function done<T>(output: T): Answered<T> {
  return { ok: true, output }
}

/** It was not done. */
export function failed(why: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: why }
}

/** Who asks, as the runtime wants to know it. */
export function byOf({ actor, commandId }: Desk): By {
  return { actor, commandId }
}

/** Has a run do something. */
export async function send(
  desk: Desk,
  runId: string,
  intent: Intent,
): Promise<Answered<Answer<'runs.signal'>>> {
  return accepted(await desk.runtime.send(runId, intent, byOf(desk)))
}

/** What a command did; a refused one is a problem. */
export function accepted(outcome: Outcome): Answered<Answer<'runs.signal'>> {
  const { reply } = outcome
  if (reply.kind === 'accepted') {
    return done({ ...saidOf(outcome), reply, view: outcome.view() })
  }
  return failed(reply.kind === 'refused' ? problemOfRefusal(reply) : odd(reply.kind))
}

/** What is said about every command. */
function saidOf({ runId, seq, isRepeated, notes = [] }: Omit<Outcome, 'reply'>) {
  return { runId, seq, isRepeated, notes }
}

/** What a call is now, as it goes over the wire. */
export function callAnswerOf(answer: CallAnswer): Answer<'runs.check'> {
  const { state, verdict, code, reason, hint, instead, input, callId } = answer
  const { runId, seq, approvalId, refusal, report } = answer
  const said = { verdict, code, reason, ...ruleFields(answer), hint, instead, input, callId }
  const reply = { kind: 'verdict', state, ...said, approvalId, refusal, report } as const
  return { runId: runId ?? '', seq, reply }
}

/** The problem of a reply that is none to this question. */
export function odd(kind: string): Problem {
  return problem('INTERNAL', { detail: `the engine replied \`${kind}\` to another question` })
}

/** A definition as lists show it. */
export function definitionHeadOf(row: DefinitionRow): Answer<'definitions.list'>['items'][number] {
  const { latest, ...head } = row
  return { ...head, version: latest.version }
}

/** A definition with its latest text. */
export function definitionOf(row: DefinitionRow): Answer<'definitions.read'> {
  const { createdAt: _, ...version } = row.latest
  return { ...definitionHeadOf(row), ...version }
}

/** Null: there must be exactly one of text and value. */
export function offerOf({ source, format, definition }: Asked<'check'>): Offer | null {
  if ((source === undefined) === (definition === undefined)) return null
  if (source !== undefined) return { source, format: format ?? null }
  return { source: JSON.stringify(definition, null, 2), format: 'json' }
}

/** The problem where `offerOf` gives null. */
export const noOffer = problem('REQUEST_INVALID', {
  detail: 'a definition is sent either as a text or as a value',
  hint: 'send `source` or `definition`, and not both',
})

/** A definition that was kept, or the problem with it. */
export function offered(offer: Offered<DefinitionRow>): Answered<Answer<'definitions.create'>> {
  const { findings } = offer
  if (offer.ok) return done({ definition: definitionOf(offer.value), findings })
  return failed(invalid(findings))
}

/** The problem of a definition that has errors. */
export function invalid(findings: readonly Finding[]): Problem {
  const first = findings.find((one) => one.severity === 'error')
  const detail = first?.message ?? 'the definition has errors'
  const hint = 'the findings say where; nothing was kept'
  return { ...problem('DEFINITION_INVALID', { detail, hint }), findings }
}
