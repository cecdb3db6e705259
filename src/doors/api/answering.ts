/**
 * What every handler is made of: its desk, and the ways in which an outcome goes out.
 */
import type { Actor } from '../../core/engine/types.ts'
import type { By, Intent, Outcome, Runtime } from '../../runtime/runtime.ts'
import type { Answer, Asked } from './contract.ts'
import type { OperationName } from './operations-table.ts'
import { type Problem, problem, problemOfRefusal } from './problem.ts'

/** What a handler has beside the input. */
export type Desk = {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly commandId: string | null
  /** Raised when whoever waits is gone; null: nobody can tell. */
  readonly signal: AbortSignal | null
  readonly about: About
  readonly stop: () => void
}

/** What only the program as a whole knows of itself. */
export type About = {
  readonly version: string
  /** What the start found to say: runs recovered, work that was owed. */
  readonly found: readonly string[]
}

export type Answered<T> =
  | { readonly ok: true; readonly output: T }
  | { readonly ok: false; readonly problem: Problem }

export type Handler<Name extends OperationName> = (
  desk: Desk,
  input: Asked<Name>,
) => Promise<Answered<Answer<Name>>>

export function done<T>(output: T): Answered<T> {
  return { ok: true, output }
}

export function failed(why: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: why }
}

export function byOf({ actor, commandId }: Desk): By {
  return { actor, commandId }
}

export async function send(
  desk: Desk,
  runId: string,
  intent: Intent,
): Promise<Answered<Answer<'runs.signal'>>> {
  return accepted(await desk.runtime.send(runId, intent, byOf(desk)))
}

export function accepted(outcome: Outcome): Answered<Answer<'runs.signal'>> {
  const { reply } = outcome
  if (reply.kind === 'accepted') {
    return done({ ...saidOf(outcome), reply, view: outcome.view() })
  }
  return failed(reply.kind === 'refused' ? problemOfRefusal(reply) : odd(reply.kind))
}

export function saidOf({ runId, seq, isRepeated, notes = [] }: Omit<Outcome, 'reply'>) {
  return { runId, seq, isRepeated, notes }
}

export function odd(kind: string): Problem {
  return problem('INTERNAL', { detail: `the engine replied \`${kind}\` to another question` })
}
