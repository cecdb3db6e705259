/**
 * Generates commands from a grammar of bash: every construct that can start a program or keep one
 * from starting. Unlisted programs appear wherever bash would run them, and wherever it would not.
 */

import { type ListName, strangers } from './allow-lists.ts'
import type { GrammarState } from './grammar-state.ts'
import { line, word } from './grammar-words.ts'
import type { Random } from './random.ts'

const listedSimple: readonly string[] = ['npm test', 'git status', 'ls', 'echo', 'cat', 'grep x']

/** One command text. */
export function makeCommand(random: Random, listName: ListName): string {
  const strangeness = random.pick([0, 0, 3, 12, 30])
  const isLong = listName === 'long'
  const fuel = 3 + random.below(22)
  const make: GrammarState = { random, isLong, strangeness, fuel, list, simple, arithmetic }
  const text = list(make)
  return random.chance(20) ? frame(make, text) : text
}

/** Comments, blanks and continued lines around it. */
function frame({ random }: GrammarState, text: string): string {
  const stranger = random.pick(strangers)
  return random.pick([
    `# ${stranger} x\n${text}`,
    `${text} # ${stranger}`,
    `${text}\n# '\n`,
    `  \t${text}  `,
    `\n\n${text}\n`,
    `\\\n${text}`,
    `${text} \\\n  # ${stranger}`,
    `${text} #\\\n${stranger}`,
    `! ${text}`,
    `time ${text}`,
  ])
}

/** Commands one after the other. */
function list(make: GrammarState): string {
  const { random } = make
  let text = pipeline(make)
  while (make.fuel > 0 && random.chance(40)) {
    const joint = random.pick([
      ' && ',
      ' || ',
      '; ',
      ' & ',
      '\n',
      ' ;\n',
      '&&',
      '||',
      ';',
      ' &&\n  ',
    ])
    text += joint + pipeline(make)
  }
  return random.chance(8) ? `${text}${random.pick([' &', ';', '\n', ' ;'])}` : text
}

function pipeline(make: GrammarState): string {
  const { random } = make
  let text = compound(make)
  while (make.fuel > 0 && random.chance(22)) {
    text += random.pick([' | ', '|', ' |& ', ' |\n', ' \\\n| ']) + compound(make)
  }
  return random.chance(4) ? `! ${text}` : text
}

function compound(make: GrammarState): string {
  const { random } = make
  make.fuel -= 1
  if (make.fuel <= 0 || random.chance(62)) return simple(make)
  const text = random.pick(compounds)(make)
  return random.chance(15) ? `${text} ${redirection(make)}` : text
}

const compounds: readonly ((make: GrammarState) => string)[] = [
  (make) => `( ${list(make)} )`,
  (make) => `(${list(make)})`,
  (make) => `{ ${body(make)} }`,
  (make) => `if ${body(make)} then ${body(make)} fi`,
  (make) => `if ${body(make)} then ${body(make)} else ${body(make)} fi`,
  (make) => `if ${body(make)} then ${body(make)} elif ${body(make)} then ${body(make)} fi`,
  (make) => `for v in ${word(make)} ${word(make)}; do ${body(make)} done`,
  (make) => `for v in ${word(make)}\ndo\n${body(make)}\ndone`,
  (make) => `for ((i=0; i<2; i++)); do ${body(make)} done`,
  (make) => `while false; do ${body(make)} done`,
  (make) => `until ${make.isLong ? 'true' : 'ls'}; do ${body(make)} done`,
  (make) => `case ${word(make)} in a|b) ${list(make)} ;; *) ${list(make)};; esac`,
  (make) => `case ${word(make)} in\n  (x*) ${list(make)} ;&\n  y) ;;\nesac`,
  (make) => `[[ ${word(make)} ${make.random.pick(['==', '!=', '=~', '<'])} ${word(make)} ]]`,
  (make) => `[[ -n ${word(make)} && -f ${word(make)} ]] && ${simple(make)}`,
  (make) => `((${arithmetic(make)}))`,
  (make) => `f() { ${body(make)} }; ${make.random.pick(['f', 'ls', 'echo f'])}`,
  (make) => `function ${make.random.pick(['g', 'ls', 'npm'])} { ${body(make)} }`,
  (make) => `coproc ${simple(make)}`,
  (make) =>
    `[ ${make.random.pick(['-v', '-n', '-R', '$x'])} ${subscripted(make)} ]; ${simple(make)}`,
  (make) => `a=(${word(make)} [${subscripted(make)}]=${word(make)}); ${simple(make)}`,
  (make) => `x=${subscripted(make)}; ${list(make)}; echo $((x)) \${a[x]}`,
  (make) => `{ ${make.isLong ? 'bash' : 'cat'}; } <<< ${make.random.pick(strangers)}`,
  (make) => `( ${make.isLong ? 'sh' : 'cat'} ) <<EOF\n${make.random.pick(strangers)}\nEOF\n`,
  (make) => `select v in a; do ${body(make)} break; done`,
]

