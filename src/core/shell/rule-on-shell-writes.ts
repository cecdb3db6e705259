/**
 * The rule for a stage with a shell but without edits, as a list of what is allowed: programs that
 * are known to read, build or test, with options that are known to be harmless. Everything else is
 * denied. What is known stands in `programs/`. Knows readings only.
 */
import type { Denial } from '../engine/types.ts'
import { anyOf } from './alternation-pattern.ts'
import { type ArgumentScope, isHarmlessMode, isInParts } from './argument-checks.ts'
import { isListTrouble, whyByKind } from './argument-kinds.ts'
import { asksProgram } from './asks-program.ts'
import { changesBySpelling } from './changing-words.ts'
import { isNowhere } from './file-names.ts'
import { talksLocally } from './local-address.ts'
import names from './names.json' with { type: 'json' }
import { troubleAnywhere } from './program-options.ts'
import { denyUnreadable, quoteCommand } from './quote-command.ts'
import { type ProgramArgument, programArguments, type ReadArguments } from './read-arguments.ts'
import { riskyAssignment } from './risky-assignment.ts'
import { shellCallOf } from './shell-call.ts'
import type { ShellReading, SimpleCommand } from './shell-reading.ts'
import { onlyAsks } from './text-languages.ts'
import { baseName } from './wrappers.ts'

