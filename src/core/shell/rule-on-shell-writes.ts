/**
 * The rule for a stage with a shell but without edits: commands that create, change or remove
 * files, and commands that start an interpreter, are denied. Reading, testing and building are
 * allowed. Knows readings only.
 */
import type { Denial } from '../engine/types.ts'
import { alternationPattern } from './alternation-pattern.ts'
import { writingGit } from './git-writes.ts'
import { interpreterOf, runsCode } from './interpreters.ts'
import { quoteCommand } from './quote-command.ts'
import { awkProgram, sedScripts } from './sed-awk-programs.ts'
import type { ShellReading, SimpleCommand } from './shell-reading.ts'
import { readAwk, readSed } from './text-languages.ts'
import { baseName, shells, strangeShells } from './wrappers.ts'

/** The denial of a text that would write. */
export function ruleOnShellWrites(reading: ShellReading): Denial | null {
  if (!reading.ok) {
    const token = reading.token === '' ? '' : ` at \`${reading.token}\``
    const reason = `the command cannot be parsed${token}: ${reading.reason}`
    return { code: 'COMMAND_UNREADABLE', reason, hint: 'write it as one plain command' }
  }
  const into = reading.redirections.find((one) => one.kind === 'write')
  if (into !== undefined) return denied(`\`${into.text}\` writes a file`)
  for (const command of reading.commands) {
    const why = whyItWrites(command)
    if (why !== null) return denied(`\`${quoteCommand(command.text)}\` ${why}`)
  }
  const hidden = reading.hidden.find((one) => one.kind === 'code')
  if (hidden === undefined) return null
  return denied(`\`${quoteCommand(hidden.token)}\` could write anything: ${hidden.reason}`)
}

function denied(what: string): Denial {
  return {
    code: 'SHELL_WRITE_NOT_ALLOWED',
    reason: `${what}, and files may not be changed here`,
    hint: 'read, search, test or build; files can be changed where Edit or Write is allowed',
  }
}

/** Programs that make, change, move or remove files, whatever their options. */
const writers: ReadonlySet<string> = new Set(
  [
    'tee sponge cp mv install rsync scp sftp ln link symlink rm rmdir unlink shred truncate touch',
    'mkdir mkfifo mknod mktemp chmod chown chgrp chattr setfacl setfattr xattr patch ed ex vi vim',
    'nvim view nano emacs pico joe micro code subl wget aria2c unzip gunzip bunzip2 unxz',
    'uncompress gzip bzip2 xz zstd compress zip 7z 7za rar unrar cpio split csplit rename prename',
    'trash trash-put del crontab at batch mkfs dd fallocate apply_patch applypatch git-apply',
    'ditto mount umount',
  ].flatMap((line) => line.split(' ')),
)

/** Writers that only show something with these options. */
const onlyShows: ReadonlyMap<string, RegExp> = new Map([
  ['unzip', /^-[a-zA-Z]*[lvtpzZ]/],
  ['gzip', /^-[a-zA-Z]*[clt]|^--(stdout|list|test|to-stdout)$/],
  ['gunzip', /^-[a-zA-Z]*[clt]|^--(stdout|list|test|to-stdout)$/],
  ['bzip2', /^-[a-zA-Z]*[ct]|^--(stdout|test)$/],
  ['bunzip2', /^-[a-zA-Z]*[ct]/],
  ['xz', /^-[a-zA-Z]*[clt]|^--(stdout|list|test)$/],
  ['unxz', /^-[a-zA-Z]*[clt]/],
  ['zstd', /^-[a-zA-Z]*[clt]|^--(stdout|list|test)$/],
  ['7z', /^[lt]$/],
  ['7za', /^[lt]$/],
  ['patch', /^--dry-run$/],
  ['rsync', /^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run|--list-only)$/],
  ['crontab', /^-l$/],
  ['mktemp', /^(-u|--dry-run)$/],
  ['wget', /^(--spider|-qO-|-O-|-nv -O-|--output-document=-)$/],
  ['cpio', /^-[a-zA-Z]*t/],
])

type Check = (command: SimpleCommand) => string | null

/** Whether a command makes, changes or removes files, apart from what code in it could do. */
export function writesByItself(command: SimpleCommand): boolean {
  return interpreterOf(command) === null && whyItWrites(command) !== null
}

function whyItWrites(command: SimpleCommand): string | null {
  const first = command.words[0]
  if (first === undefined || first === null) return null
  const name = baseName(first)
  if (isAsking(command)) return null
  if (writers.has(name)) return isOnlyShowing(name, command) ? null : 'changes files'
  if (interpreterOf(command) !== null) {
    return runsCode(command) ? 'hands control to an interpreter' : null
  }
  if (shells.has(name) || strangeShells.has(name)) return whyOfShell(command)
  return checks.get(name)?.(command) ?? null
}

function isAsking({ starts }: SimpleCommand): boolean {
  return starts.length === 2 && /^(--help|--version)$/.test(starts[1] ?? '')
}

const devices = /^\/dev\/(null|stdout|stderr|tty)$/