function body(make: GrammarState): string {
  return ended(list(make))
}

function ended(text: string): string {
  return /[;&\n]\s*$/.test(text) ? text : `${text};`
}

/** What bash evaluates again where it takes it for the name of a variable. */
function subscripted({ random }: GrammarState): string {
  const stranger = random.pick(strangers)
  return random.pick([`'a[$(${stranger})]'`, `'b[\`${stranger}\`]'`, "'a[0]'", 'x', '$x', '1'])
}

/** What stands in `(( … ))`. */
function arithmetic(make: GrammarState): string {
  const { random } = make
  const inner = make.fuel > 0 && random.chance(20) ? `$(${simple(make)})` : '1'
  return random.pick([
    '1 + 2',
    'x = 3',
    'i++',
    `a[${inner}]`,
    `1 + ${inner}`,
    'x > 2 ? 1 : 0',
    '1 << 2',
    '$# + 1',
  ])
}

/** One simple command, with what may stand around its words. */
function simple(make: GrammarState): string {
  const { random } = make
  make.fuel -= 1
  if (make.isLong && make.fuel > 0 && random.chance(30)) return wrapped(make)
  let text = head(make)
  const wordsCount = random.below(4)
  for (let i = 0; i < wordsCount; i += 1)
    text += random.pick([' ', '  ', '\t', ' \\\n ']) + word(make)
  if (random.chance(8)) text = `${assignment(make)} ${text}`
  if (random.chance(18)) text += ` ${redirection(make)}`
  if (random.chance(3)) text = `${redirection(make)} ${text}`
  if (random.chance(5)) text += hereDocument(make)
  return text
}

function head(make: GrammarState): string {
  const { random } = make
  if (random.chance(make.strangeness)) {
    const stranger = random.pick(strangers)
    return random.pick([stranger, stranger, disguised(random, stranger), `./${stranger}`])
  }
  const listed = random.pick(listedSimple)
  return random.chance(12) ? disguised(random, listed) : listed
}

/** The same name, written so that only bash knows it. */
function disguised(random: Random, name: string): string {
  const [first = '', ...rest] = name.split(' ')
  const at = random.below(first.length)
  const written = random.pick([
    `"${first}"`,
    `'${first}'`,
    `${first.slice(0, at)}\\${first.slice(at)}`,
    `${first.slice(0, at)}''${first.slice(at)}`,
    `${first.slice(0, at)}""${first.slice(at)}`,
    `$'${first}'`,
    `$'\\x${first.charCodeAt(0).toString(16)}${first.slice(1)}'`,
    `$'\\${first.charCodeAt(0).toString(8)}'${first.slice(1)}`,
    `$"${first}"`,
    `${first.slice(0, at)}\\\n${first.slice(at)}`,
    `{${first},}`,
    `${first}{,}`,
    `${first.slice(0, -1)}?`,
    `${first.slice(0, -1)}[${first.slice(-1)}]`,
    `\${x:-${first}}`,
    `$(echo ${first})`,
    `\`echo ${first}\``,
  ])
  return [written, ...rest].join(' ')
}

