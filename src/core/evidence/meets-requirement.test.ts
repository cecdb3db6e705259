/** What counts as evidence of a command, and what is said when something does not. */
import { expect, test } from 'vitest'
import { readShell } from '../shell/read-shell.ts'
import { describeEvidence } from './describe-evidence.ts'
import { meetsRequirement } from './meets-requirement.ts'
import { addEvidence, evidenceKeptMax, type RecordedEvidence } from './recorded-evidence.ts'
import { compileEvidence, type EvidenceDefinition, folderFrom, printEvidence } from './schema.ts'

const green: EvidenceDefinition = { evidence: 'npm test', exit: 0, tests_min: 1, fresh: true }

function seen(over: Partial<RecordedEvidence> = {}): RecordedEvidence {
  return {
    grade: 'host',
    source: 'claude',
    subject: { words: ['npm', 'test'], folder: '.', environment: {} },
    exit: 0,
    tests: { passed: 12, failed: 0, skipped: 0 },
    callId: 'c1',
    startedAt: 1_000,
    endedAt: 2_000,
    fingerprint: 'f1',
    ...over,
  }
}

const now = { at: 42_000, fingerprint: 'f1' }

test('a green test run that was seen and is fresh meets the requirement', () => {
  expect(meetsRequirement(compileEvidence(green), [seen()], now)).toMatchObject({ met: true })
})

test('a failed test run that was asked for needs a test that failed', () => {
  const red = compileEvidence({ evidence: 'npm test', exit: 'nonzero', tests_min: 1 })
  const failed = seen({ exit: 1, tests: { passed: 11, failed: 1, skipped: 0 } })
  expect(meetsRequirement(red, [failed], now)).toMatchObject({ met: true })
  const isOnlyTheExit = seen({ exit: 1, tests: { passed: 12, failed: 0, skipped: 0 } })
  expect(meetsRequirement(red, [isOnlyTheExit], now)).toMatchObject({
    met: false,
    reason: expect.stringContaining('the last `npm test` failed, but none of its tests did'),
  })
})

test('files that nobody could compare are not said to have changed', () => {
  const textAt = (fingerprint: string | null): string =>
    describeEvidence(seen(), { at: now.at, fingerprint }).text
  expect(textAt('f1')).toMatch(/, nothing changed since$/)
  expect(textAt('f2')).toMatch(/, files changed since$/)
  expect(textAt(null)).toMatch(/, files could not be compared$/)
})

type Refused = readonly [what: string, recorded: RecordedEvidence[], reason: string]

const refused: readonly Refused[] = [
  ['nothing was seen', [], 'Pawl has not seen `npm test` run alone and to its end'],
  ['it failed', [seen({ exit: 1 })], 'the last `npm test` exited 1'],
  ['it failed, with a code nobody told', [seen({ exit: 'nonzero' })], 'the last `npm test` failed'],
  ['it never ended', [seen({ exit: null })], 'the last `npm test` did not come to its end'],
  [
    'no test ran',
    [seen({ tests: { passed: 0, failed: 0, skipped: 3 } })],
    'the last `npm test` ran 0 tests, not 1',
  ],
  [
    'no runner was recognised',
    [seen({ tests: null })],
    'no test results were recognised in the output of the last `npm test`',
  ],
  [
    'its script hides that tests failed',
    [seen({ tests: { passed: 3, failed: 2, skipped: 0 } })],
    'the last `npm test` exited 0, but 2 of its tests failed',
  ],
  [
    'it ran in another folder',
    [seen({ subject: { words: ['npm', 'test'], folder: 'sub', environment: {} } })],
    'Pawl saw `npm test` only in `sub`',
  ],
  [
    'it ran with other variables',
    [seen({ subject: { words: ['npm', 'test'], folder: '.', environment: { CI: '1' } } })],
    'Pawl saw `npm test` only with other environment variables',
  ],
  ['only the agent says so', [seen({ grade: 'claimed' })], 'only the agent says that it ran'],
  [
    'a file changed since',
    [seen({ fingerprint: 'f0' })],
    'the last `npm test` was 40 s ago, and `src/a.ts` changed since',
  ],
  [
    'a file changed while it ran',
    [seen({ fingerprint: 'changed' })],
    'the last `npm test` was 40 s ago, and files changed while it ran',
  ],
  [
    'the files could not be compared',
    [seen({ fingerprint: null })],
    'the files of the workspace could not be compared, so nothing counts as fresh',
  ],
  [
    'an older green run comes before a failed one',
    [seen(), seen({ exit: 1, grade: 'job', endedAt: 3_000 })],
    'the last `npm test` exited 1',
  ],
]

test.each(refused)('it is not met when %s', (_, recorded, reason) => {
  const moment = { ...now, changes: [{ path: 'src/a.ts', at: 30_000 }] }
  const answer = meetsRequirement(compileEvidence(green), recorded, moment)
  expect(answer).toMatchObject({ met: false, reason })
  expect(answer.met === false && answer.hint).toBe(
    'run `npm test`, alone; it must exit 0 with at least 1 test; then send this again',
  )
})

test.each([
  ['no test ran', { passed: 0, failed: 0, skipped: 3 }],
  ['a test failed', { passed: 3, failed: 1, skipped: 0 }],
])('a test run that exits 0 is no success where %s, whether tests are asked for', (_, tests) => {
  const requirement = compileEvidence({ evidence: 'npm test', exit: 0 })
  expect(meetsRequirement(requirement, [seen({ tests })], now).met).toBe(false)
  expect(meetsRequirement(requirement, [seen({ tests: null })], now).met).toBe(true)
})

