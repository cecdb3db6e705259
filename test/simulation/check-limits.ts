/**
 * Counts calls a second time, by other means than the engine: no limit lets more pass than it says.
 */
import type { Family, FamilyMember } from '../../src/core/engine/family.ts'
import type { Event } from '../../src/core/engine/types.ts'
import { own } from '../../src/core/json.ts'
import type { Policy } from '../../src/core/machine/machine.ts'
import { meterOf } from '../../src/core/policy/limits.ts'
import type { EventRecord } from '../../src/runtime/ports.ts'
import { hold } from './broken-promise.ts'
import { openOrderCheck } from './check-order.ts'

export type LimitCheck = {
  /** One more event, and the family after it. */
  readonly add: (record: EventRecord, event: Event, family: Family) => void
}

type EventOf<T extends Event['type']> = Extract<Event, { type: T }>

export function openLimitCheck(overlay: readonly Policy[]): LimitCheck {
  const visits = openVisitCount()
  const passes = new Map<string, number[]>()
  const order = openOrderCheck(overlay)
  return {
    add: (record, event, family) => {
      const member = family.members.find((one) => one.runId === record.member) as FamilyMember
      visits.add(record, event, member)
      order.add(record, event, family)
      if (event.type !== 'call.allowed') return
      // WHY: a call that a host held back until a person agreed has the id of its question.
      const isLate = event.callId !== `${record.member}:c${member.state.seq - 1}`
      if (!isLate) holdBudget(event, family)
      countPass(passes, event, { record, family, overlay, isLate })
    },
  }
}

/** Calls by visit of a stage; a detour's return goes on where it began. */
function openVisitCount() {
  type Count = { calls: number; before: Count | null }
  const counts = new Map<string, Count>()
  return {
    add: (record: EventRecord, event: Event, { machine, state }: FamilyMember): void => {
      const count = counts.get(record.member) ?? { calls: 0, before: null }
      counts.set(record.member, count)
      if (event.type === 'detour.begun') counts.set(record.member, { calls: 0, before: count })
      if (event.type === 'detour.ended') {
        const back = event.returned ? count.before : count
        counts.set(record.member, { calls: back?.calls ?? 0, before: null })
      }
      if (event.type === 'stage.entered' && event.by !== 'detour' && event.by !== 'return') {
        count.calls = 0
      }
      if (event.type === 'run.resumed' && event.refills) count.calls = 0
      if (event.type !== 'call.allowed' || !event.counts) return
      count.calls += 1
      const max = own(machine.stages, state.stage)?.rule.callsMax ?? null
      // While a person has lifted the rules, calls are free.
      const isFree = state.pause?.release === true
      hold(
        max === null || isFree || count.calls <= max,
        () => `record ${record.seq}: call ${count.calls} of ${max} in \`${state.stage}\``,
      )
    },
  }
}

type Pass = {
  readonly record: EventRecord
  readonly family: Family
  readonly overlay: readonly Policy[]
  /** It was made before it was told. */
  readonly isLate: boolean
}

/** No more calls within a rate's window than it lets through. */
function countPass(
  passes: Map<string, number[]>,
  event: EventOf<'call.allowed'>,
  { record, family, overlay, isLate }: Pass,
): void {
  for (const { meter } of event.meters ?? []) {
    const times = passes.get(meter) ?? []
    passes.set(meter, times)
    times.push(record.at)
    const rates = ratesOf(family, overlay).get(meter) ?? []
    for (const { callsMax, windowMs } of isLate ? [] : rates) {
      const within = times.filter((at) => at > record.at - windowMs).length
      hold(
        within <= callsMax,
        () => `record ${record.seq}: ${within} of ${callsMax} calls on \`${meter}\``,
      )
    }
  }
}

type Rate = { readonly callsMax: number; readonly windowMs: number }

function ratesOf(family: Family, overlay: readonly Policy[]): Map<string, Rate[]> {
  const rates = new Map<string, Rate[]>()
  const layers = [
    ...overlay.map((policy, level) => [`level-${level}`, policy] as const),
    ...family.members.map(({ machine }) => [machine.hash, machine.policy] as const),
  ]
  for (const [owner, policy] of new Map(layers)) {
    for (const tier of ['ask', 'allow'] as const) {
      for (const { capability, rate } of policy?.[tier] ?? []) {
        const meter = meterOf(owner, tier, capability)
        if (rate !== null) rates.set(meter, [...(rates.get(meter) ?? []), rate])
      }
    }
  }
  return rates
}

/** No call passes once the money of the whole run is spent. */
function holdBudget(event: EventOf<'call.allowed'>, family: Family): void {
  const main = family.members[0] as FamilyMember
  const { microUsdMax, callsMax } = main.machine.limits
  const spent = family.members.reduce((sum, { state }) => sum + state.costMicroUsd, 0)
  const isOwn = !event.counts
  hold(
    microUsdMax === null || isOwn || spent < microUsdMax,
    () => `\`${event.callId}\` passed when ${spent} of ${microUsdMax} were spent`,
  )
  const calls = family.members.reduce((sum, { state }) => sum + state.callsCount, 0)
  const isFree = main.state.pause !== null
  hold(
    callsMax === null || isOwn || isFree || calls <= callsMax,
    () => `\`${event.callId}\` is call ${calls} of ${callsMax}`,
  )
}
