/**
 * Mutates commands: inserts, removes, duplicates and swaps pieces. Two parsers of bash disagree
 * most on text that is almost valid.
 */
import { strangers } from './allow-lists.ts'
import type { Random } from './random.ts'

/** The longest text that still grows. */
const charsMax = 2_000

const pieces: readonly string[] = [
  ...["'", '"', '`', '\\', '$', '(', ')', '{', '}', '[', ']', '<', '>', '|', '&', ';', '#', '!'],
  ...['\n', '\t', ' ', '\\\n', '$(', '${', '$((', '))', '<<', '<<-', '<<<', '<(', '>(', '[[', ']]'],
  ...["$'", '$"', "''", '""', '\\"', "\\'", '\\`', '\\$', '=', '~', '*', '?', '%', '@', ':', ','],
  ...[' && ', ' || ', ' | ', '; ', ' & ', '\n', ' #', '<<E\n', '\nE\n', " <<'E'\n", '&>', '2>&1'],
  ...[
    ' then ',
    ' do ',
    ' done',
    ' fi',
    ' esac',
    ';;',
    ';&',
    ' in ',
    'if ',
    'for ',
    'case ',
    'f() ',
  ],
  ...['{a,b}', '..', '+=', '-', '--', '-c', 'x', '1', 'é', '\r', '\v', '\f', '\u00a0', '\u200b'],
  ...['((', '$[', '!(', '@(', '+(', '\\\\', '\\n', '\\x41', '${x:-', '${x/', '${!', '@P}', '|&'],
]

/** The text with one to four changes. */
export function mutate(random: Random, text: string): string {
  let changed = text
  for (let i = random.below(4); i >= 0; i -= 1) changed = change(random, changed)
  return changed
}

function change(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  const upTo = Math.min(text.length, at + 1 + random.below(random.chance(20) ? 12 : 2))
  const piece = random.chance(12) ? random.pick(strangers) : random.pick(pieces)
  const before = text.slice(0, at)
  const span = text.slice(at, upTo)
  const after = text.slice(upTo)
  switch (random.below(6)) {
    case 0:
      return before + after
    case 1:
      return before + piece + after
    case 2:
      return text.length > charsMax ? before : before + span + span + after
    case 3:
      return swapped(random, text)
    default:
      return text.length > charsMax ? before : before + piece + span + after
  }
}

/** Two pieces of the text in each other's place. */
function swapped(random: Random, text: string): string {
  const cuts = [0, 0, 0, 0].map(() => random.below(text.length + 1)).sort((a, b) => a - b)
  const [a = 0, b = 0, c = 0, d = 0] = cuts
  return text.slice(0, a) + text.slice(c, d) + text.slice(b, c) + text.slice(a, b) + text.slice(d)
}

/** The head of one text and the tail of another. */
export function crossed(random: Random, one: string, other: string): string {
  const joint = random.pick(['', '', ' ', '\n', '; ', ' | ', ' && '])
  return (
    one.slice(0, random.below(one.length + 1)) + joint + other.slice(random.below(other.length + 1))
  )
}
