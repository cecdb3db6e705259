/**
 * What a rule of a policy may demand of the past: calls that came before, how many there were, and
 * what they add up to. Plain data, compiled once.
 */
import type { EvidenceRequirement } from '../evidence/requirement.ts'
import type { Json } from '../json.ts'

/**
 * Whose past counts. `run`: of the run, with the runs above and below it. `session`: of the
 * session of a host, in all of its runs. Wider scopes may follow.
 */
export const orderScopes = ['run', 'session'] as const
export type OrderScope = (typeof orderScopes)[number]

/** `['input', 'account', 'id']`: a part of a call, then keys inside it. */
export type CallField = readonly ['input' | 'output', ...string[]]

/** A value that an input must have. A text that ends in `*` means every text that begins so. */
export type InputMatch = { readonly field: CallField; readonly value: Json }

/** Which calls a rule speaks of, beside their name; absent parts: all of them. */
export type CallFilter = {
  readonly input?: readonly InputMatch[]
  /** Commands as lists of commands name them: one of them is in the text, or may be. */
  readonly commands?: readonly string[]
}

/** Values of two calls that have to be the same. */
export type FieldPair = { readonly own: CallField; readonly earlier: CallField }

/** What has to have ended well before: a call, or a command that Pawl has seen. */
export type AfterRule = AfterCall | AfterEvidence

export type AfterEvidence = {
  readonly evidence: EvidenceRequirement
  /** Absent: the run. */
  readonly scope?: OrderScope
  readonly origin: string
}

/** An earlier call that has to have ended well. */
export type AfterCall = {
  /** Under which it is remembered that such a call ended well. */
  readonly meter: string
  readonly capability: string
  readonly input?: readonly InputMatch[]
  readonly same?: readonly FieldPair[]
  /** How long ago it may have ended at most; absent: any time. */
  readonly withinMs?: number
  /** No file may have been changed since, as far as the calls of the run tell; absent: may. */
  readonly isFresh?: true
  /** The word of the agent that its call ended well is enough; absent: it is not. */
  readonly isClaimEnough?: true
  readonly scope: OrderScope
  readonly origin: string
}

/** How many calls may be made; a window of null: in all. */
export type CountRule = {
  readonly callsMax: number
  readonly windowMs: number | null
  readonly scope: OrderScope
}

/** What a number of the calls may add up to, in millionths. */
export type SumRule = {
  readonly of: CallField
  readonly millionthsMax: number
  readonly windowMs: number | null
  readonly scope: OrderScope
}

/** All that a rule demands of the past; absent parts: nothing. */
export type OrderDemands = {
  readonly when?: CallFilter
  readonly after?: readonly AfterRule[]
  readonly count?: CountRule
  readonly sum?: SumRule
}
