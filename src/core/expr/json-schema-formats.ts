/**
 * The formats of JSON Schema that restrict a string.
 * Knows text. Must not know the current time: dates are computed.
 */

/** The longest text that any format accepts. */
export const formatCharsMax = 8000

// WHY: regular expressions of the host are fine here: they are ours, and each is linear.
const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const timePattern = /^(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:[Zz]|([+-])(\d{2}):(\d{2}))?$/
const fullTimePattern = /^\d{2}:\d{2}:\d{2}[^Zz+-]*[Zz+-]/
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ipv4Pattern = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/
const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const localPattern = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const uriPattern = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** Whether a text has a format; null when the format is not known and so only a hint. */
export function matchesFormat(format: string, text: string): boolean | null {
  const check = checks.get(format)
  if (check === undefined) return null
  return text.length <= formatCharsMax && check(text)
}

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['email', isEmail],
  ['uri', isUri],
  ['uuid', (text: string) => uuidPattern.test(text)],
  ['ipv4', isIpv4],
  ['hostname', isHostname],
])

function isDate(text: string): boolean {
  const parts = datePattern.exec(text)
  if (parts === null) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) {
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
    return isLeap ? 29 : 28
  }
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/**
 * A time of day. A leap second is only the last second of a day in UTC.
 * WHY: seconds and zone may be missing, which RFC 3339 does not know: people say `14:30`.
 */
function isTime(text: string): boolean {
  const parts = timePattern.exec(text)
  if (parts === null) return false
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3] ?? 0)]
  const [zoneHour, zoneMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  if (hour > 23 || minute > 59 || zoneHour > 23 || zoneMinute > 59) return false
  if (second < 60) return true
  const zone = (parts[4] === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute)
  const minuteUtc = (((hour * 60 + minute - zone) % 1440) + 1440) % 1440
  return second === 60 && minuteUtc === 1439
}

function isDateTime(text: string): boolean {
  const separator = text[10]
  if (separator !== 'T' && separator !== 't') return false
  const time = text.slice(11)
  return isDate(text.slice(0, 10)) && fullTimePattern.test(time) && isTime(time)
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  return at > 0 && local.length <= 64 && localPattern.test(local) && isHostname(text.slice(at + 1))
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => labelPattern.test(label))
}

function isIpv4(text: string): boolean {
  return ipv4Pattern.test(text) && text.split('.').every((part) => Number(part) <= 255)
}

function isUri(text: string): boolean {
  return uriPattern.test(text)
}
