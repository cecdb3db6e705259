/**
 * Options that make a listed program do more than its name says: run another program, load code
 * from elsewhere, or write a file of the caller's choice. A table by class; a long option is found
 * under every abbreviation that the program accepts.
 * Helpful, but not a security boundary: see docs/reference/guard-commands.md.
 */
import { alternationPattern } from './alternation-pattern.ts'
import type { CommandArguments } from './command-arguments.ts'
import { unsafeGitOption } from './git-options.ts'
import { leavesFrom } from './leaves-workspace.ts'
import { curlTrouble, sqlTrouble, sshTrouble } from './program-arguments.ts'
import { awkProgram, sedScripts } from './sed-awk-programs.ts'
import { readAwk, readSed } from './text-languages.ts'
import { baseName } from './wrappers.ts'

type Check = (tail: CommandArguments) => string | null

/** Long options that hand a program to a program, whoever has them. */
const runningAnywhere = alternationPattern(
  '^--',
  [
    'pager script-shell to-command use-compress-program compress-program',
    'checkpoint-action hostname-bin run_under python-executable rustc-wrapper toolexec',
    'post-renderer node-options ext-diff extcmd askpass use-askpass upload-pack',
    'receive-pack rsync-path exec-path unzip-command info-script new-volume-script',
    'strip-program',
  ],
  '(=|$)',
)

/** Options that load code from a path: harmless inside the workspace, where it is run anyway. */
const loadingAnywhere = alternationPattern(
  '^--?',
  [
    'config config-file config-path conf rcfile rc-file require import loader',
    'experimental-loader plugin plugins preset setup-?[fF]iles? setupFilesAfterEnv bootstrap',
    'global-?setup global-?teardown globalSetup globalTeardown root-?dir rootDir',
    'confcutdir project runner testRunner reporter reporters transform resolver',
    'rules-?dir rulesdir parser init-?script settings-?file build-?file makefile',
    'manifest-path import-map preload userconfig globalconfig prefix cwd testEnvironment',
    'ui opts cov-config javaagent resolve-plugins-relative-to',
  ],
  '$',
)

/** Programs whose words behind the entry belong to somebody else. */
const strangers = /^(docker|podman|nerdctl|kubectl|ssh|echo|printf|configure)$/

/** The word that is the trouble; null: none. */
export function troubleIn(tail: CommandArguments): string | null {
  const name = baseName(tail.name)
  const trouble = checks.get(name)?.(tail) ?? null
  return trouble !== null || strangers.test(name) ? trouble : anywhere(tail)
}

function anywhere(tail: CommandArguments): string | null {
  return firstWord(tail, (start, i) => {
    if (!start.startsWith('-')) return false
    if (runningAnywhere.test(start) && !isTame(start, tail.words[i + 1])) return true
    const option = optionOf(tail, i)
    return loadingAnywhere.test(option.name) && leaves(tail, option.value)
  })
}

/** Programs that only show or press a text. */
function isTame(start: string, next: string | null | undefined): boolean {
  const value = start.includes('=') ? start.slice(start.indexOf('=') + 1) : next
  return tameTool.test(value ?? '-')
}

const tameTool =
  /^(cat|less|more|never|zstd|zstdmt|gzip|pigz|xz|pixz|bzip2|lbzip2|lz4|lzip|brotli)( -[\w-]+)*$/

function leaves(tail: CommandArguments, value: string | null): boolean {
  return value !== null && leavesFrom(tail, value)
}

/** The first word behind the entry for which something holds; `--` ends the options. */
function firstWord(
  tail: CommandArguments,
  holds: (start: string, at: number) => boolean,
): string | null {
  for (let i = tail.listedCount; i < tail.starts.length; i += 1) {
    const start = tail.starts[i] as string
    if (start === '--') return null
    if (holds(start, i)) return start
  }
  return null
}

/** An option with its value, glued or in the next word. */
function optionOf(
  tail: CommandArguments,
  i: number,
): { readonly name: string; readonly value: string | null } {
  const start = tail.starts[i] as string
  const at = start.indexOf('=')
  if (at > 0) return { name: start.slice(0, at), value: tail.words[i]?.slice(at + 1) ?? null }
  return { name: start, value: tail.words[i + 1] ?? null }
}

/** Any of these options, as such. */
function has(pattern: RegExp): Check {
  return (tail) => firstWord(tail, (start) => pattern.test(start))
}

