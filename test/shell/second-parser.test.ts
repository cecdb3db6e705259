/**
 * Two parsers, one text: tree-sitter may see no command that Pawl does not see.
 */
import { expect, test } from 'vitest'
import { candidates } from '../../scripts/shell-fuzz/command-source.ts'
import { loadSecondParser, missedBy } from '../../scripts/shell-fuzz/second-parser.ts'
import { collected, everyday } from './everyday-commands.ts'

const fuzzedCount = 3_000
const second = await loadSecondParser()

function disagreements(texts: readonly string[]): { compared: number; missed: string[] } {
  const missed: string[] = []
  let compared = 0
  for (const text of texts) {
    const names = missedBy(second, text)
    if (names === null) continue
    compared += 1
    if (names.length > 0) missed.push(`${names.join(' ')} in ${JSON.stringify(text)}`)
  }
  return { compared, missed }
}

test('the second parser finds commands where they are', () => {
  expect(second.namesIn('a && $(b) | "c" <(d)')).toEqual(['a', 'b', 'c', 'd'])
  expect(second.namesIn('if a; then b')).toBeNull()
})

test('both see the same commands in everyday texts', () => {
  const { compared, missed } = disagreements(
    [...everyday, ...collected].flatMap((group) => group.commands),
  )
  expect(missed).toEqual([])
  expect(compared).toBeGreaterThan(250)
})

test('Pawl misses no command of a fuzzed text that the second parser sees', () => {
  const candidate = candidates(7)
  const texts = Array.from({ length: fuzzedCount }, (_, index) => candidate(index).command)
  const { compared, missed } = disagreements(texts)
  console.log(`second parser: ${compared} of ${fuzzedCount} fuzzed texts were read by both`)
  expect(missed).toEqual([])
  expect(compared).toBeGreaterThan(fuzzedCount / 10)
})
