/**
 * Where a command runs, judged by the whole engine: a `cd` that may have failed leaves the text in
 * either folder, and what it does has to be fine in both.
 */
import { expect, test } from 'vitest'
import { guardedRun } from './guarded-run.ts'

const check = guardedRun({
  allowed_tools: ['Bash', 'Write'],
  allowed_commands: [
    ...['cd', 'pushd', 'popd', 'command', 'builtin', 'env', 'eval', 'echo', 'wc', 'rm', 'tee'],
    ...['make', 'npm', 'ls', 'mkdir', 'pytest', 'bash'],
  ],
})

function verdictOn(command: string): string {
  const { verdict, code } = check('Bash', { command })
  return verdict === 'allow' ? 'allow' : `${verdict} ${code}`
}

test.each([
  ...['cd sub; echo x > ../x', 'cd sub\necho x > ../x', 'cd sub || true; echo x > ../x'],
  ...['cd sub && make; echo x > ../x', 'cd sub & echo x > ../x', '(cd sub); echo x > ../x'],
  ...['cd sub | wc; echo x > ../x', 'pushd sub; echo x > ../x', 'true; cd sub; wc < ../x'],
  ...['(cd sub; echo x > ../x)', '{ cd sub; make; } && echo x > ../x', 'echo "$(cd a; wc < ../x)"'],
  ...['! cd sub && echo x > ../x', 'cd a || cd b; echo x > ../x', 'cd a && cd b; echo x > ../x'],
  ...[
    'cd sub || echo x > ../x',
    'cd sub || return; echo x > ../x',
    'cd /work/app/sub; echo x > ../x',
  ],
  ...['if cd sub || exit; then make; else echo x > ../x; fi', `eval 'cd sub'; echo x > ../x`],
  ...['if test -d a; then cd a || exit; else echo x > ../x; fi', 'set -e; cd sub; echo x > ../x'],
  ...['case $X in a) cd a || exit;; *) echo x > ../x;; esac', 'cd sub; popd; echo x > ../x'],
  ...['{ cd sub || exit; } > no/log; echo x > ../x', 'cd sub || exit | wc; echo x > ../x'],
  ...['cd sub || { exit 1 & }; echo x > ../x', 'cd sub || (exit 1); echo x > ../x'],
  ...['cd a "$(echo x > ../x)"', 'cd a && cd b "$(echo x > ../../x)"'],
  ...['env cd sub && echo x > ../x', 'pushd -n sub && echo x > ../x'],
  ...['for i in 1 2; do echo x > x; cd "$D"; done', 'cd a; cd b; cd c; cd d; cd e; echo x > ../x'],
])('what lands outside when a `cd` fails is denied: %j', (command) => {
  expect(verdictOn(command)).toBe('deny PATH_OUT_OF_SCOPE')
})

test.each([
  ...['cd sub; cd ..; rm x', 'cd sub && make; cd ..; make', 'cd sub; tee ../x'],
  ...['for i in 1 2; do rm x; cd ..; done', 'while cd ..; do rm x; done'],
  ...['cd sub; pytest --config-file ../x'],
  ...['if true; then cd ..; fi; rm x', 'cd sub && pytest --config-file ../../x'],
])('what would run or reach outside when a `cd` fails is denied: %j', (command) => {
  expect(verdictOn(command)).toBe('deny COMMAND_NOT_ALLOWED')
})

test.each([
  ...['cd packages/core; npm test', 'cd src\nls', 'cd x; make > build.log', 'cd a; cd b; ls > c'],
  ...['cd sub && echo x > ../x', 'cd sub && make && cd .. && make > log', 'cd a && wc < ../x'],
  ...['cd sub || exit 1; echo x > ../x', 'cd sub || exit $?\necho x > ../x', '(cd a && make); ls'],
  ...['cd sub || { echo no >&2; exit 1; }; echo x > ../x', 'cd a || cd b || exit; make > ../log'],
  ...[`bash -c 'cd a || exit; wc < ../x'`],
  ...['mkdir -p a && cd a && tee ../x', 'cd sub && pytest --config-file ../x', 'cd sub && ls; ls'],
  ...['cd /work/app/sub && pytest --config-file ../x'],
  ...[
    'if test -d a; then cd a; fi; make > log',
    'pushd a; make; popd',
    'command cd a && wc < ../x',
  ],
  ...[
    'for d in a b; do (cd a && make > ../log); done',
    'cd a && make && cd ..; cd b && make > log',
  ],
  ...['(cd a && make > ../log); (cd b && make > ../log)', 'time cd a && wc < ../x'],
])('what stays inside whether or not a `cd` works is allowed: %j', (command) => {
  expect(verdictOn(command)).toBe('allow')
})
