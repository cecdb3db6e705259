/**
 * Words of commands: quotes, escapes, expansions and patterns, with unlisted programs where bash
 * would run them and where it would not.
 */
import { strangers } from './allow-lists.ts'
import type { GrammarState } from './grammar-state.ts'

const plainWords: readonly string[] = [
  ...['a.txt', 'src', '-l', '--all', 'x', '1', '.', 'one=two', '-n', 'src/main.js', '--', '-'],
  ...['*.txt', 'src/*', '?.txt', '[ab].txt', '~', '{a,b}', '{1..3}', 'a{b,c}d', '!', '@{u}..'],
  ...['HEAD^', '%h', 'a=b', 'x:y', '+', '^x$', '}', '{', ']', 'if', 'then', 'é', '日本'],
]

/** One word; it may run something. */
export function word(make: GrammarState): string {
  const { random } = make
  make.fuel -= 1
  if (random.chance(2)) return `${word(make)}#$(${random.pick(strangers)})`
  if (random.chance(45) || make.fuel < -10) return random.pick(plainWords)
  if (random.chance(40)) return inertWord(make)
  return random.chance(50) ? expandingWord(make) : quotedWord(make)
}

/** A stranger that bash only reads. */
function inertWord(make: GrammarState): string {
  const { random } = make
  const stranger = random.pick(strangers)
  return random.pick([
    `'${stranger}'`,
    `'; ${stranger} x'`,
    `'$(${stranger})'`,
    `"; ${stranger}"`,
    `"a && ${stranger} | ${stranger}"`,
    `\\$\\(${stranger}\\)`,
    `"\\$(${stranger})"`,
    `"\\\`${stranger}\\\`"`,
    `\\;`,
    `\\& ${stranger}`,
    `a\\;${stranger}`,
    `$';${stranger}'`,
    `$'\\'; ${stranger} \\''`,
    `'it'\\''s; ${stranger}'`,
    `"#" `,
    `a#${stranger}`,
    `'\n${stranger}\n'`,
    `"\n${stranger}\n"`,
    `'\\'`,
    `"\\\\"`,
    `"'"`,
    `'"'`,
    `"it's ; ${stranger}"`,
    `'<(${stranger})'`,
    `"<(${stranger})"`,
    `"\${x}; ${stranger}"`,
    `$"; ${stranger}"`,
    `'>(${stranger})'`,
    `"!(${stranger})"`,
    `"$'; ${stranger}'"`,
  ])
}

/** Quotes around anything. */
function quotedWord(make: GrammarState): string {
  const { random } = make
  return random.pick([
    () => `"${inside(make)}"`,
    () => `"${inside(make)}${inside(make)}"`,
    () => `a"${inside(make)}"b`,
    () => `""`,
    () => `''`,
    () => `"a\\"b"`,
    () => `$'a\\tb\\n'`,
    () => `$'\\x3b'`,
    () => `"a\\\nb"`,
  ])()
}

/** What may stand between double quotes. */
function inside(make: GrammarState): string {
  const { random } = make
  if (random.chance(35) || make.fuel <= 0)
    return random.pick(['a b', "it's", '; ls', '#', '*', '$'])
  return expansion(make)
}

function expandingWord(make: GrammarState): string {
  const { random } = make
  if (make.fuel <= 0) return random.pick(['$x', '"$x"', '$1', '$?', '"$@"'])
  if (random.chance(75)) return expansion(make)
  return random.pick([
    () => `<(${make.list(make)})`,
    () => `>(${make.list(make)})`,
    () => `{a,$(${make.simple(make)})}`,
    () => `@(a|$(${make.simple(make)}))`,
    () => `x=$(${make.simple(make)})`,
    () => `~/$(${make.simple(make)})`,
  ])()
}

function expansion(make: GrammarState): string {
  const { random } = make
  return random.pick([
    () => `$(${make.list(make)})`,
    () => `$( ${make.list(make)} )`,
    () => `$(\n${make.list(make)}\n)`,
    () => `$(${make.simple(make)} # )\n)`,
    () => `\`${make.simple(make).replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
    () => '$x',
    () => `\${x}`,
    () => `\${x:-${word(make)}}`,
    () => `\${x:=${word(make)}}`,
    () => `\${x:+${word(make)}}`,
    () => `\${x:?${word(make)}}`,
    () => `\${x#${word(make)}}`,
    () => `\${x%%${word(make)}}`,
    () => `\${x/${word(make)}/${word(make)}}`,
    () => `\${x:${make.arithmetic(make)}}`,
    () => `\${x^^}`,
    () => `\${#x}`,
    () => `\${!x}`,
    () => `\${x@P}`,
    () => `\${x@Q}`,
    () => `\${a[${make.arithmetic(make)}]}`,
    () => `\${a[@]}`,
    () => `$((${make.arithmetic(make)}))`,
    () => `$[${make.arithmetic(make)}]`,
    () => `\${x:-"${inside(make)}"}`,
    () => `\${x:-'${random.pick(strangers)}'}`,
    () => `$(<a.txt)`,
    () => `$(case x in x) ${make.simple(make)};; esac)`,
    () => `\${ ${make.simple(make)}; }`,
  ])()
}

/** A line of a here-document. */
export function line(make: GrammarState): string {
  const { random } = make
  const stranger = random.pick(strangers)
  const quoted = [`\${x:-'$(${stranger})'}`, `\${x:-"$(${stranger})"}`, `'$(${stranger})'`]
  if (random.chance(make.strangeness)) return random.pick(quoted)
  const inert = [`${stranger} x`, `'$x'`, `"; ${stranger}`, `\\$(${stranger})`, '# x', "it's", 'EO']
  if (make.fuel <= 0 || random.chance(60)) return random.pick(inert)
  return `a ${expansion(make)} b`
}
