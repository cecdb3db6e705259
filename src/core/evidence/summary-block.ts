/**
 * Matches one form of summary at a line, and adds up its numbers.
 * Knows the shape of the table. Must not know any runner.
 */
import type { CountedAs, RunnerSummary } from './runner-summaries.ts'
import { type CountedTests, completeTestCounts } from './test-counts.ts'

type Place = {
  readonly lines: readonly string[]
  readonly at: number
  /** Where the run began. */
  readonly from: number
  readonly count: LineCounter
}

/** How many lines match a pattern, of those from one line to before another. */
export type LineCounter = (pattern: RegExp, from: number, to: number) => number

/**
 * Counts in lines that are read from the first to the last.
 * WHY with a memory: an output may have a summary in each line, and each asks about all before it.
 */
export function openLineCounter(lines: readonly string[]): LineCounter {
  const counted = new Map<RegExp, { from: number; to: number; count: number }>()
  return (pattern, from, to) => {
    const known = counted.get(pattern)
    const isContinued = known !== undefined && known.from === from && known.to <= to
    let { to: next, count } = isContinued ? known : { to: from, count: 0 }
    for (; next < to; next += 1) if (pattern.test(lines[next] ?? '')) count += 1
    counted.set(pattern, { from, to, count })
    return count
  }
}

type Block = {
  /** Null: the numbers contradict each other. */
  readonly counts: CountedTests | null
  readonly key: string | null
  /** The last line of the block. */
  readonly last: number
}

/** The summary that begins at a line; null: none of this form does. */
export function matchSummary(summary: RunnerSummary, place: Place): Block | null {
  const matches = matchLines(summary, place)
  if (matches === null) return null
  const groups = matches.found.map((match) => match.groups ?? {})
  const texts = groups.flatMap(({ counts }) => (counts === undefined ? [] : [counts]))
  const ran = groups.find((group) => group.ran !== undefined)?.ran
  const words = texts.flatMap((text) => countedWords(summary, text))
  // A sentence with a number in it is not a summary.
  const isExpected = texts.length > 0 || summary.needsCount === true
  if (words.length === 0 && isExpected && ran === undefined) return null
  const key = groups.find((group) => group.key !== undefined)?.key ?? null
  const counts = adjusted(summary, place, { words, ran: ran === undefined ? null : Number(ran) })
  return { counts, key, last: matches.last }
}

type LineMatches = { readonly found: readonly RegExpExecArray[]; readonly last: number }

function matchLines(summary: RunnerSummary, { lines, at }: Place): LineMatches | null {
  const found: RegExpExecArray[] = []
  let next = at
  let last = at
  for (const line of summary.lines) {
    while (next > at && next < lines.length && lines[next] === '') next += 1
    const pattern = line instanceof RegExp ? line : line.optional
    const match = pattern.exec(lines[next] ?? '')
    if (match === null && line instanceof RegExp) return null
    if (match === null) continue
    found.push(match)
    last = next
    next += 1
  }
  return { found, last }
}

type Word = { readonly as: CountedAs; readonly count: number }

const countFirst = /(\d+) ([a-z]+(?: [a-z]+)*)/g
const nameFirst = /([a-z]+(?: [a-z]+)*)[:= ] *(\d+)/g

function countedWords(summary: RunnerSummary, text: string): Word[] {
  const isNameFirst = summary.form === 'name-first'
  const matches = text.toLowerCase().matchAll(isNameFirst ? nameFirst : countFirst)
  return [...matches].flatMap((match) => {
    const [word = '', count = ''] = isNameFirst ? [match[1], match[2]] : [match[2], match[1]]
    const as = Object.hasOwn(summary.words, word) ? summary.words[word] : undefined
    return as === undefined ? [] : [{ as, count: Number(count) }]
  })
}

type Read = { readonly words: readonly Word[]; readonly ran: number | null }

/** The numbers of a summary, corrected by what the lines before it show. */
function adjusted(summary: RunnerSummary, place: Place, { words, ran }: Read): CountedTests | null {
  const sum = (as: CountedAs): number =>
    words.filter((word) => word.as === as).reduce((total, word) => total + word.count, 0)
  const failed = sum('failed')
  const skippedInSummary = sum('skipped')
  const isPassedStated = words.some((word) => word.as === 'passed')
  const moved = countLines(summary.skippedLines, place)
  const notTests = countLines(summary.notTests, place)
  let total = ran
  if (total !== null && summary.ranWithoutSkipped === true) total += skippedInSummary
  if (total === null && !isPassedStated) {
    total = failed + skippedInSummary + countLines(summary.passedLines, place)
  }
  const stated = isPassedStated ? sum('passed') : null
  const complete = completeTestCounts({ passed: stated, failed, skipped: skippedInSummary, total })
  if (complete === null) return null
  return completeTestCounts({
    passed: complete.passed - moved - notTests,
    failed,
    skipped: skippedInSummary + moved,
    total: complete.total - notTests,
  })
}

function countLines(pattern: RegExp | undefined, { count, at, from }: Place): number {
  return pattern === undefined ? 0 : count(pattern, from, at)
}
