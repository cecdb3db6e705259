/**
 * What a family of runs has used of its policies' limits, folded from its events.
 * Plain data, total, and frozen with the events: it judges nothing.
 */

import type { Event } from '../engine/types.ts'
import { own } from '../json.ts'
import { failedCallsIn, failuresMeter } from './failed-calls.ts'
import { changesMeter, foldMark, foldResult, type OrderMeter } from './order-meters.ts'
import type { Period } from './periods.ts'
import { periodOf } from './periods.ts'

/** By the name of the meter, see `meterOf`. */
export type Meters = { readonly [meter: string]: LimitMeter }

export type LimitMeter = {
  /** Calls let through, oldest first. */
  readonly ticks: readonly Tick[]
  /** Money by period; only the latest of each kind is kept. */
  readonly spent: { readonly [period in Period]: Spent }
  /** For rules on what happened before; absent: none counts here. */
  readonly order?: OrderMeter
}
type Tick = { readonly at: number; readonly calls: number }
export type Spent = { readonly period: number; readonly microUsd: number }

/** Moments one meter remembers; beyond it old ones are counted with the next younger. */
export const ticksMax = 4_096

export const noMeters: Meters = {}

const nothingSpent: Spent = { period: Number.MIN_SAFE_INTEGER, microUsd: 0 }
const newMeter: LimitMeter = {
  ticks: [],
  spent: { hourly: nothingSpent, daily: nothingSpent, monthly: nothingSpent },
}

/** The meters after one more event of any run of the family. */
export function foldMeters(meters: Meters, event: Event): Meters {
  switch (event.type) {
    case 'call.allowed':
      return foldOrder(countCall(meters, event), event)
    case 'approval.granted':
      return countCall(meters, event)
    case 'call.reported':
      return foldOrder(addCost(meters, event), event)
    case 'call.denied':
      return foldOrder(meters, event)
    case 'stage.entered':
      return forgetFailures(meters)
    case 'money.spent':
      return addCost(meters, event)
    default:
      return meters
  }
}

type Ordered = Extract<Event, { type: 'call.allowed' | 'call.reported' | 'call.denied' }>

function foldOrder(meters: Meters, event: Ordered): Meters {
  const { at, order } = event
  if (at === undefined || order === undefined || order.length === 0) return meters
  const next: { [meter: string]: LimitMeter } = { ...meters }
  const put = (meter: string, after: OrderMeter | undefined): void => {
    if (after !== undefined) next[meter] = { ...(own(next, meter) ?? newMeter), order: after }
  }
  if (event.type === 'call.allowed') {
    for (const mark of event.order ?? []) {
      put(mark.meter, foldMark(own(next, mark.meter)?.order, mark, { at, changes: 0 }))
    }
    return next
  }
  for (const result of event.order ?? []) {
    const changes = changesIn(next)
    put(result.meter, foldResult(own(next, result.meter)?.order, result, { at, changes }))
  }
  return next
}

/** In another stage there is other work, and what failed may work there. */
function forgetFailures(meters: Meters): Meters {
  if (failedCallsIn(meters).length === 0) return meters
  return { ...meters, [failuresMeter]: newMeter }
}

/** How often a call was made, or has ended, that may change files. */
export function changesIn(meters: Meters): number {
  return own(meters, changesMeter)?.order?.tally?.calls ?? 0
}

type Counted = Extract<Event, { type: 'call.allowed' | 'approval.granted' }>

/** A call counts once: when it is let through, or when a person grants it; then it moves. */
function countCall(meters: Meters, event: Counted): Meters {
  const { at, meters: counted } = event
  if (at === undefined || counted === undefined || counted.length === 0) return meters
  const next: { [meter: string]: LimitMeter } = { ...meters }
  for (const { meter, windowMs, since } of counted) {
    if (windowMs === null) continue
    const before = own(meters, meter) ?? newMeter
    const others = since === undefined ? before.ticks : withoutCall(before.ticks, since)
    next[meter] = { ...before, ticks: addTick(others, at, windowMs) }
  }
  return next
}

/**
 * A clock that was set back counts as standing still: ticks stay in order, and nothing that
 * was let through is forgotten earlier than it would have been.
 */
function addTick(ticks: readonly Tick[], at: number, windowMs: number): readonly Tick[] {
  const last = ticks.at(-1)
  const now = last === undefined ? at : Math.max(at, last.at)
  const kept = ticks.slice(firstWithin(ticks, now - windowMs))
  if (last !== undefined && last.at === now && kept.length > 0) {
    kept[kept.length - 1] = { at: now, calls: last.calls + 1 }
    return kept
  }
  kept.push({ at: now, calls: 1 })
  const [oldest, second] = kept
  if (kept.length <= ticksMax || oldest === undefined || second === undefined) return kept
  return [{ at: second.at, calls: oldest.calls + second.calls }, ...kept.slice(2)]
}

function withoutCall(ticks: readonly Tick[], at: number): readonly Tick[] {
  return ticks.flatMap((tick) => {
    if (tick.at !== at) return [tick]
    return tick.calls > 1 ? [{ at, calls: tick.calls - 1 }] : []
  })
}

/** Index of the first tick later than a moment. */
function firstWithin(ticks: readonly Tick[], moment: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ticks[middle] as Tick).at > moment) high = middle
    else low = middle + 1
  }
  return low
}

type Paid = Extract<Event, { type: 'call.reported' | 'money.spent' }>

function addCost(meters: Meters, event: Paid): Meters {
  const { at, meters: counted, costMicroUsd } = event
  if (at === undefined || counted === undefined || counted.length === 0) return meters
  if (!(costMicroUsd > 0)) return meters
  const next: { [meter: string]: LimitMeter } = { ...meters }
  for (const meter of counted) {
    const before = own(meters, meter) ?? newMeter
    const { hourly, daily, monthly } = before.spent
    const spent = {
      hourly: addSpent(hourly, periodOf(at, 'hourly'), costMicroUsd),
      daily: addSpent(daily, periodOf(at, 'daily'), costMicroUsd),
      monthly: addSpent(monthly, periodOf(at, 'monthly'), costMicroUsd),
    }
    next[meter] = { ...before, spent }
  }
  return next
}

/** Money of an earlier period, by a clock set back, counts for the later one. */
function addSpent(spent: Spent, period: number, microUsd: number): Spent {
  if (period > spent.period) return { period, microUsd }
  return { ...spent, microUsd: Math.min(spent.microUsd + microUsd, Number.MAX_SAFE_INTEGER) }
}

/** Calls let through in the window that ends now; half open: the oldest edge is outside. */
export function callsWithin(meter: LimitMeter | undefined, windowMs: number, at: number): number {
  if (meter === undefined) return 0
  let calls = 0
  const { ticks } = meter
  for (let i = firstWithin(ticks, at - windowMs); i < ticks.length; i += 1) {
    calls += (ticks[i] as Tick).calls
  }
  return calls
}

/** When a window with this many calls has room for one more; null: it has room now. */
export function roomAt(
  meter: LimitMeter,
  rate: { callsMax: number; windowMs: number },
): number | null {
  let calls = 0
  for (let i = meter.ticks.length - 1; i >= 0; i -= 1) {
    const tick = meter.ticks[i] as Tick
    calls += tick.calls
    if (calls >= rate.callsMax) return tick.at + rate.windowMs
  }
  return null
}

/** Millionths of a dollar spent in the period in which this moment lies. */
export function spentIn(meter: LimitMeter | undefined, period: Period, at: number): number {
  if (meter === undefined) return 0
  const spent = meter.spent[period]
  return spent.period >= periodOf(at, period) ? spent.microUsd : 0
}
