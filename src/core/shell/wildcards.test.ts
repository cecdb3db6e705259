// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeEntry } from '../shell-view/describe-entry.ts'
import { readShell } from './read-shell.ts'
import { ruleOnCommands } from './rule-on-commands.ts'

function isAllowed(command: string, list: readonly string[]): boolean {
  return ruleOnCommands(readShell(command), list, '/w') === null
}

/** An entry, the commands it covers, and similar ones that it does not. */
const entries: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'npm run *',
    [
      'npm run build',
      'npm run test -- --bail',
      'npm run "x y"',
      'npm run $SCRIPT',
      'CI=1 npm run a',
    ],
    ['npm run', 'npm test', 'npm install', 'npm --prefix x run a', 'npmrun a', 'npx run a'],
  ],
  [
    'git log*',
    ['git log', 'git log --oneline -5', 'git log -p -- src', 'git log | head -3'],
    ['git lo', 'git show', 'git --exec-path=. log', 'git -C / log', 'git push'],
  ],
  [
    'npm run test:*',
    ['npm run test:unit', 'npm run test:unit:fast -- -u', 'npm run test:'],
    ['npm run test', 'npm run build', 'npm run', 'npm run test/x:y', 'npm run "test unit"'],
  ],
  [
    'pytest*',
    ['pytest', 'pytest -q', 'pytest-3 tests', 'pytest-watch'],
    ['py', '/usr/bin/pytest', './pytest', 'pytest/evil', 'xpytest'],
  ],
  [
    'git * main',
    ['git push main', 'git checkout main', 'git diff main -- src'],
    ['git main', 'git push origin main', 'git push', 'git push mainline', 'git $X main'],
  ],
  [
    './scripts/*.sh',
    ['./scripts/a.sh', './scripts/a-b.sh --fast'],
    ['./scripts/../evil.sh', './scripts/sub/a.sh', 'scripts/a.sh', './scripts/a.py', './scripts/'],
  ],
  [
    'cat src/*',
    ['cat src/a.ts', 'cat src/a/b.ts', 'cat src/*', 'cat src/*.ts', 'cat src/'],
    [
      'cat src',
      'cat src/../.env',
      'cat src/a/../../.env',
      'cat srcs/a',
      'cat src/%2e%2e/x',
      'cat *',
    ],
  ],
  [
    'eslint src/*.ts',
    ['eslint src/a.ts', 'eslint src/*.ts', 'eslint src/a*.ts --fix'],
    ['eslint src/a/b.ts', 'eslint src/a.js', 'eslint src/[ab].js', 'eslint a.ts'],
  ],
  [
    'timeout * npm test',
    ['timeout 60 npm test', 'timeout 5m npm test -- --bail'],
    ['timeout 60 npm run x', 'timeout 60 rm -rf x', 'npm test', 'timeout 60 60 npm test'],
  ],
  ['timeout * *', [], ['timeout 60 rm x', 'timeout 60 npm test']],
  [
    'curl https://api.test/*',
    ['curl https://api.test/v1', 'curl https://api.test/v1/x?y=1 -s'],
    [
      'curl https://api.test/v1 https://evil.test/',
      'curl https://api.test.evil.test/',
      'curl https://api.test/../x',
      'curl -x http://evil.test https://api.test/',
      'curl https://api.test/v1 -o /etc/x',
    ],
  ],
  [
    'curl https://*.test/*',
    ['curl https://api.test/v1', 'curl https://a.b.test/'],
    ['curl https://evil.com/.test/x', 'curl https://evil.com#.test/', 'curl https://a@evil.test/'],
  ],
  ["grep 'a*b'", ["grep 'a*b' f", 'grep a\\*b f'], ['grep aXb f', 'grep ab f']],
  ['ls \\*', ["ls '*'"], ['ls x']],
  ['npm exec *', ['npm exec vitest', 'npm exec -- tsc -p .'], ['npm run x']],
  ['npx *', ['npx vitest run', 'npx -y tsc'], ['npm exec x']],
  ['npm *', ['npm test', 'npm ci', 'npm run build'], ['npm exec -- rm x', 'npm x rm', 'npm']],
  ['py*', ['pytest', 'pyright src'], ['python x.py', 'python3 -c 1', 'pypy3 x.py']],
  ['python3*', ['python3 x.py', 'python3.12 -m pytest'], ['pytest', 'perl x.pl']],
  ['*sh', [], ['bash x.sh', 'sh -c ls', 'zsh', './x.sh']],
  ['* --version', [], ['node --version', 'rm --version', 'ls --version']],
  ['*', [], ['ls', 'npm test', 'rm x']],
]

test.each(entries.flatMap(([entry, covered]) => covered.map((command) => [entry, command])))(
  '`%s` covers `%s`',
  (entry, command) => {
    expect(ruleOnCommands(readShell(command ?? ''), [entry ?? ''], '/w')).toBeNull()
  },
)

test.each(entries.flatMap(([entry, , others]) => others.map((command) => [entry, command])))(
  '`%s` does not cover `%s`',
  (entry, command) => {
    expect(ruleOnCommands(readShell(command ?? ''), [entry ?? ''], '/w')).not.toBeNull()
  },
)

