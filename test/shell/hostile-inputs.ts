/**
 * Inputs that nobody sends by accident: huge, deep, broken, of the wrong type. Made by functions,
 * because most of them are too big to be written down.
 */

export type Hostile = { readonly name: string; readonly make: () => unknown }

const megabyte = 1_048_576
const deep = 10_000

/** Commands: a text each. */
export const hostileCommands: readonly Hostile[] = [
  { name: '1 MB of one word', make: () => `ls ${'a'.repeat(megabyte)}` },
  { name: '1 MB of words', make: () => 'ls x '.repeat(megabyte / 5) },
  { name: '1 MB of commands', make: () => 'ls; '.repeat(megabyte / 4) },
  { name: '1 MB of pipes', make: () => `ls${'|ls'.repeat(megabyte / 3)}` },
  { name: '1 MB of blanks', make: () => `ls${' '.repeat(megabyte)}` },
  { name: '1 MB of line ends', make: () => `ls${'\n'.repeat(megabyte)}` },
  { name: '1 MB of one quote', make: () => `ls '${'x'.repeat(megabyte)}'` },
  { name: '1 MB of backslashes', make: () => `ls ${'\\'.repeat(megabyte)}` },
  { name: '1 MB of comments', make: () => '# x\n'.repeat(megabyte / 4) },
  { name: '1 MB here-document', make: () => `cat <<EOF\n${'x\n'.repeat(megabyte / 2)}EOF\n` },
  { name: '64 KB of commands', make: () => 'ls;'.repeat(21_845) },
  { name: '64 KB of braces', make: () => `ls ${'{a,b}'.repeat(13_000)}` },
  { name: '64 KB of globs', make: () => `ls ${'*?[a]'.repeat(13_000)}` },
  { name: '64 KB of expansions', make: () => `ls ${'$x'.repeat(32_000)}` },
  { name: '64 KB of substitutions', make: () => `ls ${'$(ls)'.repeat(13_000)}` },
  { name: '64 KB of backticks', make: () => `ls ${'`ls`'.repeat(16_000)}` },
  { name: '64 KB of assignments', make: () => `${'x=1 '.repeat(16_000)}ls` },
  { name: '64 KB of redirections', make: () => `ls ${'>a '.repeat(21_000)}` },
  { name: '64 KB of here-document starts', make: () => `cat ${'<<A '.repeat(16_000)}\n` },
  { name: '64 KB of strange letters', make: () => `ls ${'\u200b'.repeat(65_000)}` },
  { name: '64 KB of quoted strange letters', make: () => `ls ${"'\u200b'".repeat(21_000)}` },
  { name: 'many folders', make: () => 'cd a/../b/c; ls > ../x\n'.repeat(900) },
  { name: 'many loops that move', make: () => 'for i in 1; do cd a; ls > x; done\n'.repeat(600) },
  {
    name: 'loops that move in one another',
    make: () => `${'for i in 1; do cd a; '.repeat(300)}ls > x${'; done'.repeat(300)}`,
  },
  { name: 'globs just below the limit', make: () => `ls ${'*?[a]'.repeat(4_000)}` },
  { name: 'braces just below the limit', make: () => `ls ${'{a,b}'.repeat(11_900)}` },
  { name: 'nested substitutions', make: () => `${'$('.repeat(deep)}ls${')'.repeat(deep)}` },
  { name: 'nested quoted ones', make: () => `ls ${'"$('.repeat(deep)}ls${')"'.repeat(deep)}` },
  { name: 'nested brackets', make: () => `${'('.repeat(deep)}ls${')'.repeat(deep)}` },
  { name: 'spaced nested brackets', make: () => `${'( '.repeat(deep)}ls${' )'.repeat(deep)}` },
  { name: 'nested groups', make: () => `${'{ '.repeat(deep)}ls;${' };'.repeat(deep)}` },
  { name: 'nested parameters', make: () => `ls ${'${x:-'.repeat(deep)}a${'}'.repeat(deep)}` },
  { name: 'nested calculations', make: () => `ls $((${'('.repeat(deep)}1${')'.repeat(deep)}))` },
  { name: 'nested subscripts', make: () => `ls $((${'a['.repeat(deep)}1${']'.repeat(deep)}))` },
  { name: 'nested braces', make: () => `ls ${'{a,'.repeat(deep)}b${'}'.repeat(deep)}` },
  { name: 'nested streams', make: () => `ls ${'<('.repeat(deep)}ls${')'.repeat(deep)}` },
  { name: 'nested ifs', make: () => `${'if ls; then '.repeat(deep)}ls${'; fi'.repeat(deep)}` },
  {
    name: 'nested loops',
    make: () => `${'while ls; do '.repeat(4_000)}ls${'; done'.repeat(4_000)}`,
  },
  {
    name: 'nested cases',
    make: () => `${'case x in x) '.repeat(4_000)}ls${';; esac'.repeat(4_000)}`,
  },
  { name: 'nested tests', make: () => `[[ ${'( '.repeat(deep)}a${' )'.repeat(deep)} ]]` },
  { name: 'nested negations', make: () => `[[ ${'! '.repeat(deep)}a ]] && ls` },
  { name: 'nested patterns', make: () => `ls ${'@('.repeat(deep)}a${')'.repeat(deep)}` },
  { name: 'nested backticks', make: nestedBackticks },
  { name: 'nested quotes', make: () => `ls ${'"\''.repeat(deep)}` },
  { name: 'nested here-documents', make: nestedHereDocuments },
  { name: 'nested shells', make: () => `${'bash -c "'.repeat(500)}ls${'"'.repeat(500)}` },
  { name: 'nested wrappers', make: () => `${'env '.repeat(deep)}ls` },
  { name: 'nested evals', make: () => `${'eval '.repeat(deep)}ls` },
  { name: 'open substitutions', make: () => 'ls $('.repeat(deep) },
  { name: 'open brackets', make: () => '('.repeat(deep) },
  { name: 'open quotes', make: () => `ls ${'"$(\''.repeat(deep)}` },
  { name: 'open braces', make: () => `ls ${'{'.repeat(60_000)}` },
  { name: 'a lone high surrogate', make: () => 'ls \ud800' },
  { name: 'a lone low surrogate', make: () => "echo '\udc00'" },
  { name: 'a surrogate as a command', make: () => '\ud83d' },
  { name: 'a NUL byte', make: () => 'ls\0; rm' },
  { name: 'a quoted NUL byte', make: () => "echo 'a\0b'" },
  { name: 'only NUL bytes', make: () => '\0'.repeat(1_000) },
  { name: 'a carriage return', make: () => 'ls\r\nrm' },
  { name: 'an escape sequence', make: () => 'ls \u001b[2J; rm' },
  { name: 'a direction override', make: () => '\u202els' },
  { name: 'a zero-width command', make: () => 'l\u200bs' },
  { name: 'nothing', make: () => '' },
  { name: 'blanks', make: () => ' \t\n ' },
]