function isOnlyShowing(name: string, { starts }: SimpleCommand): boolean {
  const operands = starts.slice(1).filter((start) => !start.startsWith('-'))
  const targets = name === 'tee' ? operands : operands.slice(-1)
  const isNowhere = targets.length > 0 && targets.every((target) => devices.test(target))
  if (isNowhere && (name === 'tee' || name === 'cp')) return true
  const pattern = onlyShows.get(name)
  if (pattern === undefined) return false
  if (name === 'wget' && starts.some((start, i) => start === '-O' && starts[i + 1] === '-')) {
    return true
  }
  return starts.slice(1).some((start) => pattern.test(start))
}

/** A `-c` script stands beside it, read; a script file is code like any other. */
function whyOfShell(command: SimpleCommand): string | null {
  const args = command.starts.slice(1)
  if (args.some((arg) => /^-\w*c$/.test(arg)) || args.some((arg) => /^-\w*n$/.test(arg)))
    return null
  return args.some((arg) => !arg.startsWith('-')) ? 'hands control to a script' : null
}

function whenever(pattern: RegExp, why: string): Check {
  return ({ starts }) => (starts.slice(1).some((start) => pattern.test(start)) ? why : null)
}

function sedWrites(command: SimpleCommand): string | null {
  if (command.starts.slice(1).some((start) => /^(-[nErsuz]*i|--in-place)/.test(start))) {
    return 'edits in place'
  }
  const isWriting = sedScripts(command).some((script) => {
    const { runs, writes } = readSed(script)
    return runs || writes
  })
  return isWriting ? 'has a script that writes or runs something' : null
}

function awkWrites(command: SimpleCommand): string | null {
  const { runs, writes } = readAwk(awkProgram(command))
  if (runs || writes) return 'has a program that writes or runs something'
  const includes = command.starts.some(
    (start, i) =>
      /^(-i|--include)/.test(start) && /inplace/.test(`${start}${command.starts[i + 1]}`),
  )
  return includes ? 'edits in place' : null
}

function tarWrites({ starts }: SimpleCommand): string | null {
  const mode = starts[1] ?? ''
  const isShort = /^-?[a-zA-Z]*[xcruA]/.test(mode) && !mode.startsWith('--')
  const isLong = starts.some((start) => /^--(extract|get|create|append|update|delete)/.test(start))
  const toStream = starts.some((start) => /^(-[a-zA-Z]*O|--to-stdout)$/.test(start))
  return (isShort || isLong) && !toStream ? 'makes files' : null
}

function curlWrites({ starts }: SimpleCommand): string | null {
  const at = starts.findIndex((start, i) => i > 0 && curlFile.test(start))
  if (at < 0) return null
  const start = starts[at] as string
  const value = start.includes('=') ? start.slice(start.indexOf('=') + 1) : (starts[at + 1] ?? '')
  const isStream =
    /^(-|\/dev\/(null|stdout|stderr))$/.test(value) || /^-o(-|\/dev\/null)$/.test(start)
  return isStream ? null : 'saves a file'
}

const curlFile = alternationPattern(
  '^',
  [
    '-[a-zA-Z]*[oOJ]($|[-/.\\w])',
    '--(output|remote-name|output-dir|cookie-jar|dump-header)(-all)?(=|$)',
  ],
  '',
)

function ddWrites({ starts }: SimpleCommand): string | null {
  const into = starts.find((start) => start.startsWith('of='))
  return into === undefined || /^of=\/dev\/(null|stdout|stderr)$/.test(into)
    ? null
    : 'writes a file'
}

function findWrites({ starts }: SimpleCommand): string | null {
  return starts.some((start) => /^-(delete|fprint|fprint0|fprintf|fls)$/.test(start))
    ? 'removes or writes files'
    : null
}

function sourceRuns({ starts }: SimpleCommand): string | null {
  // Entering a virtual environment only sets variables; any other file is a script.
  return /(^|\/)activate$/.test(starts[1] ?? '') ? null : 'hands control to a script'
}

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['sed', sedWrites],
  ['gsed', sedWrites],
  ['awk', awkWrites],
  ['gawk', awkWrites],
  ['mawk', awkWrites],
  ['nawk', awkWrites],
  ['tar', tarWrites],
  ['gtar', tarWrites],
  ['bsdtar', tarWrites],
  ['curl', curlWrites],
  ['dd', ddWrites],
  ['find', findWrites],
  ['gfind', findWrites],
  ['git', writingGit],
  ['source', sourceRuns],
  ['.', sourceRuns],
  ['sort', whenever(/^(-[a-zA-Z]*o|--output)/, 'writes a file')],
  ['yq', whenever(/^(-[a-zA-Z]*i[a-zA-Z]*|--inplace|--in-place)$/, 'edits in place')],
  ['jq', whenever(/^(-i|--in-place)$/, 'edits in place')],
  ['sudoedit', () => 'edits a file'],
  ['prettier', whenever(/^(-w|--write)$/, 'changes files')],
  ['eslint', whenever(/^(--fix|-o|--output-file)(=|$)/, 'changes files')],
  ['xxd', whenever(/^-[a-z]*r/, 'writes a file')],
  ['gh', whenever(/^(merge|delete|create|edit|close|download)$/, 'changes something')],
])
