/**
 * Programs that run another program given to them, as a table: which of their options take a
 * value, and how many operands come before the inner command.
 */

export type Wrapper = {
  /** Letters of options without and with a value. */
  readonly flags: string
  readonly values: string
  readonly longFlags: readonly string[]
  readonly longValues: readonly string[]
  /** Operands in front of the inner command. */
  readonly operands: number
  /** `NAME=value` may stand in front of the inner command. */
  readonly takesAssignments: boolean
  /** `words`: it runs them; `script`: it hands them, joined, to a shell. */
  readonly runs: 'words' | 'script'
  /** A number as an option, as in `nice -5`. */
  readonly takesNumber: boolean
  /** Any long option may stand there, as long as its value is glued to it. */
  readonly takesAnyLong: boolean
  /** Options whose value is a script of its own. */
  readonly scripts: readonly string[]
}

const plain: Wrapper = {
  flags: '',
  values: '',
  longFlags: [],
  longValues: [],
  operands: 0,
  takesAssignments: false,
  runs: 'words',
  takesNumber: false,
  takesAnyLong: false,
  scripts: [],
}

const env: Wrapper = {
  ...plain,
  flags: 'i0v',
  values: 'uCa',
  longFlags: ['ignore-environment', 'null', 'debug', 'list-signal-handling', 'block-signal'],
  longValues: ['unset', 'chdir', 'argv0'],
  takesAssignments: true,
}

const sudo: Wrapper = {
  ...plain,
  flags: 'AbBEHknNPSis',
  values: 'CDghpRrTtUu',
  longFlags: [
    'askpass',
    'background',
    'preserve-env',
    'set-home',
    'login',
    'non-interactive',
  ].concat(['preserve-groups', 'stdin', 'shell', 'reset-timestamp', 'bell']),
  longValues: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'close-from', 'role', 'type'],
  takesAssignments: true,
}

const xargs: Wrapper = {
  ...plain,
  flags: '0rtpxo',
  values: 'aEILnPsdJRS',
  longFlags: [
    'null',
    'no-run-if-empty',
    'interactive',
    'verbose',
    'exit',
    'open-tty',
    'replace',
    'max-lines',
    'eof',
  ],
  longValues: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars'].concat([
    'process-slot-var',
  ]),
}

const tracer: Wrapper = {
  ...plain,
  flags: 'cCdDfFhiLnqrStTvVwxyYzZk',
  values: 'aAbeEIloOpPsSuUX',
  longFlags: ['follow-forks', 'seccomp-bpf', 'summary-only', 'syscall-times', 'quiet'],
  longValues: ['trace', 'output', 'string-limit', 'expr'],
}

const script: Wrapper = { ...plain, runs: 'script' }

