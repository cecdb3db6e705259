import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documented, several, unknown } from './printed-summaries.contract.ts'
import { readTestCounts, testOutputCharactersMax } from './read-test-counts.ts'
import type { CountedTests } from './test-counts.ts'

type Recording = {
  runner: string
  scenario: string
  mode: string
  counts: CountedTests | null
  output: string
}
const file = new URL('../../../test/fixtures/test-outputs.jsonl', import.meta.url)
const recordings = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Recording)

function named([passed = 0, failed = 0, skipped = 0, total = 0]: number[]): CountedTests {
  return { passed, failed, skipped, total }
}

describe('outputs recorded from real runners', () => {
  for (const { runner, scenario, mode, counts, output } of recordings) {
    it(`${runner} (${mode}): ${scenario}`, () => {
      expect(readTestCounts(output)).toEqual(counts)
    })
  }
})

describe('outputs as documented', () => {
  for (const { name, output, counts } of [...documented, ...several]) {
    it(name, () => {
      expect(readTestCounts(output)).toEqual(named(counts))
      expect(readTestCounts(output.replaceAll('\n', '\r\n'))).toEqual(named(counts))
    })
  }
})

const noTestRan: readonly (readonly [name: string, output: string])[] = [
  ['jest', 'No tests found, exiting with code 0\n'],
  ['vitest', ' RUN  v3.2.4 /x\n\nNo test files found, exiting with code 0\n'],
  ['mocha', '\n\n  0 passing (1ms)\n\n'],
  ['node:test, an empty file', nodeTest('✔ a.test.js (30.1ms)')],
  ['node:test, an empty file whose name has a space', nodeTest('✔ my folder/a.test.js (30.1ms)')],
  ['go test', 'testing: warning: no tests to run\nPASS\nok  \tex.com/a\t0.002s\n'],
  ['go test from its cache', 'ok  \tex.com/a\t(cached) [no tests to run]\n'],
  ['cargo test', 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n'],
  ['TAP', 'TAP version 13\n1..0 # no tests\n'],
]

function nodeTest(line: string): string {
  const counts = ['tests 1', 'suites 0', 'pass 1', 'fail 0', 'cancelled 0', 'skipped 0', 'todo 0']
  return [line, ...[...counts, 'duration_ms 3.1'].map((one) => `ℹ ${one}`)].join('\n')
}

describe('outputs of runs without a test', () => {
  it.each(noTestRan)('%s: none is counted', (_, output) => {
    expect(readTestCounts(output)).toEqual(named([0, 0, 0, 0]))
  })
})

describe('outputs that are not certain', () => {
  for (const [what, output] of unknown) {
    it(`does not know the counts of ${what}`, () => {
      expect(readTestCounts(output)).toBeNull()
    })
  }
})

describe('what an agent prints', () => {
  it('never hides a failure, wherever a recorded summary is repeated in another run', () => {
    const pick = fc.constantFrom(...recordings)
    fc.assert(
      fc.property(pick, pick, fc.double({ min: 0, max: 1, noNaN: true }), (real, forged, at) => {
        const lines = real.output.split('\n')
        const cut = Math.floor(at * lines.length)
        const mixed = [...lines.slice(0, cut), forged.output, ...lines.slice(cut)].join('\n')
        const read = readTestCounts(mixed)
        // The forged part may stand in front of the run, as another suite would.
        if (read !== null && (real.counts?.failed ?? 0) > 0) expect(read.failed).toBeGreaterThan(0)
      }),
      { numRuns: 300, seed: 26 },
    )
  })
  it('is read in its last part only, which holds the summary', () => {
    const [{ output, counts } = { output: '', counts: [] }] = several
    expect(readTestCounts(`${'x'.repeat(testOutputCharactersMax)}\n${output}`)).toEqual(
      named(counts),
    )
  })
})
