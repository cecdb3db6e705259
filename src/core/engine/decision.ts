/**
 * What goes into a decision, and what comes out: events, a reply, and effects.
 * Free to change between releases: only events are kept.
 */
import type { RefusalCode } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import type { Alternative, FamilyContext, Verdict } from './call.ts'
import type { Envelope } from './command.ts'
import type { Event, FieldIssue, RunState } from './types.ts'

/** What a command is decided with, besides the state of its run. */
export type EngineContext = {
  readonly machine: Machine
  readonly envelope: Envelope
  /** Only calls are judged by it. Absent: no other policies, and no limit of a policy has room. */
  readonly around?: FamilyContext
}

/** Work outside the run, committed with the events and done afterwards. */
export type Effect =
  | {
      readonly type: 'start-child'
      readonly runId: string
      readonly machine: string | null
      readonly stage: string | null
      readonly vars: JsonObject
      readonly branch: { readonly name: string; readonly terminal: string } | null
    }
  | { readonly type: 'cancel-child'; readonly runId: string; readonly reason: string }
  | { readonly type: 'notify-person'; readonly approvalId: string }

export type Reply =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused'
      readonly code: RefusalCode
      readonly reason: string
      /** What the sender can do instead, one line. */
      readonly hint: string
      readonly missing?: readonly string[]
      readonly issues?: readonly FieldIssue[]
    }
  | ({
      readonly kind: 'verdict'
      /** Each of them is possible now; empty unless the call was denied. */
      readonly instead: readonly Alternative[]
      readonly input: JsonObject | null
      readonly callId: string | null
      /** The question to a person that holds it, or by whose refusal it is denied. */
      readonly approvalId?: string
      /** Several or certain people have to agree, or sign; absent: anyone may, at any prompt. */
      readonly needsQuorum?: true
      /** Who refused it; absent: nobody did. */
      readonly refusal?: CallRefusal
      /** It is not denied yet: it waits under an id until these calls have ended. */
      readonly waiting?: { readonly waitId: string; readonly waitsFor: readonly string[] }
    } & Verdict)

/** A person's no; `by` is null where nobody decided in time. */
export type CallRefusal = { readonly by: string | null; readonly note: string }

export type Decision = {
  readonly events: readonly Event[]
  readonly reply: Reply
  readonly effects: readonly Effect[]
  /** The state after the events: what folding them gives, so that nobody folds twice. */
  readonly state: RunState
}
