import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandCharsMax, readShell } from './read-shell.ts'
import { ruleOnCommands } from './rule-on-commands.ts'
import { ruleOnEnv } from './rule-on-env.ts'
import { ruleOnShellWrites } from './rule-on-shell-writes.ts'
import { shellEdits } from './shell-paths.ts'
import type { GoodReading } from './shell-reading.ts'

function read(command: string): GoodReading {
  const reading = readShell(command)
  if (!reading.ok) throw new Error(`not read: ${reading.reason} at ${reading.token}`)
  return reading
}

function wordsOf(command: string): readonly (readonly (string | null)[])[] {
  return read(command).commands.map((one) => one.words)
}

test('words are compared after quote removal', () => {
  expect(wordsOf(`"npm" t'es't \\-q $'\\x72m'`)).toEqual([['npm', 'test', '-q', 'rm']])
})

test('a word that is only known when it runs is null, and its beginning is kept', () => {
  const [command] = read('git log --output="$X" $Y').commands
  expect(command?.words).toEqual(['git', 'log', null, null])
  expect(command?.starts).toEqual(['git', 'log', '--output=', ''])
})

test('braces become the words that bash makes of them', () => {
  expect(wordsOf('ls src/{a,b{1,2}} {1..3}')).toEqual([
    ['ls', 'src/a', 'src/b1', 'src/b2', '1', '2', '3'],
  ])
  expect(wordsOf('ls {a{b,c},{1..2}d}')).toEqual([['ls', 'ab', 'ac', '1d', '2d']])
  // Without a comma of its own the outer pair stays: bash says `c {a} {b}`.
  expect(wordsOf('ls {c,{{a,b}}}')).toEqual([['ls', null]])
})

test.each([
  ['a | b && c; d & e', ['a', 'b', 'c', 'd', 'e']],
  ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
  ['for x in $(a); do b; done', ['b', 'a']],
  ['case $(a) in $(b)) c;; esac', ['a', 'b', 'c']],
  ['a "$(b `c`)" <(d) > >(e)', ['a', 'b', 'c', 'd', 'e']],
  ['cat <<E\n$(a)\nE', ['cat', 'a']],
  ['[[ $(a) ]] && (( $(b) ))', ['a', 'b']],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is shell
  ['echo ${x:-$(a)} ${y/b/$(b)} $((c[$(c)]))', ['echo', 'a', 'b', 'c']],
  ['f() { a; }; (b); { c; }; ! d; time e', ['a', 'b', 'c', 'd', 'e']],
])('every simple command of `%s` is found', (command, names) => {
  const found = wordsOf(command).map((words) => words[0])
  expect([...found].sort()).toEqual([...names].sort())
})

test.each([
  ['env -u B A=1 nice -n 5 timeout 9 pytest', ['env', 'nice', 'timeout', 'pytest']],
  ['sudo -u me xargs -0 rm', ['sudo', 'xargs', 'rm']],
  ['find . -exec a {} + -o -ok b {} \\;', ['find', 'a', 'b']],
  [`bash -lc 'a; sh -c "b"'`, ['bash', 'a', 'sh', 'b']],
  [`eval 'a' 'b'; trap 'c' EXIT`, ['eval', 'a', 'trap', 'c']],
  ['watch -n 1 a b; strace -f c', ['watch', 'a', 'strace', 'c']],
  [`env -S 'a b'; command d; exec e`, ['env', 'a', 'command', 'd', 'exec', 'e']],
  [`bash <<'E'\na\nE`, ['bash', 'a']],
])('wrappers and what they wrap both stand there: `%s`', (command, names) => {
  const found = wordsOf(command).map((words) => words[0])
  expect([...found].sort()).toEqual([...names].sort())
})

const dirs = (command: string) =>
  Object.fromEntries(read(command).commands.map((one) => [one.words[0], one.dirs]))

test('where a command runs follows a `cd` that has worked, and ends with its subshell', () => {
  expect(dirs('a; cd x && b && cd y && c')).toMatchObject({ a: [''], b: ['x'], c: ['x/y'] })
  expect(dirs('cd x || exit; a; cd y || { b; exit 1; }; c')).toMatchObject({
    ...{ a: ['x'], b: ['x'], c: ['x/y'] },
  })
  expect(dirs('(cd x && a); b')).toMatchObject({ a: ['x'], b: [''] })
  expect(dirs(`bash -c 'cd x && a'; b`)).toMatchObject({ a: ['x'], b: [''] })
  expect(dirs('cd x && cd ../.. && a && cd /y/z && cd ../../.. && b')).toMatchObject({
    ...{ a: ['..'], b: ['/'] },
  })
  expect(dirs('cd && cd .. && a')).toMatchObject({ a: ['~/..'] })
})

test('after a `cd` that may have failed, a command may run in either folder', () => {
  expect(dirs('cd x; a; cd y; b')).toMatchObject({ a: ['', 'x'], b: ['', 'x', 'y', 'x/y'] })
  expect(dirs('cd x || a; b')).toMatchObject({ a: [''], b: ['', 'x'] })
  expect(dirs('cd x && a; b')).toMatchObject({ a: ['x'], b: ['', 'x'] })
  expect(dirs('cd x && cd y || a; b')).toMatchObject({ a: ['', 'x'], b: ['', 'x', 'x/y'] })
  expect(dirs('if p; then cd x; fi; a')).toMatchObject({ a: ['', 'x'] })
  expect(dirs('cd "$X"; a')).toMatchObject({ a: ['', null] })
})