/** The denial of a text that would write. */
export function ruleOnShellWrites(reading: ShellReading): Denial | null {
  if (!reading.ok) return denyUnreadable(reading)
  const into = reading.redirections.find((one) => one.kind === 'write')
  if (into !== undefined) return denied(`\`${into.text}\` writes a file`)
  const net = reading.redirections.find(({ target, text }) => {
    return /\/dev\/(tcp|udp)\//.test(`${target ?? ''} ${text}`)
  })
  if (net !== undefined) return denied(`\`${net.text}\` talks to another machine`)
  const set = riskyAssignment(reading)
  if (set !== undefined) return denied(`setting \`${set.name}\` changes what commands run`)
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

/** Whether a command makes, changes or removes files, apart from what code in it could do. */
export function writesByItself(command: SimpleCommand): boolean {
  const found = programArguments(command)
  if (found === null || /^(runs|shell|sources|wraps)$/.test(found.grammar.use)) return false
  return whyItWrites(command) !== null
}

/** Whether a command is known to change nothing, whatever files it names. */
export function isKnownReader(command: SimpleCommand): boolean {
  const use = programArguments(command)?.grammar.use
  return (use === 'reads' || use === 'changes') && whyItWrites(command) === null
}

/** Why a command is more than reading, building or testing; null: it is not. */
function whyItWrites(command: SimpleCommand): string | null {
  const first = command.words[0]
  // A name that only shows when it runs is left to what is hidden.
  if (first === undefined || first === null) return null
  if (asksProgram(command) && isTrustedPlace(first)) return null
  const isPackage = command.isByRunner && /^@[\w.-]+\/[\w.-]+(@.*)?$/.test(first)
  const found = isPackage || isTrustedPlace(first) ? programArguments(command) : null
  if (found === null) {
    return first.includes('/')
      ? 'hands control to a script'
      : 'is not known to only read, build or test'
  }
  if (isKnownTask(found)) return null
  return whyByUse(command, found) ?? whyByArguments(command, found)
}

// `VENV/BIN` may be a folder of the project.
const trustedPlace = new RegExp(anyOf(names.trustedPlaces, '^(?:', ')').source)

/** A program where programs are installed, and no file of the project. */
function isTrustedPlace(word: string): boolean {
  return !word.includes('/') || (trustedPlace.test(word) && !/\.\w+$/.test(baseName(word)))
}

/** A script that frameworks give every project, with a task that tests or shows something. */
function isKnownTask({ grammar, options, operands }: ReadArguments): boolean {
  const { tasks } = grammar.raw
  if (tasks === undefined || options.some(({ kind }) => kind !== '')) return false
  return new RegExp(tasks).test(operands.map(({ value }) => value ?? '').join(' '))
}

/** What the program as such does, in the way it is called. */
function whyByUse(command: SimpleCommand, found: ReadArguments): string | null {
  const { grammar, options, operands } = found
  if (found.isVerbUnknown) return 'has a sub-command that is only known when it runs'
  const has = (kind: string) => options.some((option) => option.kind === kind)
  const verb = found.verbs.length === 0 ? '' : ` by \`${quoteCommand(found.verbs.join(' '))}\``
  switch (grammar.use) {
    case 'changes':
      // `cargo fmt -- --check`
      if (operands.some(({ value }) => value === '--check')) return null
      if (
        has('shows') ||
        options.some(isHarmlessMode) ||
        isReadingVerb(found) ||
        keepsNothing(found)
      )
        return null
      return `changes files${verb}`
    case 'runs':
      if (has('script')) return 'hands control to an interpreter'
      if (has('tests') || has('checks')) return null
      if (has('shows') && operands.length === 0) return null
      return 'hands control to an interpreter'
    case 'shell':
      return whyOfShell(command)
    case 'wraps':
      return mayOpenShell(found) && !has('shows') ? 'may open a shell' : null
    case 'sources':
      // Entering a virtual environment only sets variables; any other file is a script.
      return /(^|\/)activate$/.test(command.starts[1] ?? '') ? null : 'hands control to a script'
    case 'remote':
      return operands.length > 0 ? 'runs commands on another machine' : null
    default:
      return null
  }
}

/** `nsenter` alone: a wrapper without a program to start may start a shell. */
function mayOpenShell({ grammar, operands }: ReadArguments): boolean {
  const isInner = grammar.isOpen && grammar.operands.at(-1) === 'inner'
  return isInner && !operands.some(({ kind }) => kind === 'inner')
}

/** `wget -O -`, `tee /dev/null`, `cp a /dev/null`: what it would save it says, or drops. */
function keepsNothing({ grammar, options, operands }: ReadArguments): boolean {
  const document = options.find(({ kind }) => kind === 'document')
  if (document !== undefined) return isNowhere(document.value)
  const isPut = grammar.operands[0] === 'put'
  const targets = isPut ? operands.slice(-1) : operands.filter(({ kind }) => kind === 'write')
  return targets.length > 0 && targets.every(({ value }) => value !== '-' && isNowhere(value))
}

function isReadingVerb({ grammar, operands }: ReadArguments): boolean {
  const { readsIf, max } = grammar.raw
  if (readsIf === undefined) return false
  if (max === 0 && operands.length === 0) return true
  const pattern = new RegExp(readsIf)
  return operands.slice(0, 4).some((operand) => pattern.test(operand.value ?? ''))
}

/** A `-c` script stands beside it, read; a script file or one on its input is code like any. */
function whyOfShell({ starts, isFed, isPiped, stdin }: SimpleCommand): string | null {
  const { loadsFile, takesScript, isChecking, operandAt } = shellCallOf(starts)
  if (!loadsFile && (takesScript || isChecking)) return null
  if (loadsFile || isFed || operandAt < starts.length) return 'hands control to a script'
  // What a pipe or the text itself hands to it is judged beside it.
  return isPiped || stdin !== null ? null : 'opens a shell'
}

/** What its options and operands make it do. */
function whyByArguments(command: SimpleCommand, found: ReadArguments): string | null {
  const { grammar, options, operands } = found
  const { raw } = grammar
  if (found.loose > 0 && grammar.isDangerous) {
    return `has an option that is only known when it runs: \`${command.text.slice(0, 60)}\``
  }
  if (found.unknown !== null && !grammar.isOpen && grammar.use !== 'wraps') {
    return `has an option that is not known to be harmless: \`${quoteCommand(found.unknown)}\``
  }
  const effect = (kind: string) => options.some((option) => option.kind === kind)
  const shows = effect('shows')
  const all = [...options, ...operands]
  const scope = {
    program: baseName(command.words[0] ?? ''),
    dirs: command.dirs,
    workspace: null,
    makes: effect('makes'),
    isLocal: talksLocally(all),
    isInParts: isInParts(options),
  }
  for (const argument of all) {
    const why = whyOfArgument(command, argument, scope)
    const isShown =
      shows &&
      raw.stage === undefined &&
      !argument.start.includes('=') &&
      (argument.name === '' || /^(writes|extracts)$/.test(argument.kind))
    if (why !== null && !isShown) return why
  }
  const spelled = grammar.isOpen ? changesBySpelling(command, grammar.use) : null
  if (spelled !== null) return `changes files by \`${quoteCommand(spelled)}\``
  const stray = troubleAnywhere({ command, listedCount: 1, dirs: command.dirs, workspace: null })
  if (stray !== null) return `does more than reading by \`${quoteCommand(stray)}\``
  if (raw.dashes === 'writes' && found.behindDashes > 0) return 'discards changes'
  if (raw.stdin === 'sql' && mayFeedSql(command, all)) return 'changes a database, or may'
  if (raw.stdin === 'commands' && isGiven(command) && !isFedReading(command, found))
    return 'runs the commands on its input'
  if (effect('lists') || shows) return null
  if (raw.max !== undefined && operands.length > raw.max && raw.readsIf === undefined) {
    return 'changes something'
  }
  if (raw.stage !== undefined) return whyOfCompiler(found, raw.stage)
  return raw.makes === true && operands.length > 0 ? 'changes something' : null
}

/** Whether something stands on its input. */
function isGiven({ isFed, isPiped, stdin }: SimpleCommand): boolean {
  return isFed || isPiped || stdin !== null
}

/** Whether each line on its input is known and would only read as its operands, too. */
function isFedReading(command: SimpleCommand, { verbs }: ReadArguments): boolean {
  const lines = command.stdin?.split('\n').filter((line) => line.trim() !== '')
  return verbs.length === 0 && lines?.every((line) => isReadingLine(command, line)) === true
}

function isReadingLine(command: SimpleCommand, line: string): boolean {
  // Quotes and options may mean something else there.
  if (!/^\s*\w[\w:.]*(?:[ \t]+\w[\w:.]*)*\s*$/.test(line)) return false
  const words = [command.words[0] ?? '', ...line.trim().split(/[ \t]+/)]
  const none = words.map(() => false)
  const said = { words, starts: words, wild: none, made: none, isFed: false, isPiped: false }
  return isKnownReader({ ...command, ...said, stdin: null })
}

/** What stands on its input is read where no statement is given. */
function mayFeedSql(
  { isFed, isPiped, stdin }: SimpleCommand,
  args: readonly ProgramArgument[],
): boolean {
  if (stdin !== null) return !onlyAsks(stdin)
  // Commands to begin with, `-cmd` and `--init-command`, do not stand in for it.
  const isGiven = args.some(({ kind, name }) => kind === 'sql' && !/cmd|init/.test(name))
  return (isFed || isPiped) && !isGiven
}

/** A compiler puts its result next to the sources unless it is told where. */
function whyOfCompiler({ options }: ReadArguments, name: string): string | null {
  const into = options.find((option) => option.name === name)
  return isNowhere(into?.value ?? null) ? null : 'makes files'
}

/** What an argument does; null: it only reads. */
function whyOfArgument(
  command: SimpleCommand,
  argument: ProgramArgument,
  scope: ArgumentScope,
): string | null {
  if (argument.kind === '') return null
  const text = quoteCommand(command.starts[argument.at] ?? '')
  const why = whyByKind(argument, text, scope)
  if (why !== null) return why
  return isListTrouble(argument, scope) ? `does more than reading by \`${text}\`` : null
}
