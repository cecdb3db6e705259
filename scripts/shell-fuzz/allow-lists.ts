/** The command lists that fuzzed commands are judged by, and the names of unlisted programs. */

/** Few commands and no wrapper: whatever else runs, runs unseen. */
export const shortList: readonly string[] = ['npm test', 'git status', 'ls', 'echo', 'cat', 'grep']

/** Wrappers and builtins too, so that what they run has to be found inside of them. */
export const longList: readonly string[] = [
  ...shortList,
  ...['env', 'timeout', 'nice', 'nohup', 'xargs', 'find', 'bash', 'sh', 'time', 'stdbuf'],
  ...['setsid', 'command', 'exec', 'builtin', 'eval', 'source', '.', 'trap', 'cd', 'true'],
  ...['false', 'test', '[', 'printf', 'read', 'export', 'set', 'unset', 'declare', 'local'],
  ...['shift', 'wait', ':', 'let', 'mapfile', 'return', 'exit', 'break', 'continue', 'sort'],
  ...['head', 'wc', 'tr', 'type', 'hash', 'alias', 'shopt', 'pushd', 'popd', 'coproc'],
]

/** What a command is judged by: a list, or a stage that only reads and has none. */
export const lists = { short: shortList, long: longList, reading: [] } as const

export type ListName = keyof typeof lists

/** Programs that are on no list; each has a stub, so that starting one shows. */
export const strangers: readonly string[] = ['rm', 'curl', 'id', 'evil', 'node', 'tee', 'awk']

/** Names in the attack corpus, beside those: stubs too. */
export const moreStrangers: readonly string[] = [
  ...['pytest', 'python', 'python3', 'perl', 'ruby', 'sudo', 'su', 'wget', 'nc', 'dd', 'chmod'],
  ...['cp', 'mv', 'ln', 'touch', 'mkdir', 'sed', 'base64', 'tar', 'zip', 'rg', 'make', 'go'],
  ...['cargo', 'jest', 'mocha', 'docker', 'kubectl', 'helm', 'ssh', 'scp', 'vim', 'less', 'jq'],
  ...['busybox', 'script', 'flock', 'watch', 'parallel', 'strace', 'gdb', 'zsh', 'dash', 'ksh'],
  ...['fish', 'rbash', 'npx', 'tmux', 'screen', 'at', 'crontab', 'date', 'uname', 'whoami'],
  ...['uniq', 'cut', 'tail', 'diff', 'sleep', 'seq', 'yes', 'kill', 'ps', 'basename', 'dirname'],
]

/** Listed programs that do their work in the sandbox; all others only end with 0. */
export const realPrograms: readonly string[] = [
  ...['cat', 'grep', 'ls', 'env', 'timeout', 'nice', 'nohup', 'xargs', 'find', 'bash', 'sh'],
  ...['stdbuf', 'setsid', 'sort', 'head', 'wc', 'tr', 'printf', 'echo', 'test', '['],
]

/** Programs that do their work where a stage only reads, so that what they change shows. */
export const readingPrograms: readonly string[] = [
  ...[
    'bash',
    'sh',
    'cat',
    'ls',
    'echo',
    'printf',
    'env',
    'timeout',
    'nice',
    'xargs',
    'find',
    'grep',
  ],
  ...['sed', 'awk', 'sort', 'uniq', 'shuf', 'tar', 'dd', 'tee', 'split', 'cp', 'mv', 'rm', 'touch'],
  ...[
    'mkdir',
    'ln',
    'date',
    'wc',
    'head',
    'tail',
    'tr',
    'cut',
    'git',
    'true',
    'false',
    'test',
    '[',
  ],
  ...['time', 'id', 'chmod', 'install', 'truncate', 'gzip', 'seq', 'stdbuf', 'nohup', 'setsid'],
  ...['choom', 'prlimit'],
]

/** First words of a list. */
export function namesOf(list: readonly string[]): readonly string[] {
  return [...new Set(list.map((entry) => entry.split(' ')[0] as string))]
}

/** Whether what was started is an entry of the list, word by word. */
export function isListed(words: readonly string[], list: readonly string[]): boolean {
  return list.some((entry) => entry.split(' ').every((part, i) => words[i] === part))
}
