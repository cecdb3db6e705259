/** When something is told, again and at last: all of it from the record and the clock alone. */
import { expect, test } from 'vitest'
import { attemptsMax } from '../runtime/runs/due-work.ts'
import {
  type NotificationTask,
  noted,
  type Progress,
  planNotification,
  remindersMax,
} from './notification-plan.ts'
import { quietUntil } from './quiet-hours.ts'
import type { NotifySettings, Quiet } from './settings.ts'

const minute = 60_000
const hour = 60 * minute
const at = Date.UTC(2026, 2, 11, 10, 30)
const errand: NotificationTask = {
  kind: 'gate',
  askedAt: at,
  expiresAt: at + 24 * hour,
  isOpen: true,
  channels: ['mail', 'hook'],
}
const plain: NotifySettings = {
  channels: [],
  when: {},
  quiet: null,
  remindMs: null,
  escalate: null,
}

/** Tells what is due, all of it well, at each of these moments; gives what was told. */
function walk(settings: NotifySettings, moments: readonly number[], what = errand): string[][] {
  let progress: Progress = {}
  return moments.map((now) => {
    const { due, skipped } = planNotification(what, { ...settings, progress }, now)
    for (const { key } of skipped) progress = { ...progress, [key]: { outcome: 'skipped' } }
    for (const one of due) progress = noted(progress, one, { ok: true, at: now })
    return due.map((one) => one.key)
  })
}

test('a question goes once over each channel, and then there is no more', () => {
  expect(walk(plain, [at, at + hour])).toEqual([['first/mail', 'first/hook'], []])
  const progress = { 'first/mail': { outcome: 'told' }, 'first/hook': { outcome: 'told' } } as const
  expect(planNotification(errand, { ...plain, progress }, at + 1)).toMatchObject({
    moreAt: undefined,
  })
})

test('a channel that fails is tried again, ever later, while the other has told', () => {
  let progress: Progress = { 'first/hook': { outcome: 'told' } }
  const delivery = { key: 'first/mail', round: 'first', channel: 'mail' } as const
  let now = at
  const waits: number[] = []
  for (let tries = 1; tries < attemptsMax; tries += 1) {
    expect(planNotification(errand, { ...plain, progress }, now).due).toEqual([delivery])
    progress = noted(progress, delivery, { ok: false, at: now })
    const { due, moreAt } = planNotification(errand, { ...plain, progress }, now)
    expect(due).toEqual([])
    waits.push((moreAt ?? 0) - now)
    now = moreAt ?? 0
  }
  expect(waits.slice(0, 3)).toEqual([2_000, 4_000, 8_000])
  expect(Math.max(...waits)).toBe(hour)
  progress = noted(progress, delivery, { ok: false, at: now })
  expect(planNotification(errand, { ...plain, progress }, now)).toEqual({
    due: [],
    skipped: [],
    moreAt: undefined,
  })
})

test('reminders and the escalation come in their time, and not for ever', () => {
  const escalate = { afterMs: 25 * minute, to: ['boss'] }
  const settings = { ...plain, remindMs: 10 * minute, escalate }
  const moments = [0, 9, 10, 20, 25, 30, 40, 50, 60, 70].map((one) => at + one * minute)
  expect(
    walk(settings, moments).map((told) => told.map((key) => key.split('/').join(' '))),
  ).toEqual([
    ['first mail', 'first hook'],
    [],
    ['reminder-1 mail', 'reminder-1 hook'],
    ['reminder-2 mail', 'reminder-2 hook'],
    ['escalation boss'],
    ['reminder-3 mail', 'reminder-3 hook'],
    ['reminder-4 mail', 'reminder-4 hook'],
    ['reminder-5 mail', 'reminder-5 hook'],
    [],
    [],
  ])
  expect(remindersMax).toBe(5)
})

test('after a long sleep one reminder is enough, and none is of what was not told', () => {
  const settings = { ...plain, remindMs: 10 * minute }
  const [, late] = walk(settings, [at, at + 45 * minute])
  expect(late).toEqual(['reminder-4/mail', 'reminder-4/hook'])
  const [first] = walk(settings, [at + 45 * minute])
  expect(first).toEqual(['first/mail', 'first/hook'])
})

test('news are told once, and what runs out before a round has none', () => {
  const settings = { ...plain, remindMs: 10 * minute }
  const news = { ...errand, isOpen: false }
  expect(walk(settings, [at, at + hour], news)[1]).toEqual([])
  const short = { ...errand, expiresAt: at + 15 * minute }
  expect(walk(settings, [at, at + 10 * minute, at + 20 * minute], short)[2]).toEqual([])
})

const night: Quiet = { from: 22 * 60, to: 7 * 60, timeZone: 'UTC', urgent: ['budget'] }
const late = Date.UTC(2026, 2, 11, 23, 10, 5)
const morning = Date.UTC(2026, 2, 12, 7, 0)

test('quiet hours end when they end, over midnight and in their own time zone', () => {
  expect(quietUntil(late, night)).toBe(morning)
  expect(quietUntil(morning, night)).toBe(morning)
  expect(quietUntil(morning - 1, night)).toBe(morning)
  expect(quietUntil(at, night)).toBe(at)
  expect(quietUntil(at, { ...night, from: 9 * 60, to: 11 * 60 })).toBe(Date.UTC(2026, 2, 11, 11))
  // 10:30 UTC is 02:30 in Los Angeles in March, by summer time 03:30.
  const there = { ...night, timeZone: 'America/Los_Angeles' }
  expect(quietUntil(at, there)).toBe(at + 3.5 * hour)
  expect(quietUntil(at, { ...night, from: 60, to: 60 })).toBe(at)
  expect(quietUntil(at, null)).toBe(at)
})

test('what is not urgent waits for the morning, unless it would run out before', () => {
  const settings = { ...plain, quiet: night, remindMs: 10 * minute }
  const asked = { ...errand, askedAt: late, expiresAt: late + 24 * hour }
  expect(walk(settings, [late, morning - 1, morning, morning + 10 * minute], asked)).toEqual([
    [],
    [],
    ['first/mail', 'first/hook'],
    ['reminder-1/mail', 'reminder-1/hook'],
  ])
  expect(planNotification(asked, { ...settings, progress: {} }, late).moreAt).toBe(morning)
  expect(walk(settings, [late], { ...asked, kind: 'budget' })[0]).toHaveLength(2)
  expect(walk(settings, [late], { ...asked, expiresAt: morning })[0]).toHaveLength(2)
})
