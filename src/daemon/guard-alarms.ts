/**
 * Alarms about the guard itself: each is told to people at once over the channels for `guard`, and
 * again for a while where a channel does not take it; the last ones are shown in `pawl status`.
 */
import type { LogLine } from './log-file.ts'

export type GuardAlarms = {
  /** Tells people. The same words within an hour count as told. */
  readonly raise: (text: string) => Promise<void>
  /** Tries once more what a channel has not taken. */
  readonly retry: () => Promise<void>
  /** Alarms of the last hour, the oldest first. */
  readonly known: () => readonly string[]
}

type AlarmTools = {
  readonly announce: (alarm: Alarm) => Promise<boolean>
  readonly now: () => number
  readonly log: LogLine
}

type Alarm = { readonly kind: 'guard'; readonly title: string; readonly at: number }

const freshMs = 3_600_000
/** Alarms that are kept, and tries of one. */
const alarmsMax = 20
const triesMax = 30

export function openGuardAlarms({ announce, now, log }: AlarmTools): GuardAlarms {
  let alarms: readonly Alarm[] = []
  const owed = new Map<Alarm, number>()
  const send = async (alarm: Alarm): Promise<void> => {
    const tries = (owed.get(alarm) ?? 0) + 1
    const isDone = await announce(alarm)
    if (!isDone && tries >= triesMax) log('warning', 'an alarm could not be delivered', { tries })
    if (isDone || tries >= triesMax) owed.delete(alarm)
    else owed.set(alarm, tries)
  }
  const fresh = (): readonly Alarm[] => alarms.filter(({ at }) => now() - at < freshMs)
  return {
    raise: async (title) => {
      if (fresh().some((one) => one.title === title)) return
      const alarm = { kind: 'guard', title, at: now() } as const
      alarms = [...fresh(), alarm].slice(-alarmsMax)
      for (const old of [...owed.keys()].filter((one) => !alarms.includes(one))) owed.delete(old)
      await send(alarm)
    },
    retry: async () => {
      for (const alarm of [...owed.keys()]) await send(alarm)
    },
    known: () => fresh().map(({ title }) => title),
  }
}
