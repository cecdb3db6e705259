/**
 * Entries of a command list that restrict nothing, and entries that can never match.
 * Knows the names of programs and the words of an entry.
 */
import { lookalikeName } from '../lookalike-names.ts'
import { findOdd } from '../shell/invisible-characters.ts'

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

const shells = words('sh bash zsh dash ash ksh mksh csh tcsh fish pwsh powershell cmd cmd.exe nu')
const interpreters = words(
  'python node nodejs deno bun ruby perl php lua luajit tclsh rscript osascript irb ipython ' +
    'julia ghci jshell groovy scala elixir erl guile racket sqlite3 psql mysql awk gawk mawk nawk',
)
/** Run the rest of their words as a command. */
const wrappers = words(
  'env sudo doas su eval exec command builtin nohup time timeout nice ionice setsid stdbuf xargs ' +
    'parallel watch strace ltrace unshare chroot nsenter script flock busybox toybox runuser ' +
    'caffeinate entr coproc chrt taskset catchsegv npx bunx pnpx uvx',
)
/** Can run a command whatever words follow. */
const launchers = words('find fd source . trap vi vim nvim ed ex emacs gdb lldb expect screen tmux')
/** Run what comes next, when nothing does. */
const twoWordLaunchers: ReadonlySet<string> = new Set([
  ...['npm exec', 'npm x', 'pnpm dlx', 'pnpm exec', 'yarn dlx', 'yarn exec', 'bun x', 'bun run'],
  ...['uv run', 'pipx run', 'poetry run', 'pipenv run', 'bundle exec', 'go run', 'deno run'],
  ...['docker run', 'docker exec', 'podman run', 'podman exec', 'kubectl exec', 'kubectl run'],
])

/** Options that take a program as text. */
const inlineOptions = words('-c -e -E -r -p -pe -ne -m - --eval --print --run')

const wrappersDeepMax = 10

/** Why an entry can run anything; null: it cannot, or not plainly. */
export function whyTooBroad(entry: string): string | null {
  let rest = entry
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (rest.length === 0) return 'it is empty'
  if (rest.length === 1 && /^\*+$/.test(rest[0] ?? '')) return 'it is as if there were no list'
  // A `*` at the end adds nothing: more words may follow anyway.
  while (rest.length > 1 && /^\*+$/.test(rest.at(-1) ?? '')) rest = rest.slice(0, -1)
  rest = rest.map((word) => word.replace(/(?<=.)\*+$/, ''))
  for (let depth = 0; depth < wrappersDeepMax; depth += 1) {
    const [first = '', ...others] = rest
    const program = programOf(first)
    if (launchers.has(program)) return `\`${first}\` can start other programs`
    const isInterpreter = interpreters.has(program.replace(/[\d.]+$/, ''))
    if (shells.has(program)) return whyShell(first, others)
    if (isInterpreter) return whyInterpreter(first, others)
    if (program === 'ssh' && others.length < 2) return `\`${first}\` runs whatever follows`
    if (others.length === 1 && twoWordLaunchers.has(`${program} ${others[0]}`)) {
      return `\`${program} ${others[0]}\` runs whatever follows`
    }
    if (!wrappers.has(program)) return null
    rest = wrapped(others)
    if (rest.length === 0) return `\`${first}\` runs whatever follows`
  }
  return null
}

function whyShell(first: string, others: readonly string[]): string | null {
  // With nothing but options, a script or `-c` and any text may follow.
  if (others.some((word) => !word.startsWith('-'))) return null
  return others.length === 0 ? `\`${first}\` is a shell` : `\`${first}\` takes commands as text`
}

function whyInterpreter(first: string, others: readonly string[]): string | null {
  const [next] = others
  if (next === undefined) return `\`${first}\` is an interpreter`
  // With the text written out, the entry is about that text.
  if (others.length > 1 || !inlineOptions.has(next)) return null
  return `\`${first} ${next}\` runs whatever follows`
}

/** A path is another program than a bare name for the guard, but no less powerful. */
function programOf(word: string): string {
  const bare = word.slice(word.lastIndexOf('/') + 1).toLowerCase()
  return bare === '' ? word : bare
}

/** What a wrapper runs: its words without options, assignments and numbers. */
function wrapped(others: readonly string[]): string[] {
  const start = others.findIndex((word) => !/^(-|[A-Za-z_]\w*=|\d)/.test(word))
  return start === -1 ? [] : others.slice(start)
}

/** What is wrong with an entry that no command can match, and what to write instead. */
type Dead = {
  readonly why: string
  readonly hint: string
  /** One command does: the one that says just the same. */
  readonly isLiteral?: true
}

/** Why no command can match an entry as its author means it; null: one can. */
export function whyDead(entry: string): Dead | null {
  const odd = findOdd(entry, [])
  if (odd !== null) {
    return { why: `it contains ${odd}, which is invisible`, hint: 'type the entry again' }
  }
  const bare = entry.replaceAll(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, '')
  if (/["']/.test(bare)) {
    return { why: 'its quote is not closed', hint: 'close the quote, or remove it' }
  }
  const wildcard = /(?:^|\s)[^\s/]*([?[])/.exec(bare)?.[1]
  if (wildcard !== undefined) {
    const hint = 'use `*` for any characters of a word, or quote the word'
    return { why: `\`${wildcard}\` is no wildcard here, only \`*\` is`, hint, isLiteral: true }
  }
  const [first = '', ...others] = bare.trim().split(/\s+/)
  if (/^\*+$/.test(first) && others.length > 0) {
    const hint = 'name the program; `*` alone allows any command'
    return { why: '`*` does not stand for a program', hint }
  }
  if (/^[A-Za-z_]\w*\+?=/.test(first)) {
    const hint = `write it without \`${first}\`; harmless variables are allowed in front anyway`
    return { why: 'it begins with a variable, but a command begins with its name', hint }
  }
  const isForeign = lookalikeName(first) !== null || [first, ...others].some(mixesAlphabets)
  return isForeign
    ? { why: 'it has characters that only look like others', hint: 'type the entry again' }
    : null
}

function mixesAlphabets(word: string): boolean {
  return /[A-Za-z]/.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)
}
