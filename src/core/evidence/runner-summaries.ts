/**
 * How test runners print their summaries, as data: one entry per form of summary.
 * Knows the texts of runners. Must not know how they are searched for (`read-test-counts.ts`).
 *
 * A summary is a block of whole lines. Patterns are anchored and free of nested repetitions,
 * because the agent that is held writes what they are matched against.
 */

export type CountedAs = 'passed' | 'failed' | 'skipped'

export type RunnerSummary = {
  readonly runner: string
  /** A line that begins a run; its group `ran` is how many tests will run. */
  readonly begins?: RegExp
  /** A line that says that there is no test. */
  readonly none?: RegExp
  /**
   * The lines of the summary in order; blank lines between them are skipped. The group `counts`
   * has numbers with words, `ran` the number of tests, `key` what was tested.
   */
  readonly lines: readonly SummaryLine[]
  /** What the words mean; other words are not counted. */
  readonly words: Readonly<Record<string, CountedAs>>
  /** `2 passed`, or `passed: 2`; count first unless said otherwise. */
  readonly form?: 'name-first'
  /** `ran` is without the skipped tests. */
  readonly ranWithoutSkipped?: true
  /** Suites without tests are ordinary beside others, as are a crate's doc tests. */
  readonly canBeEmpty?: true
  /** A line that has to be somewhere before the summary in its run. */
  readonly needs?: RegExp
  /** Lines of passed entries that are not tests, but for instance files without tests. */
  readonly notTests?: RegExp
  /** Lines of skipped tests that the summary counts as passed. */
  readonly skippedLines?: RegExp
  /** Without any count it is another part of the output. */
  readonly needsCount?: true
  /** Lines of passed tests, for summaries that leave their number out. */
  readonly passedLines?: RegExp
}

type SummaryLine = RegExp | { readonly optional: RegExp }

/** One pattern from parts, for lines that are too long for this file. */
const joined = (...parts: readonly RegExp[]): RegExp =>
  new RegExp(parts.map((part) => part.source).join(''))

const optional = (pattern: RegExp): SummaryLine => ({ optional: pattern })

/** `ℹ tests 3` or `# tests 3`. */
const nodeTest = (mark: string): RunnerSummary => ({
  runner: 'node:test',
  lines: [
    new RegExp(`^${mark} tests (?<ran>\\d+)$`),
    new RegExp(`^${mark} suites \\d+$`),
    new RegExp(`^${mark} (?<counts>pass \\d+)$`),
    new RegExp(`^${mark} (?<counts>fail \\d+)$`),
    new RegExp(`^${mark} (?<counts>cancelled \\d+)$`),
    new RegExp(`^${mark} (?<counts>skipped \\d+)$`),
    new RegExp(`^${mark} (?<counts>todo \\d+)$`),
    new RegExp(`^${mark} duration_ms [\\d.]+$`),
  ],
  words: {
    pass: 'passed',
    fail: 'failed',
    cancelled: 'failed',
    skipped: 'skipped',
    todo: 'skipped',
  },
  form: 'name-first',
  // WHY: a file without a test is reported as one test that passed, under the file's name.
  notTests: /^(?:✔|ok \d+ -) \S.*\.[cm]?[jt]sx?(?: \([\d.]+ms\))?$/,
})

const pytestWords = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
} as const

