/**
 * Names in messages: the one that was probably meant, and lists of them.
 * Knows text only. Must not know machines.
 */
import { editDistance } from '../closest-name.ts'

const listedMax = 4
const comparedCharsMax = 80

/** The known name that a wrong one is probably a slip of; undefined: none is near. */
export function nearestName(wrong: string, known: Iterable<string>): string | undefined {
  const plainWrong = plainOf(wrong)
  const distanceMax = plainWrong.length <= 3 ? 1 : 2
  let nearest: string | undefined
  let best = distanceMax + 1
  for (const name of known) {
    const plain = plainOf(name)
    if (plain === plainWrong) return name
    if (Math.abs(plain.length - plainWrong.length) >= best) continue
    const distance = editDistance(plainWrong, plain, best - 1)
    // A name of which every letter differs is no slip: `a` is not `b`.
    if (distance >= best || distance >= Math.min(plain.length, plainWrong.length)) continue
    best = distance
    nearest = name
  }
  return nearest
}

/** Case and separators are the commonest slips, so that they cost nothing. */
function plainOf(name: string): string {
  return name
    .slice(0, comparedCharsMax)
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '')
}

/** `a`, `b` and 3 more. */
export function quotedList(names: readonly string[]): string {
  const shown = names.slice(0, listedMax).map((name) => `\`${name}\``)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
