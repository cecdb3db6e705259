/** Words that become none or another when a variable is empty: what stands behind them moves. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
import { expect, test } from 'vitest'
import { readShell } from './read-shell.ts'
import { ruleOnShellWrites } from './rule-on-shell-writes.ts'

const deletes = (word: string, before = '') => `${before} find . ! -name ${word} -path -delete`
const answers = (command: string) => ruleOnShellWrites(readShell(command))

test.each([
  ...['"$@"', '"${@:2}"', '"${a[@]}"', '"${a[@]:1}"', '"${!a[@]}"', '"${!X@}"', '"$@""$@"'],
  ...['$USER', '${X+y}', '${X-y}', '${X/a/b}', '${X:-$Y}', '{$X,$Y}', '{$X,}$Y', '{`a`,$Y}'],
])('a word that may vanish moves the next: %s', (word) => {
  expect(answers(deletes(word))).not.toBeNull()
})

test.each([
  ...['false && X=foo;', '(X=foo);', 'X=foo true;', 'X=foo; unset X;', 'X=foo; read X </dev/null;'],
  ...['f(){ local X=a; };', 'X=foo; X=$(true);', 'X=foo &', 'if false; then X=foo; fi;'],
  ...['X=foo; unset $Y;', 'X=foo; read $Y;', 'X=foo; printf -v X "";', 'X=foo; X=("");'],
  ...['until X=foo; do :; done;', 'for X in foo; do :; done;', 'y="$X"; false && X=foo;'],
])('a variable may have no value in spite of: %s', (before) => {
  for (const word of ['$X', '${X}', '${X/o/p}', '${X%z}', '"${X[@]}"']) {
    expect(answers(deletes(word, before)), word).not.toBeNull()
  }
})

test.each([
  ...['unset USER; find . ! -name $USER -path -delete', 'unset PATH; find . -name $PATH -delete'],
  'unset HOSTNAME; find . ! -name $HOSTNAME -path -delete',
  'false && X=foo; sort $X-oout in',
  'false && X=foo; y=$X-oout; sort $y in',
])('what always has a value may be taken away: %s', (command) => {
  expect(answers(command)).not.toBeNull()
})

test('one or two of many variables may be empty', () => {
  const others = '"$A$B$C$D$E$F"'
  expect(answers(`git grep -e $BASH -e $X -e -Otouch x ${others}`)).not.toBeNull()
  expect(answers(`find . -path ${others} -o ! -name $BASH -path -delete`)).not.toBeNull()
  const many = Array.from({ length: 30 }, (_, i) => `! -name $V${i}`).join(' ')
  expect(answers(`find . ${many} -name a`)?.reason).toMatch(/too many values/)
})

test.each([
  'find . -name ${X:-foo} -print',
  'git log -n ${N:-5} --oneline',
  'find . ! -name "$X" -print',
  'X=foo; find . ! -name $X -print',
  'for X in a b; do grep -n $X src/a; done',
  'git diff $A..$B --stat -- src',
  'ls {$X,$Y}',
  'cat "$@"',
  'npx vitest run "$@"',
])('what cannot do harm either way passes: %s', (command) => {
  expect(answers(command)).toBeNull()
})

test('three thousand variables are read at once', () => {
  const text = Array.from({ length: 3_000 }, (_, i) => `-name $V${i}`).join(' ')
  const begin = performance.now()
  expect(answers(`find . ${text} -delete`)).not.toBeNull()
  expect(performance.now() - begin).toBeLessThan(1_000)
})