function wrapped(make: GrammarState): string {
  const { random } = make
  const inner = simple(make)
  const quoted = random.chance(50) ? `'${inner.replaceAll("'", "'\\''")}'` : JSON.stringify(inner)
  return random.pick([
    `env ${inner}`,
    `env ${assignment(make)} ${inner}`,
    'env -i ls -l',
    `env -u HOME ${inner}`,
    `env -S ${quoted}`,
    `timeout 3 ${inner}`,
    `timeout -k 1 --signal=TERM 3s ${inner}`,
    `timeout --foreground 3 ${inner}`,
    `nice ${inner}`,
    `nice -n 5 ${inner}`,
    `nice -5 ${inner}`,
    `nohup ${inner}`,
    `setsid ${inner}`,
    `stdbuf -oL ${inner}`,
    `time ${inner}`,
    `time -p ${inner}`,
    `command ${inner}`,
    `command -v ${inner}`,
    'command -p ls -l',
    `builtin ${inner}`,
    `exec ${inner}`,
    `exec -a x ${inner}`,
    `eval ${quoted}`,
    `eval ${inner}`,
    `bash -c ${quoted}`,
    `bash -ec ${quoted} x y`,
    `bash -o pipefail -c ${quoted}`,
    `bash --norc -c ${quoted}`,
    `sh -c ${quoted}`,
    `bash script.sh`,
    `bash <<< ${quoted}`,
    `bash <<'EOF'\n${inner}\nEOF\n`,
    `echo ${quoted} | bash`,
    `bash <(echo ${quoted})`,
    `source script.sh`,
    `trap ${quoted} EXIT`,
    `xargs ${inner} < names.txt`,
    `cat names.txt | xargs -n 1 ${inner}`,
    `xargs -I{} ${inner} {} < names.txt`,
    `xargs -0 -r ${inner} < a.txt`,
    `find . -name '*.txt' -exec ${inner} {} \\;`,
    `find . -type f -exec ${inner} {} +`,
    `find . -exec ${inner} ';' -print`,
    `find . -name ${word(make)}`,
    `xargs ${random.pick(['env', 'timeout 2', 'nice', 'command', 'bash -c', 'nohup'])} < names.txt`,
    `find . -exec ${random.pick(['env', 'nice', 'bash -c', 'find'])} {} \\;`,
    `alias ls=${quoted}; ls`,
    `shopt -s expand_aliases; alias q=${quoted}\nq`,
    `x=${quoted}; $x`,
    `x=${quoted}; eval "$x"`,
    `x=${quoted}; bash -c "$x"`,
    `set -- ${inner}; "$@"`,
    `printf -v x %s ${quoted}; $x`,
    `read x <<< ${quoted}; $x`,
    `mapfile -t a < names.txt; echo "\${a[@]}"`,
    ...wrappedOddly(make, inner, quoted),
    `hash -p ./evil ls; ls`,
    `cd src && ${inner}`,
    `test -f ${word(make)} && ${inner}`,
    `[ -v 'a[$(${random.pick(strangers)})]' ]`,
    `let 'x=${arithmetic(make)}'`,
    `declare -i x=${arithmetic(make).replaceAll(' ', '')}`,
    `export X=${word(make)}`,
  ])
}

/** Options that are seldom written, and builtins that take a command where nobody looks. */
function wrappedOddly(make: GrammarState, inner: string, quoted: string): readonly string[] {
  const { random } = make
  return [
    `env --spl=${quoted}`,
    `env --unset=X ${inner}`,
    `timeout --sig=INT 3 ${inner}`,
    `nice --adj=3 ${inner}`,
    `xargs --max-lines ${inner} < names.txt`,
    `xargs --eof ${inner} < names.txt`,
    `xargs --replace ${inner} {} < names.txt`,
    `xargs -i ${inner} < names.txt`,
    `xargs -l ${inner} < names.txt`,
    `mapfile -C ${quoted} -c 1 a < a.txt`,
    `readarray -tC ${quoted} a < a.txt`,
    `declare ${subscripted(make)}=1`,
    `declare -i x=${subscripted(make)}`,
    `export ${subscripted(make)}=1`,
    `printf -v ${subscripted(make)} x`,
    `read ${subscripted(make)} <<< x`,
    `set -- ${subscripted(make)}; echo $(($1))`,
    `bash -c 'echo $(($1))' x ${subscripted(make)}`,
    `bash ${random.pick(['/dev/stdin', '/dev/fd/0', '-', '-s'])} <<< ${quoted}`,
    `. /dev/stdin <<< ${quoted}`,
    `exec <<< ${quoted}; bash`,
    `echo ${quoted} > x.sh; ${random.pick(['bash x.sh', '. ./x.sh', 'bash < x.sh'])}`,
    `for i in 1; do bash; done <<< ${quoted}`,
    `if bash; then :; fi <<< ${quoted}`,
    `trap -- ${quoted} ${random.pick(['EXIT', 'DEBUG', 'ERR', '0'])}; ls`,
    `shopt -s expand_aliases; alias echo='echo;'\necho ${inner}`,
    ...evaluatedAgain(make),
    `find . -exec env X=1 ${inner} {} +`,
    `find . ${random.pick(['-ok', '-okdir', '-execdir'])} ${inner} \\;`,
  ]
}