/** Any of these options with a path that leaves the workspace, glued or not. */
function outside(long: RegExp, short: string): Check {
  return (tail) =>
    firstWord(tail, (start, i) => {
      const option = optionOf(tail, i)
      if (long.test(option.name)) return leaves(tail, option.value)
      if (short === '' || start.startsWith('--') || !start.startsWith('-')) return false
      if (!short.includes(start[1] ?? '')) return false
      return leaves(tail, start.length > 2 ? start.slice(2) : option.value)
    })
}

function all(...parts: readonly Check[]): Check {
  return (tail) => {
    for (const part of parts) {
      const trouble = part(tail)
      if (trouble !== null) return trouble
    }
    return null
  }
}

const findCheck = has(/^-(delete|fprint|fprint0|fprintf|fls)$/)

const tarCheck: Check = (tail) =>
  firstWord(tail, (start, i) => {
    if (/^--(to-command|checkpoint-action|rsh-command|rmt-command)/.test(start)) return true
    if (/^-[a-zA-Z]*F/.test(start)) return true
    const isPressing = /^-[a-zA-Z]*I/.test(start)
    return (
      isPressing && !isTame(start.replace(/^-[a-zA-Z]*I=?/, '--I='), null) && !nextTame(tail, i)
    )
  })

function nextTame(tail: CommandArguments, i: number): boolean {
  return (tail.starts[i] ?? '').endsWith('I') && isTame('-I', tail.words[i + 1])
}

const sedCheck: Check = (tail) => {
  const inPlace = firstWord(tail, (start) => /^(-[nErsuz]*i|--in-place)/.test(start))
  // Who lists `sed` alone lists a tool that edits; who lists `sed -n` wants to read.
  if (inPlace !== null && tail.listedCount > 1) return inPlace
  const scripts = sedScripts(tail)
  const trouble = scripts.find((script) => {
    const { runs, writes } = readSed(script)
    return runs || writes
  })
  if (trouble !== undefined) return trouble
  const loaded = outside(/^--file$/, 'f')(tail)
  if (loaded !== null || inPlace === null) return loaded
  return firstWord(tail, (start) => !scripts.includes(start) && isForeign(start, tail))
}

const awkCheck: Check = (tail) => {
  const { runs, writes } = readAwk(awkProgram(tail))
  if (runs || writes) return awkProgram(tail)
  const loaded = has(/^(-l|--load|-E|--exec)(=|$)/)(tail) ?? outside(/^--file$/, 'f')(tail)
  const inPlace = firstWord(tail, (start, i) =>
    /^(-i|--include)/.test(start) ? `${start} ${tail.words[i + 1]}`.includes('inplace') : false,
  )
  return loaded ?? (tail.listedCount > 1 ? inPlace : null)
}

const knownPlugins = alternationPattern(
  '^',
  [
    'no:.* xdist pytest_cov randomly asyncio pytest_asyncio cacheprovider pytester',
    'timeout pytest_timeout django pytest_django sugar benchmark hypothesispytest',
    'faulthandler logging terminal doctest junitxml anyio trio mock pytest_mock',
    'rerunfailures',
  ],
  '$',
)

const pytestCheck = all(
  (tail) =>
    firstWord(tail, (start, i) => {
      if (!/^-p/.test(start)) return false
      const value = start === '-p' ? tail.words[i + 1] : start.slice(2)
      return !knownPlugins.test(value ?? '')
    }),
  outside(/^--(rootdir|config-file|confcutdir|junit-?xml|log-file)$/, 'c'),
  (tail) => firstWord(tail, (start, i) => /^-o|^--override-ini/.test(start) && addsPlugin(tail, i)),
  operandsOutside,
)

function addsPlugin(tail: CommandArguments, i: number): boolean {
  const text = `${tail.words[i] ?? ''} ${tail.words[i + 1] ?? ''}`
  const at = text.search(/addopts\s*=/)
  return at >= 0 && text.includes('-p', at)
}

/** Tests from elsewhere are code from elsewhere, and a file elsewhere is nobody's to write. */
function operandsOutside(tail: CommandArguments): string | null {
  return firstWord(tail, (start) => isForeign(start, tail))
}

function isForeign(word: string, tail: CommandArguments): boolean {
  return /^[/~.]/.test(word) && leavesFrom(tail, word)
}