test('where a loop moves, everything in it may run anywhere', () => {
  expect(dirs('for i in 1 2; do a; cd ..; b; done; c')).toMatchObject({
    ...{ a: ['', '..', null], b: ['', '..', null], c: ['', '..', null] },
  })
  expect(dirs('while p; do (cd x && a); done; b')).toMatchObject({ a: ['x'], b: [''] })
})

test('redirections into files are told from copies of descriptors', () => {
  const found = read('a > f 2>&1 >/dev/null < in &> "$X" 3>&- >> g')
  expect(found.redirections.map(({ kind, target }) => [kind, target])).toEqual([
    ['write', 'f'],
    ['read', 'in'],
    ['write', null],
    ['write', 'g'],
  ])
})

test.each([
  ['echo "abc', 'an open quote'],
  ['echo $(ls', 'an open substitution'],
  ['echo "$(ls | )"', 'an error inside of a substitution'],
  [`bash -c 'ls &&'`, 'an error inside of an inner script'],
  ['cat <<E\nx', 'a here-document without its end'],
  ['ls "$(($(case x in x)esac)F))"', 'the end of a case that ends arithmetic'],
  ['((  $(case x in x)esac)F ))', 'the same in a command of arithmetic'],
  ['ls\r\nrm x', 'a carriage return'],
  ['ls\u00a0-l', 'a blank that is none'],
  ['pytest\u200b', 'a character without width'],
  ['\u202els', 'a sign of direction'],
  ['ls \0', 'a zero'],
  ['echo "\0"', 'a zero in quotes'],
  ['ls \ud800', 'half a character'],
  ['2>&-rm ls', 'a word glued to a closed descriptor'],
  ['echo <(ls)#$(rm)', 'a comment that is none'],
  ['a'.repeat(commandCharsMax + 1), 'a text that is too long'],
])('not read: %#, %s', (command) => {
  expect(readShell(command).ok).toBe(false)
})

test.each([
  'echo "a\u00a0b" \'\u200d\'',
  'git commit -m "👩‍💻 done"',
  "cat <<'E'\na\u00a0b\r\nE",
  'pytest tests/тест_ю.py',
  'echo 日本語 é',
])('strange characters are fine where they are only text: %#', (command) => {
  expect(readShell(command).ok).toBe(true)
})

const hostile: readonly (readonly [string, string])[] = [
  ['substitutions', `echo ${'$('.repeat(10_000)}x${')'.repeat(10_000)}`],
  ['brackets', '('.repeat(30_000)],
  ['braces', `${'{'.repeat(20_000)}a${',b}'.repeat(10_000)}`],
  ['a megabyte', 'a'.repeat(1_048_576)],
  ['ticks', '`'.repeat(60_000)],
  ['sums', `echo $((${'1+'.repeat(30_000)}1))`],
  ['commands', 'ls;'.repeat(21_000)],
  ['wrappers', `${'env '.repeat(16_000)}ls`],
  ['expansions', '${x:-'.repeat(13_000)],
  ['tests', `[[ ${'! '.repeat(30_000)}x ]]`],
  ['words', `ls ${'a '.repeat(30_000)}`],
]

test.each(hostile)('a text made to hurt ends soon and unread: %s', (_, command) => {
  expect(readShell(command).ok).toBe(false)
  // WHY: generous, because machines that run tests are busy; seconds would be the fault.
})

const piece = fc.constantFrom(
  ...'ls rm $ ( ) { } [ ] < > | & ; # \' " ` \\ ! = \n \t ~ * ? , .. @ : - + 0 x=1 <<E E'.split(
    ' ',
  ),
  ' ',
  '$(',
  '${',
  '$((',
  '))',
  'bash -c ',
  'find . -exec ',
  'env ',
)

test('no text makes a rule throw, and every answer is a denial or none', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  )
  const property = fc.property(texts, (text) => {
    const reading = readShell(text)
    const answers = [
      ruleOnCommands(reading, ['ls', 'bash', 'find', 'env']),
      ruleOnShellWrites(reading),
      ruleOnEnv(reading, { blocked: ['X'], overridden: ['Y'] }),
    ]
    for (const answer of answers) expect(answer === null || answer.code.length > 0).toBe(true)
    expect(Array.isArray(shellEdits(reading, '/w'))).toBe(true)
  })
  fc.assert(property, { numRuns: 3_000 })
})

test('a text that is allowed stays allowed when it is only put in brackets', () => {
  const commands = fc.constantFrom('ls -l', 'ls "a b"', 'ls | wc', 'ls $HOME', 'ls *.ts', 'ls;ls')
  const list = ['ls', 'wc']
  fc.assert(
    fc.property(
      commands,
      fc.constantFrom('( % )', '{ %\n}', '! % ', 'if %; then %; fi'),
      (one, frame) => {
        expect(ruleOnCommands(readShell(frame.replaceAll('%', one)), list)).toBeNull()
      },
    ),
  )
})
