/** Formats times, durations, counts, money and sizes. */
const units = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** `3 minutes ago`, `in 2 hours`. */
export function agoText(at: number, now: number): string {
  const distance = at - now
  for (const [unit, ms] of units) {
    if (Math.abs(distance) >= ms) return relative.format(Math.round(distance / ms), unit)
  }
  if (distance > 5_000) return `in ${Math.round(distance / 1_000)} seconds`
  return distance > -10_000 ? 'just now' : 'less than a minute ago'
}

const letters = { year: 'y', month: 'mo', day: 'd', hour: 'h', minute: 'min' } as const

/** `3 min ago`, `2 h ago`. */
export function shortAgoText(at: number, now: number): string {
  const distance = now - at
  const [unit, ms] = units.find((one) => distance >= one[1]) ?? ['second', 1_000]
  return unit === 'second' ? 'just now' : `${Math.floor(distance / ms)} ${letters[unit]} ago`
}

/** The whole date and time. */
export function exactText(at: number): string {
  return exact.format(at)
}

/** Hours, minutes and seconds. */
export function clockText(at: number): string {
  return clock.format(at)
}

/** How long something took: `320 ms`, `1.4 s`, `4 m 12 s`. */
export function tookText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : durationText(ms)
}

/** `4 m 12 s`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return withRest(`${minutes} m`, seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return withRest(`${hours} h`, minutes % 60, 'm')
  return `${Math.floor(hours / 24)} days`
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`
}

const grouped = new Intl.NumberFormat('en')

/** `2,000`. */
export function numberText(value: number): string {
  return grouped.format(value)
}

/** `1 call`, `2,000 calls`. */
export function countOf(count: number, word: string): string {
  return `${numberText(count)} ${word}${count === 1 ? '' : 's'}`
}

/** Enough of an id to find the run by. */
export function shortIdOf(id: string): string {
  return id.slice(0, 8)
}

/** Millionths of a dollar as dollars. */
export function moneyText(microUsd: number): string {
  const usd = microUsd / 1_000_000
  return `$${usd.toFixed(usd >= 1 || usd === 0 ? 2 : 4)}`
}

/** `1.4 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
