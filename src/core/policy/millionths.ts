/**
 * Numbers of calls as whole millionths, so that sums are exact. Rounded up: a sum is never less
 * than what it adds up.
 */
import type { Json } from '../json.ts'

const plainDecimal = /^(0|[1-9]\d{0,9})(\.\d{1,20})?$/
const million = 1_000_000

/** The largest number that is counted. */
const valueMax = 1_000_000_000

/** A number that is not negative, or its decimal text; null: it is neither, or is too large. */
export function millionthsOf(value: Json | undefined): number | null {
  const read = typeof value === 'string' && plainDecimal.test(value) ? Number(value) : value
  if (typeof read !== 'number' || !(read >= 0) || read > valueMax) return null
  const scaled = read * million
  const nearest = Math.round(scaled)
  // WHY a margin: 0.29 times a million is not whole in binary, and means 290000.
  return Math.abs(scaled - nearest) <= nearest * 1e-12 ? nearest : Math.ceil(scaled)
}

/** Millionths as people write the number. */
export function millionthsText(millionths: number): string {
  return String(millionths / million)
}
