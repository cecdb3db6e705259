import { expect, test } from 'vitest'
import { changesNothing } from './changes-nothing.ts'
import { readShell } from './read-shell.ts'

const idle = [
  ...['true', ':', 'sleep 5', 'ls -la', 'cat a.ts', 'grep -rn x src', 'echo again', 'pwd'],
  ...[
    'cd src && ls',
    'cat a.ts | head -5',
    'git status',
    'git diff a.ts',
    'date; id',
    'ls 2>/dev/null',
  ],
]
const others = [
  ...['', 'npm test', 'touch a', 'echo x > a', 'cat a.ts; rm a.ts', 'git checkout a', 'ls $(rm a)'],
  ...['f() { rm a; }; f', 'x=1 true', 'sed -i s/a/b/ a.ts', 'find . -delete', '"$x"', 'sh -c true'],
  ...['env rm a', 'true && npm run build'],
]

test.each(idle)('`%s` changes nothing', (text) => {
  expect(changesNothing(readShell(text))).toBe(true)
})

test.each(others)('`%s` may change something', (text) => {
  expect(changesNothing(readShell(text))).toBe(false)
})
