/** Quiet hours: when nobody is notified. Knows clocks and calendars. Must not know messages. */
import type { Quiet } from './settings.ts'

const minuteMs = 60_000
const dayMinutes = 24 * 60

/** The first moment from `at` on that is not quiet: `at` itself, or the end of the quiet hours. */
export function quietUntil(at: number, quiet: Quiet | null): number {
  if (quiet === null || quiet.from === quiet.to) return at
  const minute = minuteOfDay(at, quiet.timeZone)
  const since = (minute - quiet.from + dayMinutes) % dayMinutes
  const length = (quiet.to - quiet.from + dayMinutes) % dayMinutes
  if (since >= length) return at
  return at - (at % minuteMs) + (length - since) * minuteMs
}

function minuteOfDay(at: number, timeZone: string | null): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === null ? {} : { timeZone }),
  }).formatToParts(at)
  const read = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0)
  return read('hour') * 60 + read('minute')
}