const goCheck = all(
  has(/^--?(exec|toolexec|vettool)(=|$)/),
  outside(/^--?(o|modfile|overlay|C|coverprofile|cpuprofile|memprofile|outputdir)$/, ''),
)

const makeCheck = all(
  has(/^--eval(=|$)/),
  has(/^(SHELL|\.SHELLFLAGS|MAKE|MAKEFILES|MAKEFLAGS)[:?+!]?=/),
  outside(/^--(file|makefile|directory|include-dir)$/, 'fCI'),
)

const npmCheck = all(
  has(/^--(script-shell|node-options|shell|editor|viewer|init-module|git|nodedir)(=|$)/),
  outside(/^--(prefix|dir|cwd|userconfig|globalconfig|workspace-root|use-yarnrc)$/, 'C'),
)

const cargoCheck = all(
  (tail) =>
    firstWord(tail, (_, i) => {
      const { name, value } = optionOf(tail, i)
      return name === '--config' && riskyCargo.test(value ?? 'runner')
    }),
  outside(/^--(config|manifest-path|target-dir|lockfile-path)$/, 'C'),
)

const riskyCargo = /runner|linker|rustc|rustdoc|wrapper|alias|credential|env\.|source|patch|paths/

const wgetFiles = /^--(output-document|directory-prefix|config|post-file|body-file)$/
// Blanks of one line only: across empty lines, each of many would look at all that follow.
const sqliteDoor =
  /^[^\S\n\r\u2028\u2029]*\.(shell|system|load|once|output|import|backup|save|excel)\b/m

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['find', findCheck],
  ['gfind', findCheck],
  ['tar', tarCheck],
  ['gtar', tarCheck],
  ['bsdtar', tarCheck],
  ['git', unsafeGitOption],
  ['sed', sedCheck],
  ['gsed', sedCheck],
  ['awk', awkCheck],
  ['gawk', awkCheck],
  ['mawk', awkCheck],
  ['nawk', awkCheck],
  ['pytest', pytestCheck],
  ['py.test', pytestCheck],
  ['go', goCheck],
  ['make', makeCheck],
  ['gmake', makeCheck],
  ['npm', npmCheck],
  ['pnpm', npmCheck],
  ['yarn', npmCheck],
  ['bun', npmCheck],
  ['cargo', cargoCheck],
  ['jest', outside(/^--roots$/, 'c')],
  ['vitest', outside(/^--(root|dir)$/, 'cr')],
  ['eslint', outside(/^--output-file$/, 'co')],
  ['phpunit', outside(/^--(configuration|include-path|extensions-directory|log-\w+)$/, 'c')],
  ['tee', operandsOutside],
  ['sponge', operandsOutside],
  ['ssh', sshTrouble],
  ['sftp', all(has(/^-S/), sshTrouble)],
  ['mocha', outside(/^--(require|import|file|spec|config|package)$/, 'r')],
  ['rg', has(/^--pre(=|$)/)],
  ['sort', outside(/^--output$/, 'o')],
  ['zip', has(/^(-TT|--unzip-command)/)],
  ['rsync', has(/^(-[a-zA-Z]*e(?!\w)|--rsh)(=|$)/)],
  ['scp', all(has(/^-S/), sshTrouble)],
  ['split', has(/^--filter/)],
  ['man', has(/^(-P|-H)/)],
  ['bazel', has(/^--run_under/)],
  ['gcc', has(/^-(fplugin|wrapper|specs)/)],
  ['clang', has(/^-(fplugin|load)/)],
  ['cmake', has(/^-[EP]$/)],
  ['gradle', outside(/^--(init-script|build-file|settings-file|project-dir)$/, 'Ibcp')],
  ['mvn', outside(/^--(file|settings|global-settings)$/, 'fs')],
  ['curl', curlTrouble],
  ['wget', all(has(/^(-e|--execute)/), outside(wgetFiles, 'OP'))],
  ['sqlite3', sqlTrouble(sqliteDoor)],
  // The lookahead keeps to the first `\copy` of a line: trying each of many takes too long.
  ['psql', sqlTrouble(/\\!|\\o\b|^(?=(.*?\\copy\b))\1.*\bprogram\b/im)],
  ['mysql', sqlTrouble(/\\!|(^|;)\s*system\s/i)],
  ['php', has(/^-d(auto_prepend|auto_append|extension|zend)/)],
])