/** Values that bash evaluates a second time, quoted or not. */
function evaluatedAgain({ random }: GrammarState): readonly string[] {
  const code = random.pick([`$(${random.pick(strangers)})`, `\`${random.pick(strangers)}\``, 'x'])
  const number = random.pick(['OPTIND', 'RANDOM', 'SRANDOM', 'SECONDS', 'HISTCMD', 'LINENO'])
  const declares = random.pick(['declare', 'declare -a', 'declare -A', 'export', 'export -a'])
  const stream = `${random.pick(['<', '>'])}(${random.pick(['ls', ...strangers])})`
  const operator = random.pick(['#', '%', ':?', ':-', '+', '/a/', '^', '@', ':'])
  return [
    `${number}='a[${code}]'; ls`,
    `for ${number} in 'a[${code}]'; do ls; done`,
    `read ${number} <<< 'a[${code}]'`,
    `${declares} 'b=(${code})'`,
    `b=(); v='(${code})'; ${declares} b="$v"`,
    `ls ${random.pick(['>&', '1>&', '2>&', '<&', '&>'])}'${code}'`,
    `a=1; echo "\${a${operator}${stream}}"`,
    `[[ -n "\${q${operator}${stream}}" ]]`,
  ]
}

function assignment(make: GrammarState): string {
  const { random } = make
  const name = random.pick(['X', 'CI', 'NAME', 'LANG', 'x', 'y', 'PATH', 'BASH_ENV', 'IFS', 'PS4'])
  if (/^(PATH|BASH_ENV|IFS|PS4)$/.test(name) && random.chance(70)) return `X=${word(make)}`
  return `${name}${random.chance(5) ? '+' : ''}=${random.chance(10) ? '' : word(make)}`
}

function redirection(make: GrammarState): string {
  const { random } = make
  return random.pick([
    '2>&1',
    '>/dev/null',
    '2>/dev/null',
    '> /dev/null 2>&1',
    '&>/dev/null',
    '< a.txt',
    '<<< "x"',
    `<<< ${word(make)}`,
    '> out.txt',
    '>> out.txt',
    '>| out.txt',
    '2>&-',
    `2>&-${random.pick(['', '', random.pick(strangers), '1', '\\x'])}`,
    `>&1${random.pick(['', '-', `-${random.pick(strangers)}`])}`,
    '3< a.txt',
    '{fd}> out.txt',
    `> ${word(make)}`,
    '<> a.txt',
  ])
}

function hereDocument(make: GrammarState): string {
  const { random } = make
  const body = line(make)
  return random.pick([
    ` <<EOF\n${body}\nEOF\n`,
    ` <<'EOF'\n${body}\nEOF\n`,
    ` <<"E F"\n${body}\nE F\n`,
    ` <<-EOF\n\t${body}\n\tEOF\n`,
    ` <<\\EOF\n${body}\nEOF\n`,
    ` <<A <<'B'\n${body}\nA\n${line(make)}\nB\n`,
    ` <<EOF | cat\n${body}\nEOF\n`,
    ` <<E'O'F\n${body}\nEOF\n`,
    ` <<EOF\n${body}\\\nEOF\nEOF\n`,
  ])
}