/**
 * Texts in which a careless pattern looks at everything again from each of its letters. The
 * programs among them have to be on the list for their words to be looked at.
 */
export const patternTraps: readonly Hostile[] = [
  { name: 'quotes in a calculation', make: () => `ls $((${'\\\\'.repeat(32_000)}))` },
  { name: 'quotes in a here-document', make: () => `cat <<E\n\${x:-${"'".repeat(20_000)}}\nE\n` },
  { name: 'quoted invisible letters', make: () => `ls ${"'\u200b'".repeat(11_000)}` },
  { name: 'quotes at the end of a path', make: () => `ls "/proc/${"'".repeat(20_000)}x"` },
  { name: 'dots in code', make: () => `python3 -c '$TOKEN ${'.'.repeat(60_000)}'` },
  { name: 'imports in code', make: () => `python3 -c '${'import environ '.repeat(4_300)}'` },
  { name: 'empty lines for sqlite', make: () => `sqlite3 "${'\n'.repeat(11_000)}"` },
  { name: 'carriage returns for sqlite', make: () => `sqlite3 "${'\r'.repeat(60_000)}"` },
  { name: 'copies for psql', make: () => `psql -c "${'\\\\copy '.repeat(9_000)}"` },
  { name: 'options for pytest', make: () => `pytest -o "${'addopts='.repeat(7_900)}"` },
  { name: 'a pipe and blanks for awk', make: () => `awk '|${' '.repeat(19_000)}'` },
  { name: 'prints for awk', make: () => `awk '${'print '.repeat(3_300)}'` },
  { name: 'blanks in paths', make: () => `rm ${`'.git${' '.repeat(3_900)}x' `.repeat(16)}` },
  { name: 'dots in paths', make: () => `rm ${`'.git${'. '.repeat(1_950)}x' `.repeat(16)}` },
  { name: 'commas in paths', make: () => `rm ${`'.git{${','.repeat(4_000)}' `.repeat(16)}` },
  { name: 'scripts and files', make: () => 'bash x;'.repeat(900) + 'cat <y;'.repeat(900) },
]

function nestedBackticks(): string {
  let text = 'ls'
  for (let depth = 0; depth < 12; depth += 1) {
    text = `echo \`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
    if (text.length > megabyte) break
  }
  return text
}

function nestedHereDocuments(): string {
  const open: string[] = []
  const close: string[] = []
  for (let depth = 0; depth < 2_000; depth += 1) {
    open.push(`cat <<E${depth}\n$(`)
    close.push(`\n)\nE${depth}\n`)
  }
  return `${open.join('')}ls${close.reverse().join('')}`
}

/** What may stand where a text or an object should. */
export const wrongTypes: readonly Hostile[] = [
  { name: 'null', make: () => null },
  { name: 'undefined', make: () => undefined },
  { name: 'a number', make: () => 42 },
  { name: 'not a number', make: () => Number.NaN },
  { name: 'true', make: () => true },
  { name: 'an empty object', make: () => ({}) },
  { name: 'an empty list', make: () => [] },
  { name: 'a list of texts', make: () => ['ls', '; rm'] },
  { name: 'a nested list', make: () => [[['ls']]] },
  { name: 'an object with toString', make: () => ({ toString: () => 'ls' }) },
  { name: 'an object without a prototype', make: () => Object.create(null) },
  { name: 'a text object', make: () => Object('ls') },
  { name: 'a big number', make: () => 10n },
  { name: 'a symbol', make: () => Symbol('ls') },
  { name: 'a function', make: () => () => 'ls' },
  { name: 'a date', make: () => new Date(0) },
  { name: 'a map', make: () => new Map([['command', 'ls']]) },
  { name: 'bytes', make: () => new Uint8Array([108, 115]) },
  { name: 'a prototype key', make: () => JSON.parse('{"__proto__": {"command": "ls"}}') },
  { name: 'a deep list', make: () => nest(5_000) },
  { name: 'itself', make: () => knot() },
]

function nest(depth: number): unknown {
  let value: unknown = 'ls'
  for (let i = 0; i < depth; i += 1) value = [value]
  return value
}

function knot(): unknown {
  const value: Record<string, unknown> = {}
  value.command = value
  return value
}
