/**
 * Commands whose options, operands or variables write a file or run a program, in many spellings,
 * and their harmless neighbours: abbreviated, glued, in one word with others, in variables, behind
 * wrappers, and put into one another.
 */
import type { Random } from './random.ts'

/** A program with harmless arguments, and arguments with which it writes or runs something. */
type Forms = {
  readonly program: string
  readonly tame: readonly string[]
  readonly wild: readonly string[]
}

const forms: readonly Forms[] = [
  {
    program: 'sort',
    tame: ['a.txt', '-r a.txt', '--reverse a.txt', '-k 1 a.txt'],
    wild: ['--output=OUT a.txt', '-oOUT a.txt', '-ro OUT a.txt', 'a.txt -o OUT'],
  },
  { program: 'uniq', tame: ['a.txt', '-c a.txt'], wild: ['a.txt OUT', '-c a.txt OUT'] },
  { program: 'shuf', tame: ['a.txt', '-n 1 a.txt'], wild: ['-o OUT a.txt', '--output=OUT a.txt'] },
  {
    program: 'sed',
    tame: ['s/a/b/ a.txt', '-n 1p a.txt', "-e 's/x/y/' a.txt", "'/l/d' a.txt"],
    wild: [
      ...['-i s/l/b/ a.txt', '--in-place s/l/b/ a.txt', "-n 'w OUT' a.txt", "'1e touch OUT' a.txt"],
      ...["--expression='1w OUT' a.txt", "-ne '1w OUT' a.txt", "'s/l/b/w OUT' a.txt"],
      ...["-f /dev/stdin a.txt <<< '1w OUT'", "'s/ls/touch OUT/e' a.txt"],
    ],
  },
  {
    program: 'awk',
    tame: ["'{print $1}' a.txt", "'$1 > 5' a.txt", "-F: '{print}' a.txt"],
    wild: [
      ...['\'{print > "OUT"}\' a.txt', '\'BEGIN{system("touch OUT")}\'', '\'{print|"sh"}\' a.txt'],
      ...['-f /dev/stdin <<< \'BEGIN{print 1 > "OUT"}\'', '\'BEGIN{printf "x" >> "OUT"}\''],
    ],
  },
  {
    program: 'find',
    tame: ['. -name a.txt', '. -type f', '. -maxdepth 1 -print'],
    wild: ['. -name a.txt -delete', '. -fprint OUT', '. -exec touch OUT {} +', '-- . -fls OUT'],
  },
  {
    program: 'tar',
    tame: ['tf x.tar', '-tf x.tar', 'cf - a.txt', '--list -f x.tar'],
    wild: [
      ...['cf OUT a.txt', '-f OUT -c a.txt', '--create --file=OUT a.txt', '-C . -cf OUT a.txt'],
      ...['cf /dev/null a.txt --checkpoint=1 --checkpoint-action=exec=./evil', 'xf x.tar'],
    ],
  },
  { program: 'dd', tame: ['if=a.txt of=/dev/null', 'if=a.txt'], wild: ['if=a.txt of=OUT'] },
  { program: 'tee', tame: ['/dev/null < a.txt'], wild: ['OUT < a.txt', '-a OUT < a.txt'] },
  { program: 'cat', tame: ['a.txt', '-n a.txt'], wild: ['a.txt > OUT', 'a.txt >> OUT'] },
  { program: 'split', tame: ['--help'], wild: ['a.txt OUT', "--filter='touch OUT' a.txt"] },
  { program: 'cp', tame: ['a.txt /dev/null'], wild: ['a.txt OUT', '-t . src/main.js'] },
  { program: 'truncate', tame: ['--help'], wild: ['-s 0 OUT', '--size=0 OUT', '-r a.txt OUT'] },
  { program: 'install', tame: ['--help'], wild: ['a.txt OUT', '-D a.txt OUT', '-t . src/main.js'] },
  { program: 'gzip', tame: ['-c a.txt', '-l a.txt'], wild: ['a.txt', '-k a.txt', '--keep a.txt'] },
  { program: 'tr', tame: ['a b < a.txt'], wild: ['a b < a.txt > OUT'] },
  { program: 'head', tame: ['-n 1 a.txt', '-1 a.txt'], wild: ['-1 a.txt > OUT'] },
  { program: 'nohup', tame: ['ls'], wild: ['touch OUT'] },
  { program: 'touch', tame: ['--help'], wild: ['OUT'] },
  { program: 'date', tame: ['+%s', '-u'], wild: ['+%s > OUT'] },
  { program: 'wc', tame: ['-l a.txt', '--lines a.txt'], wild: ['-l a.txt > OUT'] },
  {
    program: 'git',
    tame: ['diff --no-index a.txt script.sh', 'status', 'log -1', 'branch'],
    wild: [
      ...['diff --no-index --output=OUT a.txt script.sh', 'init .', "-c alias.x='!touch OUT' x"],
      ...['diff --no-index --outp=OUT a.txt script.sh', 'init OUT', 'config -f OUT a.b c'],
    ],
  },
  {
    program: 'bash',
    tame: ["-c 'ls'", "-cl 'ls'"],
    wild: ["-c 'touch OUT'", '-s <<< "touch OUT"'],
  },
  { program: 'env', tame: ['ls', 'A=1 ls'], wild: ['touch OUT', "-S 'touch OUT'", '-i touch OUT'] },
  {
    program: 'xargs',
    tame: ['echo < a.txt'],
    wild: ['touch < names.txt', '-I{} touch {} < a.txt'],
  },
  { program: 'printf', tame: ['%s a', '-- %s a'], wild: ["-v'a[$(touch OUT)]' x", '%s x > OUT'] },
  { program: '[', tame: ['-f a.txt ]', '1 = 1 ]'], wild: ["-v 'a[$(touch OUT)]' ]"] },
]

