import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Event } from '../engine/types.ts'
import type { Meters } from './meters.ts'
import { callsWithin, foldMeters, noMeters, spentIn, ticksMax } from './meters.ts'
import { nextPeriodAt, periodOf } from './periods.ts'

const windowMs = 50

function allowed(at: number, since?: number): Event {
  const moved = since === undefined ? {} : { since }
  const meters = [{ meter: 'm', windowMs, ...moved }]
  return {
    type: 'call.allowed',
    callId: '',
    tool: '',
    input: {},
    edits: [],
    counts: true,
    at,
    meters,
  }
}

function reported(at: number, costMicroUsd: number): Event {
  const report = { callId: '', ok: true, bytes: 0, exitCode: 0, edited: [] }
  return { type: 'call.reported', ...report, costMicroUsd, at, meters: ['m'] }
}

function fold(events: readonly Event[]): Meters {
  return events.reduce(foldMeters, noMeters)
}

test('a window counts what a look at every call counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 80 }),
      (gaps, later) => {
        const times: number[] = []
        let at = 1_000
        for (const gap of gaps) {
          at += gap
          times.push(at)
        }
        const now = at + later
        const used = fold(times.map((time) => allowed(time)))
        const within = times.filter((time) => time > now - windowMs && time <= now).length
        expect(callsWithin(used.m, windowMs, now)).toBe(within)
      },
    ),
    { numRuns: 1000 },
  )
})

test('the window is half open: exactly one window later a call no longer counts', () => {
  const { m } = fold([allowed(0)])
  expect(callsWithin(m, windowMs, windowMs - 1)).toBe(1)
  expect(callsWithin(m, windowMs, windowMs)).toBe(0)
})

test('a clock that is set back forgets nothing', () => {
  const { m } = fold([allowed(1_000), allowed(10)])
  expect(callsWithin(m, windowMs, 20)).toBe(2)
  expect(callsWithin(m, windowMs, 1_000 + windowMs - 1)).toBe(2)
})

test('a granted call counts once, and moves to the moment at which it is made', () => {
  const by = { kind: 'person', name: 'ann' } as const
  const meters = [{ meter: 'm', windowMs }]
  const granted: Event = { type: 'approval.granted', approvalId: 'a', by, note: '', at: 0, meters }
  expect(callsWithin(fold([granted]).m, windowMs, 10)).toBe(1)
  const { m } = fold([granted, allowed(40, 0)])
  expect(callsWithin(m, windowMs, 45)).toBe(1)
  expect(callsWithin(m, windowMs, 60)).toBe(1)
  expect(callsWithin(m, windowMs, 90)).toBe(0)
})

test('more moments than are remembered are counted too long, never too short', () => {
  const wide = 10 * ticksMax
  const times = Array.from({ length: ticksMax + 50 }, (_, i) => i)
  const events = times.map((at): Event => {
    return { ...allowed(at), meters: [{ meter: 'm', windowMs: wide }] } as Event
  })
  const { m } = fold(events)
  expect(m?.ticks.length).toBe(ticksMax)
  expect(callsWithin(m, wide, ticksMax + 50)).toBe(ticksMax + 50)
})

test('money adds exactly within a period, and starts anew with the next one', () => {
  const hour = 3_600_000
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: hour }), fc.integer({ min: 0, max: 2e9 }))),
      (costs) => {
        let at = 1_700_000_000_000
        const events = costs.map(([gap, cost]) => {
          at += gap
          return reported(at, cost)
        })
        const { m } = fold(events)
        for (const period of ['hourly', 'daily', 'monthly'] as const) {
          let sum = 0
          for (const event of events) {
            if (event.type !== 'call.reported' || event.at === undefined) continue
            if (periodOf(event.at, period) === periodOf(at, period)) sum += event.costMicroUsd
          }
          expect(spentIn(m, period, at)).toBe(sum)
          expect(spentIn(m, period, nextPeriodAt(at, period))).toBe(0)
          expect(spentIn(m, period, nextPeriodAt(at, period) - 1)).toBe(sum)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('events from before policies were counted count nothing', () => {
  const { at: _, meters: __, ...old } = allowed(5) as Extract<Event, { type: 'call.allowed' }>
  expect(fold([old])).toEqual({})
})

test('meters are plain data', () => {
  const used = fold([allowed(1), allowed(2), reported(3, 7)])
  expect(JSON.parse(JSON.stringify(used))).toEqual(used)
})

test('periods are those of UTC, as a calendar has them', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-01'), max: new Date('2400-01-01') }), (date) => {
      if (Number.isNaN(date.getTime())) return
      const at = date.getTime()
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
      expect(periodOf(at, 'monthly')).toBe((year - 1970) * 12 + month)
      expect(nextPeriodAt(at, 'monthly')).toBe(Date.UTC(year, month + 1))
      expect(nextPeriodAt(at, 'daily')).toBe(Date.UTC(year, month, day + 1))
      expect(nextPeriodAt(at, 'hourly')).toBe(Date.UTC(year, month, day, date.getUTCHours() + 1))
    }),
    { numRuns: 2000 },
  )
})
