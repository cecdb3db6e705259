/**
 * The calls in flight that a call may wait for: none that waits for it, at once or by others, and
 * none that makes other calls itself. So a call never waits for one that waits for it.
 */
import type { OpenCall, RunState, WaitingCall } from '../engine/types.ts'
import { isSameSubject } from '../evidence/recorded-evidence.ts'
import type { AfterEvidence, AfterRule } from '../machine/order-rule.ts'
import { afterMeter } from '../policy/order-marks.ts'
import { mayChange } from '../policy/order-meters.ts'
import type { RuleInput } from './rule-input.ts'

/** Calls that are open, or wait themselves, and would meet a prerequisite if they end well. */
export function findCallsInFlight(question: RuleInput, after: AfterRule): readonly string[] {
  const { behind = [], waitId } = question.context.asker ?? {}
  if (behind.length === 0) return []
  const { at, around } = question.context
  const states = around.states ?? [question.state]
  const meter = 'evidence' in after ? '' : afterMeter(after, around.session?.name ?? null)
  const isWanted = (one: InFlight): boolean =>
    'evidence' in after ? isEvidence(one, after) : isPrerequisite(one, meter)
  const open = states
    .flatMap(({ openCalls }) => openCalls)
    .filter((one) => isBehind(behind, one.caller) && isWanted(one) && !isGivenUp(one, at))
  const waiting = waitingIn(states, at)
  const others = waiting.filter(
    (one) =>
      isBehind(behind, one.caller) &&
      one.waitId !== waitId &&
      isWanted(one) &&
      !waitsFor(one, waitId, waiting),
  )
  return [...open.map(({ callId }) => callId), ...others.map((one) => one.waitId)]
}

function isBehind(behind: readonly string[], caller: string | undefined): boolean {
  if (caller === undefined) return false
  return behind.some((name) =>
    name.endsWith('*') ? caller.startsWith(name.slice(0, -1)) : caller === name,
  )
}

type InFlight = Pick<OpenCall, 'order' | 'evidence'>

/** WHY not nested: what a sub-agent calls runs inside of the call that started it. */
function isPrerequisite({ order = [] }: InFlight, meter: string): boolean {
  return order.some((mark) => mark.kind === 'seen' && mark.meter === meter && !mark.isNesting)
}

function isEvidence({ evidence }: InFlight, { evidence: { subject } }: AfterEvidence): boolean {
  return evidence !== undefined && subject !== null && isSameSubject(evidence, subject)
}

/** The calls that wait now. */
export function waitingIn(states: readonly RunState[], at: number): readonly WaitingCall[] {
  return states.flatMap(({ waitingCalls = [] }) => waitingCalls.filter((one) => at < one.until))
}

/** Whether a call waits for another one, at once or by others. */
function waitsFor(
  one: WaitingCall,
  target: string | undefined,
  waiting: readonly WaitingCall[],
): boolean {
  if (target === undefined) return false
  const seen = new Set<string>()
  const left = [...one.waitsFor]
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (id === target) return true
    if (seen.has(id)) continue
    seen.add(id)
    left.push(...(waiting.find(({ waitId }) => waitId === id)?.waitsFor ?? []))
  }
  return false
}

/** How long a call that nobody reports counts as one that may still be made. */
const unreportedMs = 15 * 60_000

function beginOf({ at, evidence }: OpenCall): number {
  return at ?? evidence?.startedAt ?? 0
}

/**
 * Whether a call is open for so long that it was probably never made: its host's user said no.
 * INVARIANT: never a job, whose end the runner reports, or an approved call of a gateway, which is
 * written off when it is made again.
 */
function isGivenUp(call: OpenCall, at: number): boolean {
  const { holder, caller, grant } = call
  const isReported = holder !== undefined && (caller === 'job' || grant !== undefined)
  return !isReported && at - beginOf(call) >= unreportedMs
}

function openChanges(states: readonly RunState[], at: number): readonly OpenCall[] {
  return states.flatMap(({ openCalls }) =>
    openCalls.filter((call) => mayChange(call) && !isGivenUp(call, at)),
  )
}

/** When the newest open call began that may change files; null: none is open. */
export function lastOpenChange(states: readonly RunState[], at: number): number | null {
  const since = openChanges(states, at).map(beginOf)
  return since.length === 0 ? null : Math.max(...since)
}

/**
 * Whether a call is open that may have changed files after another one, which began then.
 * WHY not what a host began before it: a call that its user said no to is never reported.
 */
export function isChangedBeside(
  states: readonly RunState[],
  { at, since }: { readonly at: number; readonly since: number },
): boolean {
  return openChanges(states, at).some((one) => one.holder !== undefined || beginOf(one) >= since)
}