/** A command with options for a stage that only reads. */
export function makeOptionCommand(random: Random): string {
  const count = 1 + random.below(3)
  const parts = Array.from({ length: count }, () => dressed(random, simple(random)))
  const joint = random.pick([' && ', '; ', ' | ', ' || ', '\n'])
  const text = parts.join(joint)
  const kind = random.below(20)
  if (kind === 0) return `( ${text} )`
  if (kind === 1) return `{ ${text}; }`
  if (kind === 2) return `for i in 1; do ${text}; done`
  if (kind === 3) return `if true; then ${text}; fi`
  return text
}

function simple(random: Random): string {
  const { program, tame, wild } = random.pick(forms)
  const args = random.chance(55) ? random.pick(tame) : random.pick(wild)
  const spelled = respelled(random, args.replaceAll('OUT', random.pick(['out', './out', 'src/o'])))
  return hidden(random, program, spelled)
}

/** The same arguments in another spelling. */
function respelled(random: Random, args: string): string {
  return args
    .split(' ')
    .map((word) => {
      const long = /^--([a-z-]+)(=.*)?$/.exec(word)
      if (long !== null && random.chance(40)) {
        const name = long[1] ?? ''
        return `--${name.slice(0, 2 + random.below(name.length))}${long[2] ?? ''}`
      }
      if (/^-[a-zA-Z]$/.test(word) && random.chance(20))
        return random.pick([`'${word}'`, `\\${word}`])
      if (/^[a-z.]+$/.test(word) && random.chance(10))
        return `${word.slice(0, 1)}''${word.slice(1)}`
      return word
    })
    .join(' ')
}

/** A word of it in a variable, a substitution, a loop or a positional parameter. */
function hidden(random: Random, program: string, args: string): string {
  if (random.chance(50) || /['"<>]/.test(args)) return `${program} ${args}`
  const [first = '', ...rest] = args.split(' ')
  const tail = rest.join(' ')
  switch (random.below(20)) {
    case 0:
      return `O=${first}; ${program} $O ${tail}`
    case 1:
      return `O=${first}; ${program} "\${O}" ${tail}`
    case 2:
      return `${program} $(echo ${first}) ${tail}`
    case 3:
      return `set -- ${first}; ${program} "$@" ${tail}`
    case 4:
      return `for O in ${first}; do ${program} $O ${tail}; done`
    case 5:
      return `read -r O <<< '${first}'; ${program} $O ${tail}`
    case 6:
      return `P=${program}; $P ${args}`
    case 7:
      return `O='${args}'; ${program} $O`
    case 8:
      return `set - ${first}; ${program} "$@" ${tail}`
    case 9:
      return `O=${first}$NOT_SET; ${program} "$O" ${tail}`
    case 10:
      return `${program} \${NOT_SET:-${first}$NOT_SET} ${tail}`
    case 11:
      return `${program} {"${first}",} ${tail}`
    case 12:
      return `${program} {${args.split(' ').join(',')},\\./} `
    case 13:
      return `O=(${args}); ${program} "\${O[@]}"`
    case 14:
      return `O=(x ${first}); ${program} \${O[1]} ${tail}`
    case 15:
      return `echo '${first}' | { read -r O; ${program} $O ${tail}; }`
    case 16:
      return `declare O='${first}'; ${program} $O ${tail}`
    case 17:
      return `O=x${first}; ${program} \${O#x} ${tail}`
    case 18:
      return `printf -v O %s '${first}'; ${program} "$O" ${tail}`
    default:
      return `${program} \${NOT_SET:-${first}} ${tail}`
  }
}

function dressed(random: Random, command: string): string {
  if (random.chance(75)) return command
  const quoted = `'${command.replaceAll("'", "'\\''")}'`
  return random.pick([
    `timeout 5 ${command}`,
    `nice ${command}`,
    `command ${command}`,
    `env ${command}`,
    `bash -c ${quoted}`,
    `echo "$(${command})"`,
    `A=1 ${command}`,
    `eval ${quoted}`,
    `time ${command}`,
    `choom -n 0 ${command}`,
    `prlimit --nofile=64 ${command}`,
    `ls | while IFS= read -r L; do ${command}; done`,
    `echo {1..2} "$(${command})"`,
  ])
}
