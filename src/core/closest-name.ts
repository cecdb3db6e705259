/**
 * Finds the known word that an unknown one was meant to be.
 * Knows spelling only.
 */

/** Words longer than this may differ by two letters, shorter ones by one. */
const shortLength = 4
/** Words this short are each other's neighbours by chance. */
const tinyLength = 2

/** The known word that is written almost like this one; null when there is none. */
export function closestName(word: string, known: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    if (isSameFolded(candidate, word)) return candidate
    const distance = allowedDistance(word, candidate)
    if (distance !== null && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The known word that differs in style only: case, `_` and `-`. */
export function sameLetters(word: string, known: Iterable<string>): string | null {
  for (const candidate of known) if (isSameFolded(candidate, word)) return candidate
  return null
}

/** WHY a walk: most words differ in their first letter, and there may be thousands of them. */
function isSameFolded(left: string, right: string): boolean {
  let i = 0
  let j = 0
  for (;;) {
    while (left[i] === '_' || left[i] === '-') i += 1
    while (right[j] === '_' || right[j] === '-') j += 1
    if (i >= left.length || j >= right.length) return i >= left.length && j >= right.length
    if (left[i]?.toLowerCase() !== right[j]?.toLowerCase()) return false
    i += 1
    j += 1
  }
}

function allowedDistance(word: string, candidate: string): number | null {
  const shorter = Math.min(word.length, candidate.length)
  if (shorter <= tinyLength) return null
  const max = shorter > shortLength ? 2 : 1
  if (Math.abs(word.length - candidate.length) > max) return null
  const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), max)
  return distance <= max ? distance : null
}

/**
 * Letters to insert, drop, change or swap with their neighbour to make one word of the other.
 * Beyond `max` it is not counted on; the result is then only known to be larger.
 */
export function editDistance(left: string, right: string, max = Number.POSITIVE_INFINITY): number {
  let before: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1]
      const above = row[j] as number
      const beside = next[j - 1] as number
      let cost = Math.min(above + 1, beside + 1, (row[j - 1] as number) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      if (isSwap) cost = Math.min(cost, (before[j - 2] as number) + 1)
      next.push(cost)
    }
    before = row
    row = next
    if (Math.min(...row) > max) return max + 1
  }
  return row[right.length] as number
}
