/**
 * Hours, days and months of UTC as whole numbers, by arithmetic alone.
 * Knows the calendar. Must not know rules or a clock.
 */
import { assertNever } from '../assert.ts'

export type Period = 'hourly' | 'daily' | 'monthly'

const hourMs = 3_600_000
const dayMs = 86_400_000

/** Which hour, day or month a moment lies in, counted from 1970. */
export function periodOf(at: number, period: Period): number {
  switch (period) {
    case 'hourly':
      return Math.floor(at / hourMs)
    case 'daily':
      return Math.floor(at / dayMs)
    case 'monthly':
      return monthOfDay(Math.floor(at / dayMs))
    default:
      return assertNever(period)
  }
}

/** The moment at which the period after this one begins. */
export function nextPeriodAt(at: number, period: Period): number {
  const next = periodOf(at, period) + 1
  switch (period) {
    case 'hourly':
      return next * hourMs
    case 'daily':
      return next * dayMs
    case 'monthly':
      return firstDayOf(next) * dayMs
    default:
      return assertNever(period)
  }
}

/**
 * The calendar is reckoned in years that begin in March, so that the leap day is the last of
 * its year, and in eras of 400 years, which all have the same number of days.
 * Source: http://howardhinnant.github.io/date_algorithms.html
 */
const eraDays = 146_097
const epochShiftDays = 719_468

function monthOfDay(day: number): number {
  const shifted = day + epochShiftDays
  const era = Math.floor(shifted / eraDays)
  const dayOfEra = shifted - era * eraDays
  const leaps =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const yearDays = 365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  const monthFromMarch = Math.floor((5 * (dayOfEra - yearDays) + 2) / 153)
  return (yearOfEra + era * 400 - 1970) * 12 + monthFromMarch + 2
}

/** The first day of a month counted from January 1970. */
function firstDayOf(month: number): number {
  const fromMarch = month - 2
  const year = Math.floor(fromMarch / 12) + 1970
  const era = Math.floor(year / 400)
  const yearOfEra = year - era * 400
  const monthFromMarch = fromMarch - Math.floor(fromMarch / 12) * 12
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5)
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * eraDays + dayOfEra - epochShiftDays
}
