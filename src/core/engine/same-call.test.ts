/** Which calls count as the same, made again. */
import { expect, test } from 'vitest'
import { readShell } from '../shell/read-shell.ts'
import { contentKey } from './same-call.ts'

const keyOf = (tool: string, input: object): string => contentKey({ tool, input: input as never })

const key = (command: string): string => keyOf('Bash', { command })

const same: readonly string[] = [
  ...[' npm   test ', 'npm "test"', 'echo again; npm test', 'npm test; echo $?', 'npm test 2>&1'],
  ...['npm test | tail -5', 'npm test || true', 'sleep 1 && npm test', 'npm test # once more'],
  ...['npm test > /dev/null', '(npm test)', 'date; npm test', 'npm test\n'],
]
test.each(same)('`%s` is `npm test` again', (command) => {
  expect(key(command)).toBe(key('npm test'))
})

const other: readonly string[] = [
  ...[
    'npm run test',
    'CI=1 npm test',
    'cd packages/a && npm test',
    'npm test -- a',
    'npm test > a',
  ],
  ...['npm install; npm test', 'npm test < a', 'npm test $X', 'npm test; npm test', '$(npm test)'],
]
test.each(other)('`%s` is another call than `npm test`', (command) => {
  expect(key(command)).not.toBe(key('npm test'))
})

test.each([
  ['npm test $X', 'npm test $Y'],
  ['cat a', 'cat b'],
  ['npm test > a', 'npm test > b'],
  ['cat <<X | psql\n1\nX', 'cat <<X | psql\n2\nX'],
  ['cat a | psql', 'cat b | psql'],
  ['if', 'if then'],
  // What is said, read or kept before may be what the rest works on.
  ["cat > a.js <<'E'\n1\nE\nnode a.js", "cat > a.js <<'E'\n2\nE\nnode a.js"],
  ['echo 1 > a.ts; npm test', 'echo 2 > a.ts; npm test'],
  ['cat a > b; npm test', 'cat c > b; npm test'],
  ['X=$(cat a) npm test', 'X=$(cat b) npm test'],
  ['X=$(cat a); npm test', 'X=$(cat b); npm test'],
  ['x=(a b); node $x', 'x=(c d); node $x'],
  ['while read x; do node $x; done <<< a', 'while read x; do node $x; done <<< b'],
  ['(( i = 1 )); node $i', '(( i = 2 )); node $i'],
  // It may be this one that failed.
  ['grep x a && npm test', 'grep y a && npm test'],
  ['test -f a && npm test', 'test -f b && npm test'],
])('`%s` and `%s` are not the same', (one, two) => {
  expect(key(one)).not.toBe(key(two))
})

test('the order of fields and notes beside a command say nothing', () => {
  const nested = (input: object): string => keyOf('mcp__x__y', input)
  expect(nested({ a: 1, b: { c: 1, d: 2 } })).toBe(nested({ b: { d: 2, c: 1 }, a: 1 }))
  expect(nested({ a: 1 })).not.toBe(nested({ a: 2 }))
  const noted = { description: 'again', command: 'npm test', timeout: 5 }
  expect(keyOf('Bash', noted)).toBe(key('npm test'))
})

test('a reading at hand gives the same key, if it is of the same text and folder', () => {
  const withReading = (command: string, text: string, start: string): string =>
    contentKey({ tool: 'Bash', input: { command }, shell: readShell(text, start) })
  expect(withReading('npm test | tail', 'npm test | tail', '')).toBe(key('npm test'))
  expect(withReading('npm test', 'npm run lint', '')).toBe(key('npm test'))
  expect(withReading('npm test', 'npm test', 'packages/a')).toBe(key('npm test'))
})
