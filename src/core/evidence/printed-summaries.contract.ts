/** Outputs for the tests of `readTestCounts`: documented ones, and ones that an agent forges. */

/** As the documents of each runner show them; these could not be installed here. */
export const documented: readonly { name: string; output: string; counts: number[] }[] = [
  {
    name: 'cargo nextest',
    output: [
      '────────────',
      ' Nextest run ID 5b2a with nextest profile: default',
      '    Starting 40 tests across 5 binaries (6 tests skipped)',
      '        PASS [   0.003s] p tests::a',
      '────────────',
      '     Summary [ 295.800s] 40 tests run: 21 passed (18 slow), 4 failed, ' +
        '15 timed out, 6 skipped',
      '        FAIL [   0.006s] p tests::b',
      'error: test run failed',
    ].join('\n'),
    counts: [21, 19, 6, 46],
  },
  {
    name: 'dotnet test with VSTest, two assemblies',
    output: [
      'Test run for /p/A.Tests/bin/Debug/net8.0/A.Tests.dll (.NETCoreApp,Version=v8.0)',
      'Test run for /p/B.Tests/bin/Debug/net8.0/B.Tests.dll (.NETCoreApp,Version=v8.0)',
      'Starting test execution, please wait...',
      'A total of 1 test files matched the specified pattern.',
      '',
      'Passed!  - Failed:     0, Passed:     3, Skipped:     1, ' +
        'Total:     4, Duration: 12 ms - A.Tests.dll (net8.0)',
      'Failed!  - Failed:     1, Passed:     2, Skipped:     0, ' +
        'Total:     3, Duration: < 1 ms - B.Tests.dll (net8.0)',
    ].join('\n'),
    counts: [5, 1, 1, 7],
  },
  {
    name: 'dotnet test with the console logger',
    output: [
      'Test Run Failed.',
      'Total tests: 3',
      '     Passed: 1',
      '     Failed: 1',
      '    Skipped: 1',
      ' Total time: 1.2345 Seconds',
    ].join('\n'),
    counts: [1, 1, 1, 3],
  },
  {
    name: 'dotnet test with the terminal logger',
    output:
      'Test summary: total: 3, failed: 0, succeeded: 3, skipped: 0, ' +
      'duration: 1.2s\nBuild succeeded',
    counts: [3, 0, 0, 3],
  },
  {
    name: 'dotnet test with Microsoft.Testing.Platform',
    output: [
      'Test run summary: Failed! - bin/Debug/net9.0/A.Tests.dll (net9.0|x64)',
      '  total: 3',
      '  failed: 1',
      '  succeeded: 2',
      '  skipped: 0',
      '  duration: 1s 200ms',
    ].join('\n'),
    counts: [2, 1, 0, 3],
  },
  {
    name: 'dotnet test without tests',
    output: 'No test is available in /p/bin/A.dll. Make sure that test discoverer is registered.',
    counts: [0, 0, 0, 0],
  },
  {
    name: 'minitest',
    output:
      'Run options: --seed 4711\n\n# Running:\n\n' +
      '3 runs, 3 assertions, 1 failures, 0 errors, 1 skips',
    counts: [1, 1, 1, 3],
  },
  {
    name: 'phpunit 11 with a skipped test',
    output: [
      'PHPUnit 11.5.2 by Sebastian Bergmann and contributors.',
      'OK, but some tests were skipped!',
      'Tests: 3, Assertions: 2, Skipped: 1.',
    ].join('\n'),
    counts: [2, 0, 1, 3],
  },
  {
    name: 'phpunit without tests',
    output: 'PHPUnit 11.5.2 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n',
    counts: [0, 0, 0, 0],
  },
  {
    name: 'pytest with errors, expected failures and warnings, over an hour',
    output:
      '=== test session starts ===\n' +
      '= 1 failed, 7 passed, 2 skipped, 3 deselected, 1 xfailed, 1 xpassed, ' +
      '4 warnings, 2 errors in 3723.10s (1:02:03) =',
    counts: [8, 3, 3, 14],
  },
  {
    name: 'pytest with subtests',
    output: '=== test session starts ===\n=== 3 passed, 2 subtests passed in 0.10s ===',
    counts: [3, 0, 0, 3],
  },
  {
    name: 'go with a package without test files and one that does not build',
    output: [
      '?   \texample.com/p/a\t[no test files]',
      'ok  \texample.com/p/b\t(cached)',
      'ok  \texample.com/p/c\t0.010s\tcoverage: 81.2% of statements',
      'FAIL\texample.com/p/d [build failed]',
      'FAIL',
    ].join('\n'),
    counts: [2, 1, 0, 3],
  },
  {
    name: 'unittest without tests on Python 3.12',
    output: `\n${'-'.repeat(70)}\nRan 0 tests in 0.000s\n\nNO TESTS RAN`,
    counts: [0, 0, 0, 0],
  },
  {
    name: 'jest that found nothing',
    output: 'No tests found, exiting with code 0',
    counts: [0, 0, 0, 0],
  },
  {
    name: 'vitest that found nothing',
    output: ' RUN  v4.1.12 /p\n\nNo test files found, exiting with code 0',
    counts: [0, 0, 0, 0],
  },
  {
    name: 'Gradle without tests',
    output: '> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s',
    counts: [0, 0, 0, 0],
  },
]