/** By name; an object without a prototype would do, a map cannot be tricked. */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ['env', env],
  ['nice', { ...plain, values: 'n', longValues: ['adjustment'], takesNumber: true }],
  ['nohup', plain],
  [
    'timeout',
    {
      ...plain,
      flags: 'fpv',
      values: 'ks',
      longFlags: ['preserve-status', 'foreground', 'verbose'],
      longValues: ['kill-after', 'signal'],
      operands: 1,
    },
  ],
  [
    'gtimeout',
    { ...plain, values: 'ks', longFlags: ['preserve-status', 'foreground'], operands: 1 },
  ],
  ['stdbuf', { ...plain, values: 'ioe', longValues: ['input', 'output', 'error'] }],
  ['setsid', { ...plain, flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] }],
  ['ionice', { ...plain, flags: 't', values: 'cnpPu', longValues: ['class', 'classdata'] }],
  [
    'chrt',
    {
      ...plain,
      flags: 'abdfioRrv',
      values: 'TPD',
      longFlags: ['batch', 'deadline', 'fifo', 'idle', 'other', 'rr', 'reset-on-fork', 'verbose'],
      longValues: ['sched-runtime', 'sched-period', 'sched-deadline'],
      operands: 1,
    },
  ],
  ['taskset', { ...plain, flags: 'ac', longFlags: ['cpu-list', 'all-tasks'], operands: 1 }],
  ['time', { ...plain, flags: 'apqv', values: 'fo', longFlags: ['portability', 'verbose'] }],
  ['sudo', sudo],
  ['doas', { ...plain, flags: 'Lns', values: 'Cu', takesAssignments: true }],
  ['xargs', xargs],
  ['strace', tracer],
  ['ltrace', tracer],
  ['watch', { ...script, flags: 'bcdegptwx', values: 'nq', longValues: ['interval'] }],
  ['command', { ...plain, flags: 'p' }],
  ['builtin', plain],
  ['exec', { ...plain, flags: 'cl', values: 'a' }],
  ['coproc', plain],
  ['chroot', { ...plain, longValues: ['userspec', 'groups'], operands: 1 }],
  ['unshare', { ...plain, flags: 'cCfimnprTuU', values: 'GRSw' }],
  [
    'flock',
    { ...plain, flags: 'enosux', values: 'wEc', operands: 1, scripts: ['-c', '--command'] },
  ],
  [
    'script',
    { ...plain, flags: 'aefq', values: 'cEIOBTm', scripts: ['-c', '--command'], operands: 9 },
  ],
  ['su', { ...plain, flags: 'flmpP', values: 'cgGsw', scripts: ['-c', '--command'], operands: 9 }],
  [
    'runuser',
    { ...plain, flags: 'flmpP', values: 'cgGsw', scripts: ['-c', '--command'], operands: 9 },
  ],
  [
    'nix-shell',
    { ...plain, flags: 'pv', values: 'I', scripts: ['--run', '--command'], operands: 99 },
  ],
  ['valgrind', { ...plain, flags: 'qv', takesAnyLong: true }],
  ['fakeroot', plain],
  ['eatmydata', plain],
  ['unbuffer', { ...plain, flags: 'p' }],
  ['catchsegv', plain],
  ['busybox', plain],
  ['toybox', plain],
  ['dbus-run-session', plain],
  ['caffeinate', { ...plain, flags: 'dimsu', values: 'tw' }],
  ['xvfb-run', { ...plain, flags: 'al', values: 'efnpsw' }],
  [
    'systemd-run',
    { ...plain, flags: 'PStGdqr', values: 'EpuHM', longFlags: ['user', 'scope', 'wait'] },
  ],
  ['setarch', { ...plain, flags: 'R', operands: 1 }],
  ['linux32', plain],
  ['linux64', plain],
  ['noglob', plain],
  ['nocorrect', plain],
])

/** Shells whose scripts bash can read well enough. */
export const shells: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'dash',
  'ash',
  'ksh',
  'ksh93',
  'mksh',
  'rbash',
  'rksh',
  'zsh',
  'rzsh',
  'bash5',
])

/** Shells that speak another language. */
export const strangeShells: ReadonlySet<string> = new Set([
  'fish',
  'csh',
  'tcsh',
  'nu',
  'elvish',
  'xonsh',
  'pwsh',
  'powershell',
  'cmd',
  'cmd.exe',
  'rc',
  'es',
  'osh',
  'ysh',
])

/**
 * Runners of a project's own tools: the words in front of the tool. An entry for the runner
 * speaks for the tool; what it does is looked at all the same.
 */
export const runners: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['uvx'],
  ['pipx', 'run'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
  ['poetry', 'run'],
  ['pipenv', 'run'],
  ['uv', 'run'],
  ['pdm', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
  ['conda', 'run'],
  ['bundle', 'exec'],
  ['mise', 'exec'],
  ['asdf', 'exec'],
  ['direnv', 'exec'],
  ['dotenv'],
  ['dotenvx', 'run'],
  ['op', 'run'],
  ['doppler', 'run'],
  ['cross-env'],
  ['cross-env-shell'],
  ['nix', 'develop'],
  ['rr', 'record'],
  ['perf', 'stat'],
  ['perf', 'record'],
  ['gdb', '--args'],
]

/** The program a first word names, without its folder. */
export function baseName(word: string): string {
  return word.includes('/') ? word.slice(word.lastIndexOf('/') + 1) : word
}
