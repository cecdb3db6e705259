/**
 * Options of git itself that only change how it shows something: `git --no-pager diff` is
 * `git diff`, to every rule alike.
 */
import type { ReadWord } from './expand-word.ts'

const showing: ReadonlySet<string> = new Set(['--no-pager', '-P', '--no-optional-locks'])

/** WHY so few: nearly every other setting can name a program. */
const showingSetting =
  /^(color\.[a-z]+=(never|always|auto|true|false)|core\.quotepath=(on|off|true|false))$/i

/** The words of a git command without such options in front of its sub-command. */
export function withoutPager(words: readonly ReadWord[]): readonly ReadWord[] {
  if (words[0]?.value !== 'git') return words
  let begin = 1
  for (;;) {
    const value = words[begin]?.value ?? ''
    if (showing.has(value)) begin += 1
    else if (value === '-c' && showingSetting.test(words[begin + 1]?.value ?? '')) begin += 2
    else break
  }
  return begin === 1 ? words : [words[0], ...words.slice(begin)]
}