const javascriptSummaries: readonly RunnerSummary[] = [
  {
    runner: 'jest',
    none: /^No tests found, exiting with code \d+$/,
    lines: [
      /^Test Suites: .* total$/,
      /^Tests: +(?:(?<counts>\d.*), )?(?<ran>\d+) total$/,
      /^Snapshots: .*$/,
      /^Time: .*$/,
    ],
    words: { passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped' },
  },
  {
    runner: 'vitest',
    begins: /^ *(?:RUN|DEV) +v\d[\d.]*\S* .*$/,
    none: /^No test files found, exiting with code \d+$/,
    lines: [
      /^ *Test Files +(?:no tests|\d.*\(\d+\))$/,
      /^ *Tests +(?:no tests|(?<counts>\d.*) \((?<ran>\d+)\))$/,
      optional(/^ *Type Errors +.*$/),
      optional(/^ *Errors +\d+ errors?$/),
      /^ *Start at +[\d:]+.*$/,
      /^ *Duration +.*$/,
    ],
    words: {
      passed: 'passed',
      failed: 'failed',
      skipped: 'skipped',
      todo: 'skipped',
      'expected fail': 'passed',
    },
  },
  {
    runner: 'mocha',
    lines: [
      /^ {2}(?<counts>\d+ passing) \([\d.]+ ?[a-z]+\)$/,
      optional(/^ {2}(?<counts>\d+ pending)$/),
      optional(/^ {2}(?<counts>\d+ failing)$/),
    ],
    words: { passing: 'passed', pending: 'skipped', failing: 'failed' },
  },
  nodeTest('ℹ'),
  nodeTest('#'),
  {
    runner: 'ava',
    none: /^ *✘ (?:No tests found in .*|Couldn.t find any files to test.*)$/,
    lines: [
      /^ {2}─$/,
      optional(/^ {2}(?<counts>\d+ hooks? failed)$/),
      optional(/^ {2}(?<counts>\d+ tests? failed)$/),
      optional(/^ {2}(?<counts>\d+ tests? passed)$/),
      optional(/^ {2}(?<counts>\d+ known failures?)$/),
      optional(/^ {2}(?<counts>\d+ tests? skipped)$/),
      optional(/^ {2}(?<counts>\d+ tests? todo)$/),
      optional(/^ {2}(?<counts>\d+ unhandled rejections?)$/),
      optional(/^ {2}(?<counts>\d+ uncaught exceptions?)$/),
    ],
    words: {
      'hook failed': 'failed',
      'hooks failed': 'failed',
      'test failed': 'failed',
      'tests failed': 'failed',
      'test passed': 'passed',
      'tests passed': 'passed',
      'known failure': 'skipped',
      'known failures': 'skipped',
      'test skipped': 'skipped',
      'tests skipped': 'skipped',
      'test todo': 'skipped',
      'tests todo': 'skipped',
      'unhandled rejection': 'failed',
      'unhandled rejections': 'failed',
      'uncaught exception': 'failed',
      'uncaught exceptions': 'failed',
    },
    passedLines: /^ {2}✔ .*$/,
    needsCount: true,
  },
  {
    runner: 'bun',
    begins: /^bun test v\d.*$/,
    lines: [
      /^ (?<counts>\d+ pass)$/,
      optional(/^ (?<counts>\d+ skip)$/),
      optional(/^ (?<counts>\d+ todo)$/),
      /^ (?<counts>\d+ fail)$/,
      optional(/^ \d+ errors?$/),
      optional(/^ \d+ snapshots?.*$/),
      optional(/^ \d+ expect\(\) calls$/),
      /^Ran (?<ran>\d+) tests? across \d+ files?\. \[.*\]$/,
    ],
    words: { pass: 'passed', skip: 'skipped', todo: 'skipped', fail: 'failed' },
  },
  {
    runner: 'deno',
    lines: [/^(?:ok|FAILED) \| (?<counts>\d+ passed.* \| \d+ failed.*) \([\d.]+m?s\)$/],
    words: { passed: 'passed', failed: 'failed', ignored: 'skipped' },
  },
]

const otherSummaries: readonly RunnerSummary[] = [
  {
    runner: 'pytest',
    begins: /^=+ test session starts =+$/,
    lines: [/^=+ (?:no tests ran|(?<counts>\d+ [a-z].*)) in [\d.]+s(?: \([\d:]+\))? =+$/],
    words: pytestWords,
  },
  {
    runner: 'pytest',
    none: /^(?:no tests ran|\d+ deselected) in [\d.]+s$/,
    lines: [/^(?<counts>\d+ [a-z].*) in [\d.]+s(?: \([\d:]+\))?$/],
    words: pytestWords,
    needs: /(?:\[ *\d+%\]|^=+ (?:ERRORS|FAILURES|short test summary info) =+)$/,
  },
  {
    runner: 'unittest',
    lines: [
      /^-{70}$/,
      /^Ran (?<ran>\d+) tests? in [\d.]+s$/,
      /^(?:OK|FAILED|NO TESTS RAN)(?: \((?<counts>.*)\))?$/,
    ],
    words: {
      failures: 'failed',
      errors: 'failed',
      skipped: 'skipped',
      'expected failures': 'skipped',
      'unexpected successes': 'failed',
    },
    form: 'name-first',
  },
  {
    runner: 'cargo test',
    begins: /^running (?<ran>\d+) tests?$/,
    lines: [/^test result: (?:ok|FAILED)\. (?<counts>\d+ passed; \d+ failed; .*)$/],
    words: { passed: 'passed', failed: 'failed', ignored: 'skipped', measured: 'passed' },
    canBeEmpty: true,
  },
  {
    runner: 'cargo nextest',
    begins: /^ *Nextest run ID .*$/,
    lines: [/^ *Summary \[ *[\d.]+s\] (?<ran>\d+)(?:\/\d+)? tests? run: (?<counts>\d+ passed.*)$/],
    words: {
      passed: 'passed',
      failed: 'failed',
      'exec failed': 'failed',
      'timed out': 'failed',
      skipped: 'skipped',
    },
    ranWithoutSkipped: true,
  },
  {
    runner: 'maven surefire',
    begins: /^(?:\[INFO\] +)? ?T E S T S$/,
    none: /^(?:\[INFO\] +)?No tests to run\.$/,
    lines: [
      joined(
        /^(?:\[(?:INFO|ERROR|WARNING)\] +)?Tests run: (?<ran>\d+), /,
        /(?<counts>Failures: \d+, Errors: \d+, Skipped: \d+)$/,
      ),
    ],
    words: { failures: 'failed', errors: 'failed', skipped: 'skipped' },
    form: 'name-first',
  },
  {
    runner: 'gradle',
    lines: [/^(?<ran>\d+) tests? completed(?:, (?<counts>\d+ .*))?$/],
    words: { failed: 'failed', skipped: 'skipped' },
  },
  {
    runner: 'dotnet test',
    none: /^No test is available in .*$/,
    lines: [
      joined(
        /^ *(?:Passed|Failed|Skipped)! +- (?<counts>Failed: +\d+, Passed: +\d+, Skipped: +\d+), /,
        /Total: +(?<ran>\d+), Duration: .* - (?<key>\S+\.dll(?: \(\S+\))?)$/,
      ),
    ],
    words: { passed: 'passed', failed: 'failed', skipped: 'skipped' },
    form: 'name-first',
  },
  {
    runner: 'dotnet test',
    lines: [
      /^Total tests: (?<ran>\d+)$/,
      optional(/^ *(?<counts>Passed: \d+)$/),
      optional(/^ *(?<counts>Failed: \d+)$/),
      optional(/^ *(?<counts>Skipped: \d+)$/),
      /^ *Total time: .*$/,
    ],
    words: { passed: 'passed', failed: 'failed', skipped: 'skipped' },
    form: 'name-first',
  },
  {
    runner: 'dotnet test',
    lines: [
      /^Test run summary: (?:Passed|Failed|Zero tests ran).*$/,
      optional(/^ +\S+\.(?:dll|exe) .*$/),
      /^ *total: (?<ran>\d+)$/,
      /^ *(?<counts>failed: \d+)$/,
      /^ *(?<counts>succeeded: \d+)$/,
      /^ *(?<counts>skipped: \d+)$/,
      /^ *duration: .*$/,
    ],
    words: { succeeded: 'passed', failed: 'failed', skipped: 'skipped' },
    form: 'name-first',
  },
  {
    runner: 'dotnet test',
    lines: [
      joined(
        /^ *Test summary: total: (?<ran>\d+), /,
        /(?<counts>failed: \d+, succeeded: \d+, skipped: \d+), duration: .*$/,
      ),
    ],
    words: { succeeded: 'passed', failed: 'failed', skipped: 'skipped' },
    form: 'name-first',
  },
  {
    runner: 'rspec',
    lines: [/^Finished in [\d.]+ .*$/, /^(?<ran>\d+) examples?, (?<counts>\d+ failures?.*)$/],
    words: { failure: 'failed', failures: 'failed', pending: 'skipped' },
  },
  {
    runner: 'minitest',
    begins: /^Run options: .*--seed \d+.*$/,
    lines: [
      /^(?<ran>\d+) (?:runs|tests), \d+ assertions, (?<counts>\d+ failures, \d+ errors, .*)$/,
    ],
    words: { failures: 'failed', errors: 'failed', skips: 'skipped' },
  },
  {
    runner: 'phpunit',
    begins: /^PHPUnit \d[\d.]* by Sebastian Bergmann and contributors\.$/,
    none: /^No tests executed!$/,
    lines: [/^OK \((?<ran>\d+) tests?, \d+ assertions?\)$/],
    words: {},
  },
  {
    runner: 'phpunit',
    lines: [
      /^(?:OK, but .*|FAILURES|ERRORS|WARNINGS|TESTS? .*)!$/,
      /^Tests: (?<ran>\d+), Assertions: \d+(?:, (?<counts>[A-Z].*))?\.$/,
    ],
    words: {
      failures: 'failed',
      errors: 'failed',
      skipped: 'skipped',
      incomplete: 'skipped',
      risky: 'skipped',
    },
    form: 'name-first',
    notTests: /^(?: +│ )?No tests found in class "\S+"\.$/,
  },
  {
    runner: 'ctest',
    begins: /^Test project .*$/,
    none: /^No tests were found!!!$/,
    lines: [/^\d+% tests passed, (?<counts>\d+ tests?) failed out of (?<ran>\d+)$/],
    words: { test: 'failed', tests: 'failed' },
    skippedLines: /^\d+\/\d+ Test +#\d+: .*\*\*\*Skipped +[\d.]+ sec$/,
  },
  {
    runner: 'bats',
    lines: [/^(?<ran>\d+) tests?, (?<counts>\d+ failures?.*)$/],
    words: { failure: 'failed', failures: 'failed', skipped: 'skipped' },
  },
]

export const runnerSummaries: readonly RunnerSummary[] = [...javascriptSummaries, ...otherSummaries]

/** Lines after which another suite may follow: scripts of package managers, tasks of builds. */
export const suiteSeparators: readonly RegExp[] = [
  /^> (?:@[\w.~-]+\/)?[\w.~-]+(?:@\S+)? [\w:.-]+$/,
  /^\$ \S.*$/,
  /^> Task :\S+(?: FAILED)?$/,
  /^Test run for .*\.dll.*$/,
]