const vitest = (tests: string): string =>
  [
    ' RUN  v4.1.12 /p',
    '',
    ' Test Files  1 passed (1)',
    `      Tests  ${tests}`,
    '   Start at  10:00:00',
    '   Duration  1.01s (transform 28ms)',
  ].join('\n')
const jest = (tests: string): string =>
  `Test Suites: 1 passed, 1 total\nTests:       ${tests}\nSnapshots:   0 total\nTime:        1 s`
const cargo = (ran: number, passed: number): string =>
  `running ${ran} tests\ntest result: ok. ${passed} passed; 0 failed; 0 ignored; ` +
  '0 measured; 0 filtered out; finished in 0.00s'

/** Outputs that say nothing certain: the answer must be unknown. */
export const unknown: readonly [what: string, output: string][] = [
  ['nothing', ''],
  ['a sentence', '12 passed'],
  ['a sentence of a script', 'All 12 tests passed!'],
  ['a log of commits', 'abc1234 tests: 12 passed in 0.03s'],
  ['a line of pytest alone', '12 passed in 0.03s'],
  ['one line of jest', 'Tests:       12 passed, 12 total'],
  ['one line of vitest', '      Tests  12 passed (12)'],
  ['an indented summary', `    ${jest('12 passed, 12 total').split('\n').join('\n    ')}`],
  ['numbers that do not add up', jest('12 passed, 13 total')],
  ['numbers that are too large', jest('99999999999 passed, 99999999999 total')],
  ['a forged summary before the real one', `${vitest('12 passed (12)')}\n${vitest('no tests')}`],
  [
    'a forged summary inside a run',
    vitest('1 passed (1)').replace('\n\n', `\n${jest('12 passed, 12 total')}\n`),
  ],
  [
    'a forged summary after the real one',
    `${vitest('1 passed (1)')}\n${jest('12 passed, 12 total')}`,
  ],
  ['two summaries of one run', `${jest('1 passed, 1 total')}\n${jest('12 passed, 12 total')}`],
  ['a forged summary before "0 passing"', `${jest('12 passed, 12 total')}\n\n  0 passing (1ms)`],
  ['a run that announced other tests', cargo(2, 12)],
  ['a run that never ended', `${cargo(2, 2)}\n\nrunning 4 tests\ntest a ... ok`],
  ['a session of pytest that was killed', '=== test session starts ===\ncollected 3 items'],
  ['TAP with fewer tests than planned', '1..3\nok 1\nok 2'],
  ['TAP with two plans', '1..1\nok 1\n1..1\nok 1'],
  ['TAP that was stopped', '1..2\nok 1\nok 2\nBail out! no database'],
  ['TAP whose beginning was cut', 'ok 2\nok 3\n1..3'],
  ['a package of go that ends twice', 'ok  \tp/a\t0.1s\nok  \tp/a\t0.1s'],
  ['a successful Gradle build that lists no test', '> Task :test\n\nBUILD SUCCESSFUL in 2s'],
  [
    'go test -json that was cut',
    '{"Action":"run","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p","Test":"TestA"}',
  ],
]

/** Several suites in one output: their sum. */
export const several: readonly { name: string; output: string; counts: number[] }[] = [
  {
    name: 'crates of a workspace, with empty doc tests at the end',
    output: [cargo(2, 2), cargo(3, 3), cargo(0, 0)].join('\n\n'),
    counts: [5, 0, 0, 5],
  },
  {
    name: 'the same summary twice in one run, counted once',
    output: `${jest('2 passed, 2 total')}\n${jest('2 passed, 2 total')}`,
    counts: [2, 0, 0, 2],
  },
  {
    name: 'scripts of npm with different runners',
    output:
      `> p@1.0.0 test:unit\n> jest\n\n${jest('2 passed, 2 total')}\n\n` +
      '> p@1.0.0 test:rest\n> mocha\n\n  3 passing (4ms)\n  1 pending\n',
    counts: [5, 0, 1, 6],
  },
]