test.each([
  ...[
    'npm run a; rm x',
    'npm run a && rm x',
    'npm run a | sh',
    'npm run a $(rm x)',
    'npm run `rm x`',
  ],
  ...[
    'npm run a\nrm x',
    'npm run a & rm x',
    'npm run <(rm x)',
    'npm run a || curl x',
    '(npm run a; rm x)',
  ],
])('a wildcard stays inside its own command: %s', (command) => {
  expect(isAllowed(command, ['npm run *'])).toBe(false)
})

test.each([
  ['find *', 'find . -delete'],
  ['find . *', 'find . -name x -delete'],
  ['git *', 'git -c core.pager=./x log'],
  ['git log *', 'git log --output=x'],
  ['git clone *', 'git clone ext::sh'],
  ['go test *', 'go test -exec ./x ./...'],
  ['npm run *', 'npm run --script-shell=./x a'],
  ['npm *', 'npm --script-shell=./x test'],
  ['make *', 'make --eval=x'],
  ['make *', 'make SHELL=./x'],
  ['rg *', 'rg --pre ./x y'],
  ['tar *', 'tar --to-command=./x -xf a.tar'],
  ['sed *', "sed 's/a/b/e' f"],
  ['awk *', 'awk \'BEGIN{system("x")}\''],
])('what runs code has to be named: `%s` does not cover `%s`', (entry, command) => {
  expect(isAllowed(command, [entry])).toBe(false)
})

test.each([
  ['npm run *', '`npm run`, a word, and whatever follows'],
  ['git log*', '`git`, a word that begins with `log`, and whatever follows'],
  ['eslint src/*.ts', '`eslint`, a word like `src/*.ts`, and whatever follows'],
  ['timeout * npm test', '`timeout`, a word, `npm test`, and whatever follows'],
  [
    'py*',
    'a program that begins with `py`, and whatever follows; no shell or interpreter unless named',
  ],
  ['*', 'any command, as if there were no list'],
  ['* --version', null],
  ['npm test', null],
  ["grep 'a*b'", null],
])('%j is described', (entry, text) => {
  expect(describeEntry(entry)).toBe(text)
})

// ── properties ──────────────────────────────────────────────────────────────

const piece = fc.constantFrom(
  'npm',
  'run',
  'a',
  'ab',
  'b',
  'test:x',
  'src/a',
  'src/b/c',
  '..',
  '-x',
)
const plainWords = fc.array(piece, { minLength: 1, maxLength: 5 })
/** Words with some of their characters replaced by a `*`. */
const starred = fc
  .tuple(piece, fc.constantFrom('', 'head', 'tail', 'all', 'middle'))
  .map(([word, where]) => {
    if (where === 'head') return `*${word.slice(1)}`
    if (where === 'tail') return `${word.slice(0, -1)}*`
    if (where === 'middle') return `${word.slice(0, 1)}*${word.slice(-1)}`
    return where === 'all' ? '*' : word
  })
const anyEntry = fc.array(starred, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))

/** What an entry can mean at most: a `*` is any text of its word. */
function couldMatch(entry: string, words: readonly string[]): boolean {
  const wanted = entry.split(' ')
  if (words.length < wanted.length) return false
  return wanted.every((word, at) => {
    const pattern = word.split('*').map((text) => text.replace(/[.\\/-]/g, '\\$&'))
    return new RegExp(`^${pattern.join('.*')}$`, 's').test(words[at] ?? '')
  })
}

test('an entry never allows a command whose words it does not match', () => {
  const property = fc.property(anyEntry, plainWords, (entry, words) => {
    if (isAllowed(words.join(' '), [entry])) expect(couldMatch(entry, words)).toBe(true)
  })
  fc.assert(property, { numRuns: 3_000 })
})

test('an entry with a wildcard allows no more than its fixed first words do', () => {
  const property = fc.property(anyEntry, plainWords, (entry, words) => {
    const wanted = entry.split(' ')
    const at = wanted.findIndex((word) => word.includes('*'))
    if (at < 1 || !isAllowed(words.join(' '), [entry])) return
    expect(isAllowed(words.join(' '), [wanted.slice(0, at).join(' ')])).toBe(true)
  })
  fc.assert(property, { numRuns: 3_000 })
})

const frames = ['%', '% | head -3', '% && %', 'timeout 5 %', 'env CI=1 %', 'npx %', '(%)', 'X=$(%)']
const texts = fc
  .tuple(plainWords, fc.constantFrom(...frames))
  .map(([words, frame]) => frame.replaceAll('%', words.join(' ')))
const everydayList = fc.subarray(
  [
    'npm',
    'npm run',
    'timeout',
    'timeout 5 npm',
    'timeout * npm',
    'npx',
    'npx npm run',
    'a',
    'env',
    'sed',
  ],
  { minLength: 1 },
)
const moreEntries = fc.oneof(
  anyEntry,
  anyEntry.map((entry) => `timeout 5 ${entry}`),
)

test('one more entry never denies what was allowed', () => {
  const property = fc.property(texts, everydayList, moreEntries, (text, list, entry) => {
    if (isAllowed(text, list)) expect(isAllowed(text, [entry, ...list])).toBe(true)
  })
  fc.assert(property, { numRuns: 3_000 })
})

test('a wildcard with many parts against a long word ends soon', () => {
  const entry = `a ${'*b'.repeat(1_500)}*c`
  expect(isAllowed(`a ${'b'.repeat(50_000)}`, [entry])).toBe(false)
  expect(isAllowed(`a ${'b'.repeat(50_000)}c`, [entry])).toBe(true)
})