test('where a report is named, the tests are counted there', () => {
  const report = 'test-results/unit.xml'
  const requirement = compileEvidence({ evidence: 'npm test', tests_min: 2, report })
  const ran = { passed: 2, failed: 0, skipped: 0 }
  const answer = (over: Partial<RecordedEvidence>) =>
    meetsRequirement(requirement, [seen(over)], now)
  expect(answer({ tests: null, reports: { [report]: ran } }).met).toBe(true)
  expect(answer({})).toMatchObject({
    reason: `the last \`npm test\` wrote no JUnit report that can be read to \`${report}\``,
  })
  expect(answer({ reports: { [report]: null } }).met).toBe(false)
  expect(answer({ reports: { 'other.xml': ran } }).met).toBe(false)
  const failed = { ...ran, failed: 1 }
  expect(answer({ tests: failed, reports: { [report]: ran } })).toMatchObject({
    reason: 'the last `npm test` exited 0, but 1 of its tests failed',
  })
  expect(answer({ reports: { [report]: failed } }).met).toBe(false)
})

test('without a fingerprint now, nothing is fresh, not even evidence without one', () => {
  const requirement = compileEvidence(green)
  const moment = { at: 42_000, fingerprint: null }
  expect(meetsRequirement(requirement, [seen()], moment).met).toBe(false)
  expect(meetsRequirement(requirement, [seen({ fingerprint: null })], moment).met).toBe(false)
})

test('evidence can be too old', () => {
  const requirement = compileEvidence({ evidence: 'npm test', within_seconds: 30 })
  expect(meetsRequirement(requirement, [seen()], now)).toMatchObject({
    reason: 'the last `npm test` was 40 s ago, and it may be 30 s old at most',
  })
  expect(meetsRequirement(requirement, [seen()], { ...now, at: 32_000 }).met).toBe(true)
  // A clock that went back does not make it younger.
  expect(meetsRequirement(requirement, [seen()], { ...now, at: 1_000 }).met).toBe(false)
})

test('a requirement of grade job is not met by a host', () => {
  const requirement = compileEvidence({ evidence: 'npm test', grade: 'job' })
  expect(meetsRequirement(requirement, [seen()], now)).toMatchObject({
    met: false,
    reason: 'only the host says that it ran',
  })
  expect(meetsRequirement(requirement, [seen({ grade: 'job' })], now).met).toBe(true)
})

test('a failure is any exit but 0, and a missing exit is neither', () => {
  const red = compileEvidence({ evidence: 'npm test', exit: 'nonzero' })
  const met = (exit: RecordedEvidence['exit']) => meetsRequirement(red, [seen({ exit })], now).met
  expect([met(1), met('nonzero'), met(0), met(null)]).toEqual([true, true, false, false])
})

const single: readonly string[] = [
  ...['npm test', ' npm  "test" ', 'npm test;', 'npm test 2>&1', 'npm test # all of them'],
]
test.each(single)('`%s` is the one simple command `npm test`', (text) => {
  const reading = readShell(text)
  expect(reading.ok && reading.single).toEqual({ words: ['npm', 'test'], environment: {} })
})

const notSingle: readonly string[] = [
  ...['npm test || true', 'npm test; true', 'npm test && echo ok', 'npm test | tail -5'],
  ...['npm test &', '! npm test', '(npm test)', '{ npm test; }', 'npm test > out', 'npm test <x'],
  ...['npm test |& cat', 'npm test &> out', 'npm $(echo test)', 'npm $X', 'npm te*', 'npm te?t'],
  ...['npm test\ntrue', 'if npm test; then true; fi', 'npm test <<<x', 'time npm test'],
  ...['f() { npm test; }', 'X=$(id) npm test', 'npm {test,x}', 'a[1]=2 npm test', 'X+=1 npm test'],
  ...['npm test 2>&1 >/dev/null', 'npm test >&2', 'X=1', 'npm test 2>&-', ''],
]
test.each(notSingle)('`%s` is not one simple command', (text) => {
  const reading = readShell(text)
  expect(reading.ok && reading.single !== null).toBe(false)
})

test('variables in front of a command are part of it', () => {
  const reading = readShell('CI=1 A="b c" npm test')
  expect(reading.ok && reading.single).toEqual({
    words: ['npm', 'test'],
    environment: { CI: '1', A: 'b c' },
  })
})

test('a requirement is written as it was read', () => {
  const written: EvidenceDefinition = {
    ...{ evidence: 'CI=1 npm test', exit: 'nonzero', tests_min: 2, fresh: true },
    ...{ within_seconds: 60, grade: 'job', folder: 'packages/api', env: { TZ: 'UTC' } },
    report: 'test-results/unit.xml',
  }
  expect(printEvidence(compileEvidence(written))).toEqual(written)
  expect(compileEvidence(printEvidence(compileEvidence(green)))).toEqual(compileEvidence(green))
})

test('a folder has one spelling, and stays inside', () => {
  expect(['.', './a//b/', 'a/../b', '', '..', '/a', 'a/../..'].map(folderFrom)).toEqual([
    ...['.', 'a/b', 'b', '.', null, null, null],
  ])
})

test('a run keeps the last end of a command, and of so many commands only', () => {
  let kept: readonly RecordedEvidence[] = []
  for (let at = 0; at < evidenceKeptMax + 10; at += 1) {
    const subject = { words: ['t', `${at}`], folder: '.', environment: {} }
    kept = addEvidence(kept, seen({ subject }))
    kept = addEvidence(kept, seen({ subject, exit: 1 }))
  }
  expect(kept).toHaveLength(evidenceKeptMax)
  expect(kept.every(({ exit }) => exit === 1)).toBe(true)
})
