/**
 * How far a `find` reaches, as far as its words tell: where it begins, which names it asks for,
 * and whether it would meet every file there is.
 * Knows the tests of `find`. Must not know which files are protected.
 */
import type { SimpleCommand } from '../shell/reading.ts'

export type Reach = {
  /** Where it begins; none: only known when it runs. */
  readonly starts: readonly string[]
  /** Names and paths that it asks for. */
  readonly named: readonly string[]
  /** It begins at the top, and no test keeps it from hidden files. */
  readonly isWide: boolean
}

// WHY: a `find` may run a thousand commands, and each asks how far it reaches.
const known = new WeakMap<SimpleCommand, Reach>()

/** Reads the words of one `find`. */
export function reachOf(find: SimpleCommand): Reach {
  const reach = known.get(find) ?? readReach(find)
  known.set(find, reach)
  return reach
}

function readReach({ words }: SimpleCommand): Reach {
  let begin = 1
  while (/^-([HLP]|O\d|D)$/.test(words[begin] ?? '')) begin += words[begin] === '-D' ? 2 : 1
  const tests = words.findIndex((word, i) => i >= begin && /^[-(!]/.test(word ?? ''))
  const starts = words.slice(begin, tests < 0 ? undefined : tests)
  const places = starts.filter((word) => word !== null)
  const parts = partsOf(tests < 0 ? [] : words.slice(tests))
  const isNarrow = parts.every((part) => part.named.some(saysSomething)) || parts.some(sparesHidden)
  const isAtTop = starts.length === 0 || places.some((place) => top.test(place))
  return {
    starts: places,
    named: parts.flatMap((part) => part.named),
    isWide: isAtTop && !isNarrow,
  }
}

/** The workspace, what lies above it, and everybody's home. */
const top = /^(?:\.{0,2}\/?|\.\.\/.*|\/|~\/?|\*)$/

type Part = { readonly named: readonly string[]; readonly spared: readonly string[] }

const nameTest = /^-i?(?:name|path|wholename|regex|lname)$/

const action = /^-(?:exec|ok|delete|print|fprint|ls|fls)/

/** The tests between one `-o` and the next; what is negated or pruned is spared. */
function partsOf(words: readonly (string | null)[]): readonly Part[] {
  const parts: Part[] = []
  let begin = 0
  for (let i = 0; i <= words.length; i += 1) {
    if (i < words.length && !/^(-o|-or|,)$/.test(words[i] ?? '')) continue
    parts.push(partOf(words.slice(begin, i)))
    begin = i + 1
  }
  return parts
}

function partOf(words: readonly (string | null)[]): Part {
  // What is pruned is left out, unless something is done to it right there.
  const isPruned = words.includes('-prune') && !words.some((word) => action.test(word ?? ''))
  const named: string[] = []
  const spared: string[] = []
  words.forEach((word, i) => {
    // Nothing can be lost with an empty file or folder.
    if (word === '-empty') named.push('empty')
    if (!nameTest.test(word ?? '')) return
    const before = words[i - 1] === '(' ? words[i - 2] : words[i - 1]
    const isNegated = before === '!' || before === '-not'
    const list = isNegated || isPruned ? spared : named
    const pattern = words[i + 1] ?? ''
    // `dir/*` is everything in `dir`.
    list.push(pattern.replace(/(.)\/\*+$/, '$1'))
  })
  return { named, spared }
}

/** A pattern of wildcards alone asks for everything. */
function saysSomething(pattern: string): boolean {
  return /[^*?./]/.test(pattern)
}

/** `-not -name '.*'`, `-path ./.git -prune`: whoever writes that takes care of such files. */
function sparesHidden({ spared }: Part): boolean {
  return spared.some((pattern) => /(^|\/)\.(\*|git)/.test(pattern))
}
